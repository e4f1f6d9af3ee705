"""The loop over a batch of events."""

from __future__ import annotations

import numpy as np

from simulator.memory.copies import count_copy, is_source_of
from simulator.memory.jit import compiled
from simulator.memory.memo import (
    EVENT_WORDS,
    INSTRUCTION,
    MASK,
    SPACE_WARP,
    Memo,
    Words,
    count_plain,
)
from simulator.memory.request import ACCESS, ASYNC, RULE, SHARED
from simulator.memory.shapes import spread_mask

NO_ERROR = -1


@compiled
def drop_pending(memo: Memo) -> None:
    """Count a waiting target whose source never came: a copy that only writes zeros."""
    if memo.is_pending[0]:
        memo.is_pending[0] = 0
        target = memo.pending
        spread_mask(np.int64(target[MASK]), memo.spread[0])
        access = np.int64(memo.table[np.int64(target[INSTRUCTION]), ACCESS])
        count_plain(memo, access, target, memo.spread[0])


@compiled
def count_pending(memo: Memo, access: int, row: Words) -> None:
    """Count the waiting target with its source ``row``."""
    memo.is_pending[0] = 0
    spread_mask(np.int64(memo.pending[MASK]), memo.spread[0])
    spread_mask(np.int64(row[MASK]), memo.spread[1])
    count_copy(memo, access, memo.pending, row)


@compiled
def consume(words: Words, memo: Memo) -> int:
    """Count a batch, one event a row of words; the row that names no memory instruction, or -1."""
    mask = np.int64(0)
    spread = memo.spread[0]
    for index in range(words.shape[0]):
        row = words[index]
        instruction = np.int64(row[INSTRUCTION])
        if instruction >= memo.table.shape[0] or memo.table[instruction, ACCESS] < 0:
            return index
        access = np.int64(memo.table[instruction, ACCESS])
        if memo.is_pending[0]:
            mask = 0
            if is_source_of(memo.pending, row):
                count_pending(memo, access, row)
                continue
            drop_pending(memo)
        if row[MASK] == 0:
            continue
        if memo.table[instruction, RULE] >= ASYNC and row[SPACE_WARP] & 0xFFFF == SHARED:
            for word in range(EVENT_WORDS):
                memo.pending[word] = row[word]
            memo.is_pending[0] = 1
            continue
        if row[MASK] != mask:
            mask = np.int64(row[MASK])
            spread_mask(mask, spread)
        count_plain(memo, access, row, spread)
    return NO_ERROR
