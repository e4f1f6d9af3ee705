"""L1 of an SM: tags of 128-byte lines in sets of four, with less room for data than tags.

Measured on an NVIDIA H200 (``validation/microbench/l1.cu``, ``h200_l1.json``), whatever the split
between L1 and shared memory:

- 512 sets of four tags, lines spread evenly over them whatever the step between them.
- Lines used a second time, by loads or stores and in whichever sector, are kept before all others:
  800 of them survive 8,000 others. Of a set that are two at most; the third pushes the one of them
  that was not used for longest back among the others, and so does each further use of one of the
  two with the other (``sets.cu``, ``passes.cu``, ``h200_l1_passes.json``).
- Of the others that which was not used for longest makes room. Where a tag is free but no room for
  data, another set's does. (Which one was not found out: the oldest of three by chance comes
  nearest.)
- What a line holds is known by the byte: a store leaves what it stored, and a load of other bytes
  of the sector fetches all of it. Here by the word, and words stored in part are not there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.device.structure import L1_DRAWN, L1_KEPT, L1_PATIENCE, L1_SETS, L1_WAYS
from simulator.jit import Int, constant, inlined, int64, step
from simulator.memory.prefetching import prefetch

Entries = NDArray[np.int64]

SETS, WAYS, KEPT = (constant(n) for n in (L1_SETS, L1_WAYS, L1_KEPT))
# A set's row: an entry a way, those kept first, each in order of use; then when each came.
ROW = constant(8)
# An entry: line, whether it is kept, words it holds.
LINE_SHIFT, KEEP, WORDS = constant(33), constant(1 << 32), constant(0xFFFFFFFF)
EMPTY = constant(-(1 << 33))
# What is counted of an SM's L1: lines it holds, lines that came, numbers drawn; and of each set the
# last entry, for a look at sets that are far apart: twice when it came, and 1 more if it is kept;
# 0 in an empty set.
USED, CAME, DRAWN, LAST = (constant(n) for n in range(4))
COUNTS = LAST + SETS
# Sets that are asked for a line used once, and how many of those found are looked at.
_PATIENCE, _CHOICE = constant(L1_PATIENCE), constant(L1_DRAWN)
_MIX = constant(2654435769)
_LOW = constant(0xFFFFFFFF)


def make_l1(count: int) -> Entries:
    """``count`` L1s one after the other, to be emptied: int64[count * SETS * ROW]."""
    return np.empty(count * int(SETS) * int(ROW), np.int64)


def empty_l1(entries: Entries, counts: NDArray[np.int64]) -> None:
    """Empty all L1s; ``counts`` is int64[L1, COUNTS]."""
    entries[:] = EMPTY
    counts[:] = 0


@inlined
def row_of(sm: int, line: int) -> int:
    """Where the row of a line's set begins.

    What a GPU does is not known. The remainder by the polynomial x^9 + x^4 + 1 spreads lines at any
    step of a power of two, and two such steps at once, evenly, as is measured, and loses about as
    many lines as measured at other steps and by chance.
    """
    folded = line
    while folded >= SETS:
        high = folded >> 9
        folded = (folded & (SETS - 1)) ^ high ^ (high << 4)
    return (sm * SETS + folded) * ROW


@inlined
def _drawn_set(sm: int, number: int) -> Int:
    """A set of an L1, by chance."""
    mixed = ((number * 131 + sm) * _MIX) & _LOW
    mixed = ((mixed ^ (mixed >> 15)) * _MIX) & _LOW
    return (mixed * SETS) >> 32


@inlined
def _note_last(entries: Entries, counts: NDArray[np.int64], sm: int, first: int) -> None:
    """Note the last entry of a set that has changed."""
    at = first + WAYS - 1
    while at > first and entries[at] == EMPTY:
        at -= 1
    last = 0
    if entries[at] != EMPTY:
        last = 2 * entries[at + WAYS] + int64(entries[at] & KEEP != 0)
    counts[sm, LAST + first // ROW - sm * SETS] = last


@inlined
def _fetch_oldest(entries: Entries, counts: NDArray[np.int64], sm: int) -> None:
    """Fetch the set that will most likely make room next."""
    best = _drawn_set(sm, counts[sm, DRAWN])
    for number in range(1, _CHOICE):
        other = _drawn_set(sm, counts[sm, DRAWN] + number)
        if counts[sm, LAST + other] < counts[sm, LAST + best]:
            best = other
    prefetch(entries, (sm * SETS + best) * ROW)


@inlined
def fetch_last(counts: NDArray[np.int64], sm: int, most: int) -> None:
    """Fetch what a full L1 will look at for a line to take out."""
    if counts[sm, USED] >= most:
        for place in range(0, COUNTS, 8):
            prefetch(counts, sm * COUNTS + place)


@step
def _give_room(entries: Entries, counts: NDArray[np.int64], sm: int) -> None:
    """Take a line out of the L1: the oldest of three by chance, of those used once if possible."""
    found, looks, best = 0, 0, int64(0)
    while found < _CHOICE and (looks < _PATIENCE or found == 0):
        drawn = _drawn_set(sm, counts[sm, DRAWN])
        last = counts[sm, LAST + drawn]
        counts[sm, DRAWN] += 1
        if last == 0:
            continue
        looks += 1
        if last & 1 and looks < _PATIENCE:
            continue
        if found == 0 or last >> 1 < counts[sm, LAST + best] >> 1:
            best = drawn
        found += 1
    first = (sm * SETS + best) * ROW
    at = first + WAYS - 1
    while entries[at] == EMPTY:
        at -= 1
    entries[at] = EMPTY
    _note_last(entries, counts, sm, first)
    _fetch_oldest(entries, counts, sm)


@step
def _use_again(entries: Entries, counts: NDArray[np.int64], sm: int, first: int, way: int) -> None:
    """Keep the line in a way as the latest, and no more than ``KEPT``; alone if it was kept."""
    most = 1 if entries[first + way] & KEEP else KEPT
    entry = entries[first + way] | KEEP
    for at in range(first + way, first, -1):
        entries[at] = entries[at - 1]
        entries[at + WAYS] = entries[at + WAYS - 1]
    entries[first] = entry
    if entries[first + most] & KEEP:
        entries[first + most] &= ~KEEP
        entries[first + most + WAYS] = counts[sm, CAME]
    _note_last(entries, counts, sm, first)


@step
def _find(
    entries: Entries, counts: NDArray[np.int64], sm: int, first: int, line: int, most: int
) -> Int:
    for way in range(WAYS):
        if entries[first + way] >> LINE_SHIFT == line:
            _use_again(entries, counts, sm, first, way)
            return first
    if entries[first + WAYS - 1] == EMPTY:
        if counts[sm, USED] < most:
            counts[sm, USED] += 1
        else:
            _give_room(entries, counts, sm)
    place = first
    while entries[place] & KEEP:
        place += 1
    for at in range(first + WAYS - 1, place, -1):
        entries[at] = entries[at - 1]
        entries[at + WAYS] = entries[at + WAYS - 1]
    counts[sm, CAME] += 1
    entries[place] = line << LINE_SHIFT
    entries[place + WAYS] = counts[sm, CAME]
    _note_last(entries, counts, sm, first)
    return place


@inlined
def bring(entries: Entries, counts: NDArray[np.int64], sm: int, line: int, most: int) -> Int:
    """Use a line of an L1 with room for ``most``; the place of its entry."""
    first = row_of(sm, line)
    entry = entries[first]
    if entry >> LINE_SHIFT == line and entry & KEEP and entries[first + 1] & KEEP == 0:
        return first
    return _find(entries, counts, sm, first, line, most)
