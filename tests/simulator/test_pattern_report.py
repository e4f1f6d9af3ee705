"""Does a pattern's page count what shared memory makes of it, in bytes and in elements?"""

from __future__ import annotations

import pytest

from simulator.errors import PatternError
from simulator.pattern import parse_pattern
from simulator.pattern_report import count_pattern
from tests.simulator.test_banks_page import run_module


@pytest.mark.parametrize(
    ("text", "width", "operation", "unit", "expected"),
    [  # hardware wavefronts and conflicts, the source page's wavefronts and ideal
        ("lane*4", 4, "load", "bytes", (1, 0, 1, 1)),
        ("lane*128", 4, "load", "bytes", (32, 31, 32, 1)),
        ("lane*32", 4, "store", "elements", (32, 31, 32, 1)),
        ("(lane%16)*8", 4, "load", "elements", (4, 3, 4, 1)),
        ("(lane%16)*8", 4, "load", "bytes", (1, 0, 1, 1)),
        ("0", 4, "atomic", "bytes", (32, 31, 32, 1)),
        ("lane", 16, "load", "elements", (4, 0, 4, 4)),
    ],
)
def test_counts(
    text: str, width: int, operation: str, unit: str, expected: tuple[int, int, int, int]
) -> None:
    report = count_pattern(parse_pattern(text), width, operation, unit=unit)
    (count,) = report.counts
    found = (count.wavefronts, count.conflicts, count.page_wavefronts, count.ideal)
    assert found == expected
    assert count.reading


def test_only_active_lanes_count() -> None:
    (count,) = count_pattern(parse_pattern("lane*128"), 4, "load", 0xFF, "bytes").counts
    assert (count.wavefronts, count.conflicts) == (8, 7)


def test_without_a_unit_both_readings_are_counted() -> None:
    in_bytes, in_elements = count_pattern(parse_pattern("(lane%16)*8"), 4).counts
    assert (in_bytes.unit, in_bytes.wavefronts) == ("bytes", 1)
    assert (in_elements.unit, in_elements.wavefronts) == ("elements", 4)
    assert in_elements.reading == "lanes 0-15 hit 4 banks at stride 8"


def test_a_reading_that_a_gpu_refuses_is_told_beside_the_other() -> None:
    in_bytes, in_elements = count_pattern(parse_pattern("(lane%16)*8"), 16).counts
    assert "byte offset 8 of lane 1 is not a multiple" in in_bytes.problem
    assert "--unit" not in in_bytes.problem
    assert (in_elements.problem, in_elements.wavefronts) == ("", 32)


def test_no_reading_at_all_is_an_error() -> None:
    with pytest.raises(PatternError, match="lane 0 is negative"):
        count_pattern(parse_pattern("lane-1"), 4)


def test_atomics_have_two_widths() -> None:
    with pytest.raises(PatternError, match="4 or 8 bytes wide, not 16"):
        count_pattern(parse_pattern("lane"), 16, "atomic")


def test_page() -> None:
    result = run_module("simulator", "banks", "--pattern", "(lane%16)*8", "--width", "4")
    assert result.returncode == 0, result.stderr
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["bytes", "1", "0", "1", "1", "1"] in rows
    assert ["elements", "4", "3", "4", "4", "1"] in rows
