"""Are grids whose index a kernel takes apart seen as the kernel sees them?"""

from __future__ import annotations

import math

import numpy as np
import pytest

import simulator as sm
from simulator import coverage
from simulator.results import COUNT_FIELDS, Run
from simulator.unfolding import unfold

Shape = tuple[int, ...]
STEPS = (64, 5000, 170_000, 9_000_000)


def _addresses(axes: Shape, block: int, halo: bool) -> dict[int, int]:
    """First addresses of two instructions; in the first block of a row one lies elsewhere, or is
    not executed in its last one."""
    place, rest = [], block
    for size in axes:
        place.append(rest % size)
        rest //= size
    base = int(np.dot(place, STEPS[: len(axes)]))
    found = {3: base, 7: 1_000_000 + 2 * base}
    if halo and place[0] == 0:
        found[3] += 4
    if halo and place[0] == axes[0] - 1:
        del found[7]
    return found


@pytest.mark.parametrize("halo", [False, True])
@pytest.mark.parametrize(
    ("grid", "axes"),
    [
        ((24, 1, 1), (6, 4, 1)),
        ((49, 8, 8), (7, 7, 8, 8)),
        ((8 * 12 * 9, 1, 1), (8, 12, 9, 1, 1)),
        ((5, 40, 1), (5, 10, 4, 1)),
        ((1, 1, 100), (1, 1, 20, 5)),
        ((2000, 3, 1), (2000, 3, 1)),
        ((4, 4, 4), (4, 4, 4)),
    ],
)
def test_rows_are_found(grid: Shape, axes: Shape, halo: bool) -> None:
    if len(axes) > len(STEPS) + 1:
        axes = axes[: len(STEPS)]
    own = tuple(size for size in axes if size > 1) or (1,)
    seen: set[int] = set()

    def addresses(block: int) -> dict[int, int]:
        seen.add(block)
        return _addresses(own, block, halo)

    found = unfold(grid, addresses)
    assert tuple(size for size in found if size > 1) == own
    assert math.prod(found) == math.prod(grid)
    assert len(seen) <= 12 * len(own) + 10


def test_rows_that_do_not_fill_the_grid_are_left_alone() -> None:
    assert unfold((101, 1, 1), lambda block: _addresses((10, 11), block, False)) == (101, 1, 1)
    assert unfold((100, 1, 1), lambda block: {}) == (100, 1, 1)


SOURCE = """
extern "C" __global__ void shifts(const float* a, float* out, int across, int height) {
    int x = blockIdx.x % across * 32 + threadIdx.x, y = blockIdx.x / across * 8 + threadIdx.y;
    int width = across * 32;
    float sum = 0.0f;
    if (x > 0) sum += a[y * width + x - 1];
    if (y + 1 < height) sum += a[(y + 1) * width + x];
    out[y * width + x] = sum;
}
"""


def _replay(blocks: str, across: int, down: int) -> Run:
    a = np.ones((down * 8, across * 32), np.float32)
    arguments = [a, np.zeros_like(a), np.int32(across), np.int32(down * 8)]
    kernel = sm.compile_cuda(SOURCE, "shifts", "h200")
    return sm.replay(
        kernel, (across * down,), (32, 8), arguments, device="h200", blocks=blocks, caches=True
    )


@pytest.mark.parametrize(("across", "down"), [(16, 12), (13, 30)])
def test_a_sample_of_rows_equals_all(
    across: int, down: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coverage, "SMALL_LAUNCH", 0)
    sampled, whole = _replay("auto", across, down), _replay("all", across, down)
    assert sampled.sampling.argument == "checked"
    assert sampled.sampling.blocks_replayed < across * down // 2
    for one, other in zip(sampled.instructions, whole.instructions, strict=True):
        assert [getattr(one, f) for f in COUNT_FIELDS] == [getattr(other, f) for f in COUNT_FIELDS]
    for name in ("l2_read_sectors", "l1_load_hit_sectors", "dram_read_bytes"):
        assert sampled.counters[name].value == whole.counters[name].value
