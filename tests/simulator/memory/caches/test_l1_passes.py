"""Which lines of L1 stay that are used again and again, as measured on an NVIDIA H200."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from test_l1 import L1, LINES

from simulator.device import load_device
from simulator.memory.caches.machine import machine_of
from validation import microbench

RECORD = json.loads((Path(microbench.__file__).parent / "h200_l1_passes.json").read_text())
# 132 KiB and what a block has besides need the next larger of the splits.
ROOM = {"0": LINES, "132": machine_of(load_device("h200"), 164 * 1024).l1_bytes // 128}
NOISE = 64  # lines that the probe itself takes: it stores what it finds


def _pass(number: int, step: int, uses: int, once: int, count: int) -> Iterator[tuple[int, bool]]:
    """The lines of a pass, and of which is asked whether they are there."""
    for first in range(0, count, 8):
        for use in range(uses):
            yield from ((step * line, use == 0) for line in range(first, first + 8))
        fresh = (1 << 20) + (number * count + first) // 8 * once
        yield from ((line, False) for line in range(fresh, fresh + once))


def _lost_in_passes(room: int, *way: int) -> list[int]:
    l1, lost = L1(room), []
    for number in range(5):
        lines, asked = (np.array(column) for column in zip(*_pass(number, *way), strict=True))
        lost.append(int((l1.use(lines.tolist())[asked] == 0).sum()))
    return lost


def _errors() -> Iterator[float]:
    """How far the lines lost in passes but the first are off, as a share of all."""
    for name, lost in RECORD["passes"].items():
        shared, *way = name.split("-")
        found = _lost_in_passes(ROOM[shared], *map(int, way))
        assert found[0] == lost[0]
        yield abs(np.mean(found[1:]) - np.mean(lost[1:])) / int(way[-1])


def test_lines_of_passes() -> None:
    """Which set gives room is not known, so not each is exact."""
    errors = list(_errors())
    assert np.mean(errors) < 0.03
    assert np.quantile(errors, 0.95) < 0.15


@pytest.mark.parametrize("sequence", RECORD["sets"])
def test_sequences_of_a_set(sequence: str) -> None:
    """Capitals come again, ``w`` are lines used once; lost lines behind ``?``."""
    l1, lost, fresh = L1(LINES), [], 30
    for place, name in enumerate(sequence):
        if name == "?":
            continue
        block = fresh if name == "w" else ord(name) - ord("A") + 1
        fresh += name == "w"
        hits = l1.use(range(512 * block, 512 * block + 512))
        if place and sequence[place - 1] == "?":
            lost.append(512 - int(hits.sum()))
    assert lost == pytest.approx(RECORD["sets"][sequence], abs=NOISE)
