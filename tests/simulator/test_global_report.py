"""Are global and local traffic added up by operation, and wasteful lines found?"""

from __future__ import annotations

from dataclasses import replace

from simulator.global_report import global_traffic, local_traffic, wasteful_lines
from simulator.results import Run
from tests.simulator.runs import make_run, record


def traffic_run() -> Run:
    """A coalesced load, a load at stride 8, a broadcast, a store and a spill."""
    return make_run(
        instructions=(
            record(0, "LDG.E R1, desc[UR4][R2.64]", 7, 4, global_requests=4, global_sectors=16,
                   global_sectors_ideal=16, global_tags=4, global_bytes_used=512),
            record(1, "LDG.E R1, desc[UR4][R2.64]", 8, 4, global_requests=4, global_sectors=128,
                   global_sectors_ideal=16, global_tags=32, global_bytes_used=512),
            record(2, "LDG.E.128 R4, desc[UR4][R2.64]", 8, 4, global_requests=4, global_sectors=4,
                   global_sectors_ideal=4, global_tags=4, global_bytes_used=64),
            record(3, "@P0 STG.E.64 desc[UR4][R2.64], R4", 9, 4, global_requests=4,
                   global_sectors=8, global_sectors_ideal=4, global_tags=4,
                   global_bytes_used=128),
            record(4, "STL [R1], R4", 9, 4, local_requests=4, local_sectors=16, local_tags=4,
                   local_sectors_ideal=16, local_bytes_used=512),
            record(5, "RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R4", 9, 0),
        )
    )  # fmt: skip


def test_traffic_by_operation() -> None:
    load, store = global_traffic(traffic_run())
    assert (load.operation, load.requests, load.sectors, load.ideal) == ("load", 12, 148, 36)
    assert (load.tags, load.bytes_used) == (40, 512 + 512 + 64)
    assert load.sectors_per_request == 148 / 12
    assert (store.operation, store.bytes_used, store.bytes_used_per_sector) == ("store", 128, 16)


def test_local_memory_is_apart() -> None:
    (local,) = local_traffic(traffic_run())
    assert (local.operation, local.requests, local.sectors) == ("local store", 4, 16)
    assert local.bytes_used_per_sector == 32
    assert local_traffic(make_run()) == ()


def test_local_memory_that_lanes_scatter_is_wasteful() -> None:
    spread = record(0, "LDL R4, [R0]", 9, 4, local_requests=4, local_sectors=128, local_tags=128,
                    local_sectors_ideal=16, local_bytes_used=512)  # fmt: skip
    (line,) = wasteful_lines(make_run(instructions=(spread,)))
    assert (line.sectors, line.ideal, line.excess) == (128, 16, 112)
    old = replace(spread, local_sectors_ideal=0)
    assert wasteful_lines(make_run(instructions=(old,))) == ()


def test_wasteful_lines_worst_first() -> None:
    worst, less = wasteful_lines(traffic_run())
    assert (worst.source_line, worst.excess, worst.sectors) == (8, 112, 128)
    assert worst.source_text.startswith("float y")
    assert (less.source_line, less.excess) == (9, 4)
