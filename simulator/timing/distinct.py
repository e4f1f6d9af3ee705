"""The distinct numbers of a row, and where they are in it: found with a hash table, since sorting
all of a row whose numbers come again and again takes five times as long."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.jit import compiled, int64

Numbers = NDArray[np.int64]
_HASH = -7046029254386353131  # odd, so that no two numbers are mixed into one
_FREE = -1
_PLACE_BITS = 32  # of a place in a row


class Distinct(NamedTuple):
    """``numbers`` int64[d], ascending; ``first`` int64[d]: where each comes first in the row;
    ``which`` int64[n]: of each place of the row the number, as its place among ``numbers``."""

    numbers: Numbers
    first: Numbers
    which: Numbers

    def first_by(self, keys: NDArray[np.int32]) -> Numbers:
        """Where each number has its least key (int32[n], none negative), the first of several."""
        found = np.full(len(self.numbers), np.iinfo(np.int64).max)
        ordered = keys.astype(np.int64) << _PLACE_BITS | np.arange(len(keys))
        np.minimum.at(found, self.which, ordered)
        return found & (1 << _PLACE_BITS) - 1

    def united(self, bits: Numbers) -> Numbers:
        """The bits that are set in any of the values int64[n] of each number."""
        found = np.zeros(len(self.numbers), np.int64)
        np.bitwise_or.at(found, self.which, bits)
        return found


def distinct(row: Numbers) -> Distinct:
    """The distinct numbers of a row int64[n]."""
    size = max(1, 2 * len(row)).bit_length()
    table = np.full(1 << size, _FREE, np.int32)
    first, which = np.empty(len(row), np.int64), np.empty(len(row), np.int64)
    first = first[: _number(row, table, 64 - size, first, which)]
    numbers = row[first]
    order = np.argsort(numbers)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return Distinct(numbers[order], first[order], rank[which])


def find_places(numbers: Numbers, wanted: Numbers) -> Numbers:
    """Where the ``wanted`` numbers are among ``numbers``, both ascending and distinct; -1: not."""
    found = np.empty(len(wanted), np.int64)
    _find_equal(numbers, wanted, found)
    return found


@compiled
def _number(
    row: Numbers, table: NDArray[np.int32], shift: int, first: Numbers, which: Numbers
) -> int:
    """Number the distinct numbers of a row in the order in which they come; returns how many there
    are. ``table`` has a free place for each, and for as many more."""
    count = int64(0)
    for place in range(len(row)):
        slot = int64(np.uint64(row[place] * _HASH) >> np.uint64(shift))
        while table[slot] != _FREE and row[first[table[slot]]] != row[place]:
            slot = (slot + 1) & (len(table) - 1)
        if table[slot] == _FREE:
            table[slot] = count
            first[count] = place
            count += 1
        which[place] = table[slot]
    return count


@compiled
def _find_equal(numbers: Numbers, wanted: Numbers, found: Numbers) -> None:
    place = 0
    for index in range(len(wanted)):
        while place < len(numbers) and numbers[place] < wanted[index]:
            place += 1
        is_there = place < len(numbers) and numbers[place] == wanted[index]
        found[index] = place if is_there else -1
