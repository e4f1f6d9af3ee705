"""The first pass over a batch: requests whose shape is known, in a few nanoseconds each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.jit import compiled, inlined, int64
from simulator.memory.fields import OUTPUT_WAVEFRONTS
from simulator.memory.global_memory import output_wavefronts
from simulator.memory.lanes import FULL
from simulator.memory.lower import ASYNC, RULE
from simulator.memory.memo import (
    ADDRESSES,
    INSTRUCTION,
    MASK,
    SHAPE_WORDS,
    Memo,
    Words,
    find_access,
    has_shape,
    place_of_shape,
)  # fmt: skip
from simulator.memory.prefetching import prefetch

Rows = NDArray[np.int64]


@inlined
def _fetch_ahead(memo: Memo, words: Words, row: int, places: Rows) -> None:
    """Note where an event's shape may be, and fetch it: unrolled code comes by thousands of shapes
    before it meets one again."""
    access = find_access(memo, words, row)
    if access >= 0 and words[row, MASK] != 0:
        slot = place_of_shape(memo, words, row, access)
        places[row % len(places)] = slot
        prefetch(memo.hits, slot)
        prefetch(memo.leaders, slot)
        for line in range(3):
            prefetch(memo.shapes, slot * SHAPE_WORDS + 16 * line)


@inlined
def count_if_known(memo: Memo, words: Words, row: int, access: int, slot: int) -> bool:
    """Count the event and say so, or leave it to a learner."""
    if memo.table[int64(words[row, INSTRUCTION]), RULE] >= ASYNC:
        return False
    if not has_shape(memo, words, row, slot) or memo.leaders[slot] > FULL:
        return False
    memo.hits[slot] += 1
    leaders = memo.leaders[slot]
    if leaders:
        wavefronts = output_wavefronts(words[row, ADDRESSES:], leaders)
        memo.totals[access, OUTPUT_WAVEFRONTS] += wavefronts
    return True


@compiled
def count_known(words: Words, memo: Memo, unknown: Rows, places: Rows) -> int:
    """Count a batch, one event a row of words, and list the rows left in ``unknown``.

    ``places`` is scratch, as many entries as events are looked at ahead. Returns how many are left;
    ``~row`` if the event in a row names no memory instruction.
    """
    left, ahead = 0, len(places)
    for row in range(min(ahead, len(words))):
        _fetch_ahead(memo, words, row, places)
    for row in range(len(words)):
        slot = places[row % ahead]
        if row + ahead < len(words):
            _fetch_ahead(memo, words, row + ahead, places)
        access = find_access(memo, words, row)
        if access < 0:
            return ~row
        if words[row, MASK] != 0 and not count_if_known(memo, words, row, access, slot):
            unknown[left] = row
            left += 1
    return left
