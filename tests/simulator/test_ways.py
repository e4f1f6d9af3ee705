"""Are blocks inside a grid that take another way than their like found, and counted as they are?"""

from __future__ import annotations

import numpy as np
import pytest

import simulator as sm
from simulator import coverage
from simulator.emulator.launch import Launch
from simulator.emulator.program import build_program
from simulator.isa.kernel import Kernel
from simulator.places import Telling, find_telling
from simulator.results import COUNT_FIELDS, Run, Status
from simulator.ways import find_ways

HEAD = 'extern "C" __global__ void kernel(float* out, const float* in, int n, int p)\n'
COLUMN = "int x = blockIdx.x * 64 + threadIdx.x; "
PLACE = "int x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * 2 + threadIdx.x / 32; "
# Kernels whose blocks between the ends are alike, or where one threshold parts them.
ALIKE = {
    "edge": PLACE + "if (x < n && y < n) out[y * n + x] = in[y * n + x];",
    "rim": PLACE + "float s = x > 0 && y > 0 && x < n - 1 ? in[y * n + x - 1] : 0;"
    "if (y < n && x < n) out[y * n + x] = s + (x + 1 < n ? in[y * n + x] : 1.0f);",
    "signs": PLACE + "x -= 3; y -= 1; if (x >= 0 && y >= 0 && x < n && y < n) out[y * n + x] = 1;",
    "grid loop": COLUMN + "for (; x < n; x += gridDim.x * 64) out[x] = in[x];",
    "tiles": PLACE + "float s = 0; for (int k = 0; k < n; k += 4) s += in[y * n + k] * in[k * n];"
    "if (x < n) out[y * n + x] = s;",
}  # fmt: skip
# Kernels where some blocks between the ends do something else.
APART = {
    "one block": COLUMN + "if (blockIdx.x == p) x += n; out[x] = in[x];",
    "pivot": PLACE + "if (y / 8 == p / 8 || x / 64 == p / 2) return; out[y * n + x] = 1;",
    "bits": COLUMN + "if ((x & 0x3ff) == 0) out[x] = 1;",
    "remainder": COLUMN + "if (blockIdx.x % 11 == 7) out[x] = 1;",
    "row of tiles": "int r = blockIdx.x / 7, c = blockIdx.x % 7;"
    "if (c < 5) out[r * 64 + threadIdx.x] = 1;",
    "diagonal": PLACE + "if (blockIdx.x + blockIdx.y == 11) out[y * n + x] = 1;",
    "guarded store": COLUMN + "float s = in[x]; if (blockIdx.x == p) out[x] = s;",
}  # fmt: skip
GRID, BLOCK = (24, 20, 1), (64, 1, 1)


def _kernel(body: str, device: str = "h200") -> Kernel:
    return sm.compile_cuda(HEAD + "{ " + body + " }", "kernel", device)


def _arguments() -> list[object]:
    data = np.zeros(1 << 20, np.float32)
    return [data, data.copy(), np.int32(700), np.int32(13)]


def _replay(kernel: Kernel, blocks: str, device: str = "h200") -> Run:
    return sm.replay(kernel, GRID, BLOCK, _arguments(), 0, device, blocks=blocks)


def _same_counts(sample: Run, whole: Run) -> None:
    for one, other in zip(sample.instructions, whole.instructions, strict=True):
        for field in COUNT_FIELDS:
            if "output" not in field:  # bounded
                assert getattr(one, field) == getattr(other, field), (one.index, field)


@pytest.mark.parametrize("name", ALIKE)
def test_thresholds_tell_no_places_apart(name: str) -> None:
    assert not find_telling(_kernel(ALIKE[name])).comparisons


@pytest.mark.parametrize("device", ["a100_80", "h200", "rtx5090"])
@pytest.mark.parametrize("name", APART)
def test_other_blocks_are_counted(name: str, device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "SMALL_LAUNCH", 0)
    kernel = _kernel(APART[name], device)
    assert find_telling(kernel).comparisons
    sample = _replay(kernel, "auto", device)
    _same_counts(sample, _replay(kernel, "all", device))
    assert sample.counters["executed"].status is Status.EXACT


def test_a_sample_alone_would_miss_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "SMALL_LAUNCH", 0)
    kernel = _kernel(APART["remainder"])
    monkeypatch.setattr(coverage, "find_telling", lambda kernel: Telling())
    blind = _replay(kernel, "auto")
    assert blind.sampling.argument == "checked"
    whole = _replay(kernel, "all")
    assert blind.counters["executed"].value != whole.counters["executed"].value


def test_too_many_blocks_to_follow_leave_counts_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "SMALL_LAUNCH", 0)
    monkeypatch.setattr(coverage, "MOST_WORK", 1000)
    run = _replay(_kernel(APART["bits"]), "auto")
    assert run.counters["executed"].status is Status.BOUNDED
    assert "may take another way" in run.sampling.chance


@pytest.mark.parametrize("name", [*ALIKE, *APART])
def test_ways_part_blocks_as_their_counts_do(name: str) -> None:
    kernel = _kernel({**ALIKE, **APART}[name])
    launch = Launch(build_program(kernel), GRID, BLOCK, 0, _arguments())
    ways = find_ways(launch, frozenset(), 0)
    assert ways is not None
    seen: dict[int, bytes] = {}
    for block in range(len(ways)):
        run = launch.run(np.array([block]))
        counts = np.stack([run.executed, run.thread_executed, run.predicated_on, run.both_on])
        assert seen.setdefault(int(ways[block]), counts.tobytes()) == counts.tobytes()
    assert len(set(seen.values())) == len(seen)


def test_digests_do_not_hang_on_what_ran_before() -> None:
    launch = Launch(build_program(_kernel(APART["pivot"])), GRID, BLOCK, 0, _arguments())
    blocks = np.arange(480)
    found = launch.digests(blocks, 1)
    np.testing.assert_array_equal(launch.digests(blocks[::-1].copy(), 3)[::-1], found)
    np.testing.assert_array_equal(launch.digests(blocks[100:110], 1), found[100:110])
