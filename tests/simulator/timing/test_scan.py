"""The vector code that looks through a sub-core's warps, against numpy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.jit import compiled
from simulator.timing.scan import due
from simulator.timing.state import NEVER, PLACES
from simulator.timing.tables import with_lengths

Table = NDArray[np.int64]


class Pair(NamedTuple):
    """Two tables, one of which has rows of known length."""

    known: Table
    other: Table


_known_pair = with_lengths({"known": (PLACES,)})


@compiled
def look(table: Table, row: int, now: int) -> tuple[int, int]:
    return due(table, row, now)


@compiled
def add_rows(pair: Pair, row: int, place: int) -> int:
    known = _known_pair(pair)
    return int(known.known[row, place] + known.other[row, place] + known.other.shape[0])


def test_due_times_and_the_next_one() -> None:
    random = np.random.default_rng(1)
    table = random.integers(0, 50, (4, PLACES))
    table[random.random(table.shape) < 0.3] = NEVER
    table[3] = NEVER
    for row in range(4):
        for now in range(-1, 51):
            is_due = table[row] <= now
            bits = int((is_due << np.arange(PLACES)).sum())
            later = int(np.where(is_due, NEVER, table[row]).min())
            assert look(table, row, now) == (bits, later)


def test_rows_of_known_length_are_the_same_rows() -> None:
    first = np.arange(3 * PLACES).reshape(3, PLACES)
    second = np.arange(15).reshape(3, 5) * 1000
    for row in range(3):
        for place in range(5):
            wanted = first[row, place] + second[row, place] + 3
            assert add_rows(Pair(first, second), row, place) == wanted
