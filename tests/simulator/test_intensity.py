"""Is intensity what the definitions say, on records and on the kernels of the catalogue?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.intensity import find_intensity
from simulator.launching import open_catalogue, replay_target
from simulator.results import Counter, Run, Status
from tests.simulator.runs import make_run


def replayed(kernel: str, size: int, device: str) -> Run:
    return replay_target(open_catalogue(kernel, size, 0, device), device, "auto")


@pytest.mark.parametrize("device", ["rtx4090", "h200", "a100"])
@pytest.mark.parametrize(
    ("kernel", "per_byte"),
    [("tiled_gemm", 0.25), ("register_tiled_gemm", 1.0), ("register_tiling_gemm", 2.0)],
)
def test_what_the_source_asks_of_shared_memory(kernel: str, per_byte: float, device: str) -> None:
    found = replayed(kernel, 128, device).intensity
    assert found is not None
    assert found.level("thread").flop_per_byte == per_byte
    assert found.level("thread").status is Status.EXACT


def test_levels_of_a_small_run() -> None:
    found = find_intensity(make_run())
    assert found.flops.total == 16 * 32 * 3
    assert found.level("thread").bytes == 3 * 16 * 128
    assert found.level("shared").bytes == 128 * (16 + 64 + 64 + 32)
    assert found.level("L1").bytes == 32 * 64
    assert found.level("shared").flop_per_byte == 16 * 32 * 3 / (128 * 176)
    assert found.level("warp").bytes == 3 * 16 * 128 + 8 * 32 * 16  # the store too
    for name in ("warp", "shared"):
        assert found.level(name).flop_per_wavefront == 16 * 32 * 3 / 176
    assert found.level("L1").flop_per_wavefront is None


def test_caches_are_unmodelled_until_counted() -> None:
    run = make_run()
    for name in ("L2", "DRAM"):
        level = find_intensity(run).level(name)
        assert (level.bytes, level.flop_per_byte) == (None, None)
        assert level.status is Status.UNMODELLED
    counters = {
        "l2_read_sectors": Counter(100, "sectors", Status.BOUNDED),
        "l2_write_sectors": Counter(20, "sectors", Status.EXACT),
    }
    level = find_intensity(replace(run, counters={**run.counters, **counters})).level("L2")
    assert (level.bytes, level.status) == (120 * 32, Status.BOUNDED)
    counters["l2_atomic_sectors"] = Counter(5, "sectors", Status.BOUNDED)
    level = find_intensity(replace(run, counters=counters)).level("L2")
    assert level.bytes == 125 * 32


def test_a_level_without_traffic_has_no_intensity() -> None:
    level = find_intensity(make_run(instructions=make_run().instructions[4:6])).level("shared")
    assert (level.bytes, level.flop_per_byte) == (0, None)
