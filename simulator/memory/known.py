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
    Memo,
    Words,
    find_access,
    find_shape,
)

Rows = NDArray[np.int64]


@inlined
def count_if_known(memo: Memo, words: Words, row: int, access: int) -> bool:
    """Count the event and say so, or leave it to a learner."""
    if memo.table[int64(words[row, INSTRUCTION]), RULE] >= ASYNC:
        return False
    slot = find_shape(memo, words, row, access)
    if slot < 0 or memo.leaders[slot] > FULL:
        return False
    memo.hits[slot] += 1
    leaders = memo.leaders[slot]
    if leaders:
        wavefronts = output_wavefronts(words[row, ADDRESSES:], leaders)
        memo.totals[access, OUTPUT_WAVEFRONTS] += wavefronts
    return True


@compiled
def count_known(words: Words, memo: Memo, unknown: Rows) -> int:
    """Count a batch, one event a row of words, and list the rows left in ``unknown``.

    Returns how many are left; ``~row`` if the event in a row names no memory instruction.
    """
    left = 0
    for row in range(words.shape[0]):
        access = find_access(memo, words, row)
        if access < 0:
            return ~row
        if words[row, MASK] != 0 and not count_if_known(memo, words, row, access):
            unknown[left] = row
            left += 1
    return left
