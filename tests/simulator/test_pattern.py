"""Does an address expression give the offsets a reader of it expects, and is it safe?"""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.errors import PatternError
from simulator.pattern import parse_lane_mask, parse_pattern


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lane", list(range(32))),
        ("(lane%16)*8", [(i % 16) * 8 for i in range(32)]),
        ("(lane/8)*4", [i // 8 * 4 for i in range(32)]),
        ("lane//8", [i // 8 for i in range(32)]),
        ("(lane-8)/3", [int((i - 8) / 3) for i in range(32)]),
        ("(lane-8)%3", [(i - 8) - 3 * int((i - 8) / 3) for i in range(32)]),
        ("lane ^ (lane >> 2)", [i ^ (i >> 2) for i in range(32)]),
        ("1 << (lane & 3)", [1 << (i & 3) for i in range(32)]),
        ("-~lane", [i + 1 for i in range(32)]),
        ("2**5 | lane", [32 | i for i in range(32)]),
        ("4 if lane < 16 else 8", [4] * 16 + [8] * 16),
        ("(8 <= lane < 24) * 4", [4 if 8 <= i < 24 else 0 for i in range(32)]),
        ("lane > 3 and not lane == 5", [int(i > 3 and i != 5) for i in range(32)]),
        (
            "min(lane, 7) + max(lane, 20, 25) + abs(lane - 9)",
            [min(i, 7) + max(i, 25) + abs(i - 9) for i in range(32)],
        ),
        ("  0x10 +\n lane", [16 + i for i in range(32)]),
    ],
)
def test_values(text: str, expected: list[int]) -> None:
    assert list(parse_pattern(text).values()) == expected


def test_offsets_in_bytes_and_in_elements() -> None:
    pattern = parse_pattern("(lane%16)*8")
    assert pattern.offsets(4)[1] == 8
    assert pattern.offsets(4, "elements")[1] == 32
    assert pattern.offsets(16, "elements")[15] == 15 * 8 * 16


def test_inactive_lanes_are_not_looked_at() -> None:
    pattern = parse_pattern("8 // (lane - 31) * 0 + lane * 4")
    assert pattern.offsets(4, lane_mask=0x7FFFFFFF)[:31] == tuple(range(0, 124, 4))
    with pytest.raises(PatternError, match="lane 31"):
        pattern.offsets(4)


@pytest.mark.parametrize(
    ("text", "message", "under"),
    [
        ("(tid%16)*8", "unknown name 'tid'", "tid"),
        ("lane +", "cannot be read", None),
        ("lane < 3 ? 1 : 2", "if condition else", None),
        ("lane * 1.5", "1.5 is not an integer", "1.5"),
        ("lane * 'a'", "'a' is not an integer", "'a'"),
        ("lane + True", "True is not an integer", "True"),
        ("__import__('os')", "only min, max and abs", "__import__('os')"),
        ("lane.real", "not part of an integer expression", "lane.real"),
        ("[lane][0]", "not part of an integer expression", "[lane][0]"),
        ("(lambda: lane)()", "only min, max and abs", "(lambda: lane)()"),
        ("abs(lane, 2)", "abs takes one value", "abs(lane, 2)"),
        ("min(*lane)", "plain values only", "min(*lane)"),
        ("lane in lane", "unknown comparison", "lane in lane"),
        ("lane @ 2", "unknown operator", "lane @ 2"),
        ("lanÉ", "not allowed", "É"),
    ],
)
def test_refusals_show_the_part_at_fault(text: str, message: str, under: str | None) -> None:
    with pytest.raises(PatternError, match=message) as caught:
        parse_pattern(text)
    _, shown, carets = str(caught.value).split("\n")
    assert shown == f"  {text}"
    if under is not None:
        start = carets.index("^")
        assert shown[start : start + carets.count("^")] == under


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("8 // (lane - 3)", "lane 3 this is zero"),
        ("8 % lane", "lane 0 this is zero"),
        ("9**9**9", "9.*not between 0 and 63"),
        ("99**60", "does not fit in 64 bits"),
        ("1 << (lane*100)", "lane 1 this is 100"),
        ("1 >> -1", "this is -1"),
        ("9999999999 * 9999999999", "does not fit"),
        (f"{2**70}", "does not fit"),
    ],
)
def test_evaluation_errors_name_the_lane(text: str, message: str) -> None:
    with pytest.raises(PatternError, match=message):
        parse_pattern(text).values()


@pytest.mark.parametrize(
    ("text", "width", "message"),
    [
        ("lane - 1", 1, "byte offset -1 of lane 0 is negative"),
        ("lane * 2", 4, "byte offset 2 of lane 1 is not a multiple"),
        ("2**32", 4, "beyond 32 bits"),
        ("lane", 3, "width 3"),
    ],
)
def test_offsets_a_gpu_would_refuse(text: str, width: int, message: str) -> None:
    with pytest.raises(PatternError, match=message):
        parse_pattern(text).offsets(width)


@pytest.mark.parametrize("text", ["", "   ", "1+" * 200 + "1", "-" * 299 + "x"])
def test_empty_and_long_texts_are_refused(text: str) -> None:
    with pytest.raises(PatternError, match="address pattern"):
        parse_pattern(text)


def test_nesting_is_answered_or_refused() -> None:
    assert parse_pattern("-" * 200 + "lane").values()[3] == 3
    with pytest.raises(PatternError):
        parse_pattern("(" * 250 + "lane")


@given(st.text(alphabet="lane0123456789+-*/%<>&|^~() ifelsmxb,'.[]=", max_size=60))
def test_any_text_is_answered_or_refused_quickly(text: str) -> None:
    began = time.perf_counter()
    with contextlib.suppress(PatternError):
        assert len(parse_pattern(text).values()) == 32
    assert time.perf_counter() - began < 1


@pytest.mark.parametrize(
    ("text", "mask"), [("0xFFFF", 0xFFFF), ("0b101", 5), ("4294967295", 2**32 - 1)]
)
def test_lane_mask(text: str, mask: int) -> None:
    assert parse_lane_mask(text) == mask


@pytest.mark.parametrize("text", ["0", "0x1FFFFFFFF", "-1", "all", ""])
def test_bad_lane_mask(text: str) -> None:
    with pytest.raises(PatternError, match="lane mask"):
        parse_lane_mask(text)
