"""Blocks whose addresses the caches need are run once, for counts and addresses together."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import simulator as sm
from simulator import caching, coverage
from simulator.emulator.launch import Launch
from simulator.launching import open_catalogue, replay_target
from simulator.memory.caches.templates import template_blocks
from simulator.results import Run

SOURCE = r"""
extern "C" __global__ void copy(const float* in, float* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
extern "C" __global__ void gather(const int* place, const float* in, float* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[place[i]];
}
// From some block on they move by another step than before.
extern "C" __global__ void bent(const float* in, float* out)
{
    int block = blockIdx.x;
    int i = (block < 60 ? block : 2 * block) * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
"""
BLOCKS, THREADS = 100, 64


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """How often each block is run."""
    counted: Counter[int] = Counter()
    run = Launch.run

    def counting(self: Launch, blocks: NDArray[np.int64], *rest: Any) -> Any:
        counted.update(blocks.tolist())
        return run(self, blocks, *rest)

    monkeypatch.setattr(Launch, "run", counting)
    return counted


def _replay(entry: str, *first: Any, blocks: str = "auto", room: int = 1) -> Run:
    kernel = sm.compile_cuda(SOURCE, entry, "h200")
    data = np.arange(room * BLOCKS * THREADS, dtype=np.float32)
    args = [*first, data, data]
    return sm.replay(kernel, (BLOCKS,), (THREADS,), args, device="h200", blocks=blocks, caches=True)


def test_where_loaded_data_steers_every_block_is_run_once(runs: Counter[int]) -> None:
    place = np.arange(BLOCKS * THREADS, dtype=np.int32)[::-1].copy()
    run = _replay("gather", place)
    assert runs == Counter(range(BLOCKS))
    sectors = BLOCKS * THREADS * 4 // 32
    assert run.counters["l1_load_sectors"].value == 2 * sectors


def test_blocks_that_the_sample_has_are_not_run_again(
    runs: Counter[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coverage, "SMALL_LAUNCH", 0)
    run = _replay("copy")
    assert run.sampling.argument == "checked"
    assert set(runs.values()) == {1}
    assert set(template_blocks((BLOCKS, 1, 1)).tolist()) <= set(runs)
    assert runs.total() < BLOCKS // 4
    assert run.counters["l1_load_sectors"].value == BLOCKS * THREADS * 4 // 32


def test_blocks_that_do_not_follow_from_others_are_all_run(
    runs: Counter[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coverage, "SMALL_LAUNCH", 0)
    run = _replay("bent", room=2)
    assert set(runs) == set(range(BLOCKS))
    assert run.counters["l1_load_sectors"].value == BLOCKS * THREADS * 4 // 32
    assert run.counters["dram_read_bytes"].value == BLOCKS * THREADS * 4


def test_a_launch_asked_for_in_whole_gives_the_same_caches() -> None:
    sampled, whole = _replay("copy"), _replay("copy", blocks="all")
    for name in ("l1_load_sectors", "l2_read_sectors", "dram_read_bytes", "l2_read_sectors_warm"):
        assert sampled.counters[name] == whole.counters[name]


def test_long_loops_are_recorded_in_part_and_the_page_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A device whose L2 is smaller than the matrices; the part stands for the rest."""
    target = open_catalogue("naive_gemm", {"m": 64, "n": 64, "k": 4096}, 0, "rtxa6000")
    whole = replay_target(target, "rtxa6000", "auto", caches=True)
    monkeypatch.setattr(caching, "DETAILED_COST", 1)
    part = replay_target(target, "rtxa6000", "auto", caches=True)
    assert "caches_simulated_part" not in whole.counters
    assert 5 < part.counters["caches_simulated_part"].value < 50
    for name in ("l1_load_sectors", "l1_store_sectors", "l2_read_sectors", "dram_read_bytes"):
        assert part.counters[name].value == pytest.approx(whole.counters[name].value, rel=0.1)
