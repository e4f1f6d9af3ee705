"""The loop over a batch of events."""

from __future__ import annotations

import numpy as np

from simulator.memory.copies import count_copy, is_source, keep_target
from simulator.memory.jit import compiled
from simulator.memory.memo import INSTRUCTION, MASK, SPACE_WARP, Memo, Words, count_plain
from simulator.memory.request import ACCESS, ASYNC, RULE, SHARED

NO_ERROR = -1


@compiled
def drop_pending(memo: Memo) -> None:
    """Count a waiting target whose source never came: a copy that only writes zeros."""
    if memo.is_pending[0]:
        memo.is_pending[0] = 0
        access = np.int64(memo.table[np.int64(memo.pending[0, INSTRUCTION]), ACCESS])
        count_plain(memo, access, memo.pending, 0)


@compiled
def consume(words: Words, memo: Memo) -> int:
    """Count a batch, one event a row of words; the row that names no memory instruction, or -1."""
    for row in range(words.shape[0]):
        instruction = np.int64(words[row, INSTRUCTION])
        if instruction >= memo.table.shape[0] or memo.table[instruction, ACCESS] < 0:
            return row
        access = np.int64(memo.table[instruction, ACCESS])
        if words[row, MASK] == 0:
            continue
        if memo.is_pending[0]:
            if is_source(memo, words, row):
                count_copy(memo, access, words, row)
                continue
            drop_pending(memo)
        if memo.table[instruction, RULE] >= ASYNC and words[row, SPACE_WARP] & 0xFFFF == SHARED:
            keep_target(memo, words, row)
        else:
            count_plain(memo, access, words, row)
    return NO_ERROR
