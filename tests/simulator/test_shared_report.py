"""Are rows, totals, worst lines and intensity what the counts of a run say?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from simulator.results import SharedExample
from simulator.shared_report import (
    count_ways,
    find_hotspots,
    is_shared,
    requested_bytes,
    shared_instructions,
    shared_intensity,
    source_text,
    total_shared,
    ways_of,
)
from tests.simulator.runs import INSTRUCTIONS, make_run, record, shared


def describe(offsets: Sequence[int], lane_mask: int, width_bytes: int, operation: str) -> str:
    """Stands in for the explanation of a request."""
    return f"{operation} at stride {offsets[1] - offsets[0]}, {lane_mask:#x}, {width_bytes} bytes"


def test_rows_are_the_shared_instructions_in_order() -> None:
    assert [item.index for item in shared_instructions(make_run())] == [1, 2, 3, 6]


def test_an_instruction_never_executed_is_still_a_row() -> None:
    idle = record(8, "LDS R9, [R1]", 9, 0)
    run = make_run(instructions=(*INSTRUCTIONS, idle))
    assert shared_instructions(run)[-1] == idle
    assert ways_of(idle) == 1.0


@pytest.mark.parametrize(
    ("sass", "requests", "expected"),
    [
        ("LDS.U.128 R4, [R0]", 0, True),
        ("@!PT LDS RZ, [RZ]", 0, True),
        ("ATOMS.ADD R1, [R2], R3", 0, True),
        ("LDSM.16.M88.4 R4, [R0]", 0, True),
        ("LDGSTS.E.BYPASS.128 [R1], [R2.64]", 0, True),
        ("LD.E R1, [R2.64]", 0, False),
        ("LD.E R1, [R2.64]", 3, True),
        ("LDG.E R1, [R2.64]", 0, False),
        ("LDL R1, [R2]", 0, False),
        ("FADD R1, R2, R3", 0, False),
    ],
)
def test_what_counts_as_shared(sass: str, requests: int, expected: bool) -> None:
    assert is_shared(record(0, sass, 1, 4, shared_requests=requests)) is expected


@pytest.mark.parametrize(
    ("sass", "lanes", "expected"),
    [
        ("LDS R4, [R0]", 100, 400),
        ("@P0 LDS.U16 R4, [R0]", 100, 200),
        ("STS.128 [R0], R4", 100, 1600),
        ("ATOMS.EXCH.64 R1, [R0], R2", 100, 800),
        ("LDSM.16.M88.4 R4, [R0]", 128, 4 * 512),
        ("FADD R1, R2, R3", 100, 0),
    ],
)
def test_requested_bytes(sass: str, lanes: int, expected: int) -> None:
    row = record(
        0, sass, 1, 4, shared_requests=4 if "[" in sass else 0, thread_executed_predicated_on=lanes
    )
    assert requested_bytes(row) == expected


def test_totals() -> None:
    totals = total_shared(make_run())
    assert (totals.requests, totals.wavefronts, totals.ideal) == (56, 176, 80)
    assert (totals.hardware, totals.conflicts) == (176, 96)
    assert totals.bytes == 48 * 32 * 4 + 8 * 32 * 16
    assert totals.ways == 176 / 80


@pytest.mark.parametrize(
    ("wavefronts", "conflicts", "ways"), [(64, 48, 4), (16, 0, 1), (0, 0, 1), (5, 2, 5 / 3)]
)
def test_ways(wavefronts: int, conflicts: int, ways: float) -> None:
    assert count_ways(wavefronts, conflicts) == ways


def test_intensity_sets_the_launch_s_fp32_work_against_shared_memory() -> None:
    intensity = shared_intensity(make_run())
    assert intensity.per_byte == 1536 / 10240
    assert intensity.per_wavefront == 1536 / 176


def test_intensity_without_shared_memory_is_zero() -> None:
    intensity = shared_intensity(make_run(instructions=INSTRUCTIONS[4:6]))
    assert (intensity.per_byte, intensity.per_wavefront) == (0, 0)


def test_hotspots_join_the_instructions_of_a_line_that_conflict() -> None:
    (spot,) = find_hotspots(make_run(), describe)
    assert [item.index for item in spot.instructions] == [2, 3]
    assert (spot.conflicts, spot.share, spot.ways) == (96, 1.0, 4.0)
    assert spot.source_text == "float y = Bs[0][8 * tx] + Bs[1][8 * tx];"
    assert spot.reading == "load at stride 32, 0xffffffff, 4 bytes"


def test_the_worst_instruction_of_a_line_is_read() -> None:
    mild = shared(2, "LDS R5, [R2]", 8, 4, 1, 2)
    heavy = shared(3, "LDS R6, [R2+0x1200]", 8, 4, 1, 8)
    examples = tuple(
        SharedExample(index, 1, tuple(range(0, 32 * step, step)), 4, 8)
        for index, step in ((2, 4), (3, 64))
    )
    (spot,) = find_hotspots(make_run(instructions=(mild, heavy), examples=examples), describe)
    assert spot.reading.startswith("load at stride 64")
    assert spot.conflicts == 4 + 28


def test_hotspots_come_worst_first_and_without_example_have_no_reading() -> None:
    heavy = shared(8, "STS [R9], R1", 10, 64, 1, 32)
    run = make_run(instructions=(*INSTRUCTIONS, heavy))
    first, second = find_hotspots(run, describe)
    assert first.instructions == (heavy,)
    assert first.reading == ""
    assert first.share == 64 * 31 / (64 * 31 + 96)
    assert second.source_line == 8


@pytest.mark.parametrize(
    ("sass", "operation"),
    [
        ("STS.64 [R0], R2", "store"),
        ("ATOMS.ADD R1, [R0], R2", "atomic"),
        ("ATOMS.CAS R1, [R0], R2, R3", "atomic"),
        ("ATOMS.POPC.INC.32 RZ, [R2.X4+URZ]", "load"),
        ("ATOMS.CAST.SPIN R1, [R0], R2, R3", ""),
        ("LD.E R1, [R2.64]", "load"),
        ("LDSM.16.M88.4 R4, [R0]", ""),
        ("LDGSTS.E.128 [R1], [R2.64]", ""),
    ],
)
def test_readings_are_about_the_operation(sass: str, operation: str) -> None:
    row = record(0, sass, 1, 1, shared_requests=1, shared_wavefronts_hardware=4, bank_conflicts=3)
    run = make_run(instructions=(row,), examples=(SharedExample(0, 0xFFFFFFFF, (0,) * 32, 4, 4),))
    (spot,) = find_hotspots(run, lambda offsets, mask, width, op: op)
    assert spot.reading == operation


def test_source_text_that_is_not_known_is_empty() -> None:
    run = make_run()
    assert source_text(run, "k.cu", 7) == "float x = As[0][tx];"
    assert source_text(run, "k.cu", 999) == ""
    assert source_text(run, "other.cuh", 1) == ""
    assert source_text(run, None, None) == ""


def test_no_conflicts_no_hotspots() -> None:
    calm = tuple(replace(item, bank_conflicts=0) for item in INSTRUCTIONS)
    assert find_hotspots(make_run(instructions=calm), describe) == ()
