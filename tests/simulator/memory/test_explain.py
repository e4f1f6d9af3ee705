"""Every sentence about a request must be short and true."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from request_patterns import FULL, requests

from simulator.memory.count import count_shared
from simulator.memory.explain import MOST_CHARACTERS, explain

Request = tuple[list[int], int, int]
LANES = range(32)


@pytest.mark.parametrize(
    ("offsets", "width", "op", "text"),
    [
        ([0] * 32, 4, "load", "all lanes on one word (broadcast)"),
        ([4 * n for n in LANES], 4, "load", "32 distinct words, conflict-free"),
        ([n // 2 * 4 for n in LANES], 4, "load", "16 distinct words, conflict-free"),
        ([n % 16 * 32 for n in LANES], 4, "load", "lanes 0-15 hit 4 banks at stride 8"),
        ([n * 128 for n in LANES], 4, "store", "lanes 0-31 hit 1 bank at stride 32"),
        ([n * 64 for n in LANES], 16, "load", "lanes 0-7 hit 8 banks at stride 16"),
        (
            [n // 8 * 512 + n % 8 * 132 for n in LANES],
            4,
            "load",
            "lanes 0,8,16,24 share bank 0 (different words)",
        ),
        ([0] * 32, 4, "atomic", "all lanes on one word (one after the other)"),
        ([n % 2 * 4 for n in LANES], 4, "atomic", "and 4 more share bank 0"),
    ],
)
def test_sentences(offsets: list[int], width: int, op: str, text: str) -> None:
    assert text in explain(offsets, FULL, width, op)


def test_no_active_lane() -> None:
    assert explain([0] * 32, 0, 4) == "no active lane"


def test_inactive_lanes_may_hold_anything() -> None:
    assert explain([0, -7] + [1 << 40] * 30, 1, 4) == "one word, conflict-free"


def banks_of(address: int, width: int) -> set[int]:
    return {byte // 4 % 32 for byte in range(address, address + width)}


def check_stride(found: re.Match[str], offsets: list[int], width: int, mask: int) -> None:
    first, last, banks, stride = (int(group) for group in found.groups())
    lanes = range(first, last + 1)
    assert all(mask >> lane & 1 for lane in lanes)
    touched = set().union(*(banks_of(offsets[lane], width) for lane in lanes))
    assert len(touched) == banks
    words = [offsets[lane] // max(width, 4) * max(width, 4) // 4 for lane in lanes]
    assert all(later - earlier == stride for earlier, later in pairwise(words))
    assert len(set(words)) * max(1, width // 4) > banks


def check_bank(found: re.Match[str], offsets: list[int], width: int, mask: int) -> None:
    lanes = [int(lane) for lane in found.group(1).split(",")]
    low = int(found.group(3))
    high = int(found.group(4) or low)
    assert all(mask >> lane & 1 for lane in lanes)
    assert all(banks_of(offsets[lane], width) <= set(range(low, high + 1)) for lane in lanes)
    assert len({offsets[lane] // max(width, 4) for lane in lanes}) == len(lanes)


@settings(max_examples=300)
@given(requests(), st.sampled_from(["load", "store"]))
def test_sentences_are_short_and_true(request: Request, op: str) -> None:
    offsets, width, mask = request
    text = explain(offsets, mask, width, op)
    assert len(text) <= MOST_CHARACTERS
    conflicts = count_shared(offsets, width, op, mask).bank_conflicts
    units = {offsets[lane] // max(width, 4) for lane in LANES if mask >> lane & 1}
    if stride := re.fullmatch(r"lanes (\d+)-(\d+) hit (\d+) banks? at stride (-?\d+)", text):
        check_stride(stride, offsets, width, mask)
        assert conflicts > 0
    elif bank := re.fullmatch(
        r"lanes ([\d,]+)( and \d+ more)? share banks? (\d+)(?:-(\d+))? \(different words\)", text
    ):
        check_bank(bank, offsets, width, mask)
        assert conflicts > 0
    elif text.endswith("(broadcast)"):
        assert len(units) == 1
        assert conflicts == 0
    else:
        assert text.endswith("conflict-free")
        assert text.startswith("one " if len(units) == 1 else f"{len(units)} distinct ")
        assert conflicts == 0
