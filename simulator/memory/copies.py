"""Asynchronous copies in the event stream: a shared target and a global source make one request."""

from __future__ import annotations

import numpy as np

from simulator.jit import compiled, inlined, int64, step
from simulator.memory.async_copy import count_cached, count_cached_hardware
from simulator.memory.bypass_copy import count_bypass
from simulator.memory.fields import (
    BANK_CONFLICTS,
    GLOBAL_IDEAL,
    GLOBAL_SECTORS,
    OUTPUT_WAVEFRONTS,
    SHARED_HARDWARE,
    SHARED_IDEAL,
    SHARED_PAGE,
    SHARED_REQUESTS,
)
from simulator.memory.global_memory import output_wavefronts
from simulator.memory.known import Rows
from simulator.memory.lanes import Addresses
from simulator.memory.learn_global import fill_sectors
from simulator.memory.lower import ACCESS, ASYNC, BYPASS, GLOBAL, RULE, SHARED, WIDTH
from simulator.memory.memo import (
    ADDRESSES,
    BLOCK,
    EVENT_WORDS,
    FIRST,
    FIRST_MASK,
    FIRST_ROW,
    GLOBAL_GRAIN,
    HASH_SHIFT,
    INSTRUCTION,
    KIND,
    MASK,
    PAIR,
    SECOND,
    SECOND_MASK,
    SPACE_WARP,
    WAYS,
    Memo,
    Words,
    claim_shape,
    find_access,
    find_base,
    find_space,
    note_worst,
)
from simulator.memory.vector import LANES, hash_row, move_row, row_equals


@inlined
def keep_target(memo: Memo, words: Words, row: int) -> None:
    """Let a target event wait for its source, maybe into the next batch."""
    for word in range(EVENT_WORDS):
        memo.pending[0, word] = words[row, word]
    memo.is_pending[0] = 1


@step
def is_source(memo: Memo, words: Words, row: int) -> bool:
    """Whether the event in a row is the source that the waiting target belongs to."""
    return bool(
        words[row, INSTRUCTION] == memo.pending[0, INSTRUCTION]
        and words[row, BLOCK] == memo.pending[0, BLOCK]
        and words[row, SPACE_WARP] >> 16 == memo.pending[0, SPACE_WARP] >> 16
        and words[row, SPACE_WARP] & 0xFFFF == GLOBAL
    )


@step
def complete_sources(memo: Memo, sources: Addresses, targets: Addresses, idle: int) -> None:
    """Write the memo's sources: idle lanes, which write zeros unread, repeat their target."""
    for lane in range(LANES):
        memo.sources[lane] = targets[lane] if (idle >> lane) & 1 else sources[lane]


@step
def fill_source(memo: Memo, slot: int, width: int, source_mask: int) -> None:
    """Global counts of a copy but its output wavefronts."""
    sources = memo.shapes[slot, SECOND : SECOND + LANES]
    counts = memo.counts[slot]
    memo.leaders[slot] = fill_sectors(counts, sources, source_mask, width)
    counts[SHARED_REQUESTS] = 1


@step
def fill_bypass(memo: Memo, slot: int, source_mask: int) -> None:
    """Counts in which a copy that bypasses L1 differs."""
    targets = memo.shapes[slot, FIRST : FIRST + LANES]
    sources = memo.shapes[slot, SECOND : SECOND + LANES]
    page, ideal, sectors, sectors_ideal = count_bypass(targets, sources, source_mask)
    counts = memo.counts[slot]
    counts[SHARED_PAGE] = page
    counts[SHARED_IDEAL] = ideal
    counts[GLOBAL_SECTORS] = sectors
    counts[GLOBAL_IDEAL] = sectors_ideal


@step
def fill_cached(memo: Memo, slot: int, width: int, mask: int) -> None:
    """Shared counts of a copy through L1; hardware as if its lines came in one round."""
    targets = memo.shapes[slot, FIRST : FIRST + LANES]
    page, ideal, hardware, conflicts = count_cached(targets, memo.sources, mask, width)
    counts = memo.counts[slot]
    counts[SHARED_PAGE] = page
    counts[SHARED_IDEAL] = ideal
    counts[SHARED_HARDWARE] = hardware
    counts[BANK_CONFLICTS] = conflicts


@step
def learn_copy(
    memo: Memo, access: int, slot: int, words: Words, row: int, to_base: int, from_base: int
) -> None:
    """Put a copy's shape and counts in ``slot``."""
    mask = int64(memo.pending[0, MASK])
    source_mask = int64(words[row, MASK])
    instruction = int64(words[row, INSTRUCTION])
    claim_shape(memo, access, slot, PAIR, mask, source_mask)
    move_row(memo.pending, 0, ADDRESSES, np.uint32(to_base), mask, memo.shapes, slot, FIRST)
    move_row(words, row, ADDRESSES, np.uint32(from_base), source_mask, memo.shapes, slot, SECOND)
    targets = memo.shapes[slot, FIRST : FIRST + LANES]
    sources = memo.shapes[slot, SECOND : SECOND + LANES]
    fill_source(memo, slot, int64(memo.table[instruction, WIDTH]), source_mask)
    if memo.table[instruction, RULE] == BYPASS:
        fill_bypass(memo, slot, source_mask)
    else:
        complete_sources(memo, sources, targets, mask & ~source_mask)
        fill_cached(memo, slot, int64(memo.table[instruction, WIDTH]), mask)
    if note_worst(memo, access, slot, memo.pending[0, ADDRESSES:], mask):
        memo.worst_source_mask[access] = source_mask
        for lane in range(LANES):
            source = words[row, ADDRESSES + lane]
            memo.worst_sources[access, lane] = source if (source_mask >> lane) & 1 else 0


@inlined
def is_same_copy(
    memo: Memo, slot: int, words: Words, row: int, to_base: int, from_base: int
) -> bool:
    """Whether the copy has the shape in ``slot``."""
    mask = int64(memo.pending[0, MASK])
    source_mask = int64(words[row, MASK])
    shapes = memo.shapes
    return bool(
        shapes[slot, KIND] == PAIR
        and shapes[slot, FIRST_MASK] == mask
        and shapes[slot, SECOND_MASK] == source_mask
        and row_equals(memo.pending, 0, ADDRESSES, np.uint32(to_base), mask, shapes, slot, FIRST)
        and row_equals(
            words, row, ADDRESSES, np.uint32(from_base), source_mask, shapes, slot, SECOND
        )
    )


@step
def count_copy(memo: Memo, access: int, words: Words, row: int) -> None:
    """Count the waiting target together with its source in a row of words."""
    memo.is_pending[0] = 0
    mask = int64(memo.pending[0, MASK])
    source_mask = int64(words[row, MASK])
    to_base = find_base(memo.pending, FIRST_ROW, mask, GLOBAL_GRAIN)
    from_base = find_base(words, row, source_mask, GLOBAL_GRAIN)
    to_hash = hash_row(memo.pending, 0, ADDRESSES, np.uint32(to_base), mask)
    from_hash = hash_row(words, row, ADDRESSES, np.uint32(from_base), source_mask)
    slot = access * WAYS + ((to_hash ^ from_hash) >> HASH_SHIFT)
    if not is_same_copy(memo, slot, words, row, to_base, from_base):
        learn_copy(memo, access, slot, words, row, to_base, from_base)
    memo.hits[slot] += 1
    wavefronts = output_wavefronts(words[row, ADDRESSES:], memo.leaders[slot])
    memo.totals[access, OUTPUT_WAVEFRONTS] += wavefronts
    if wavefronts > 1 and memo.table[int64(words[row, INSTRUCTION]), RULE] == ASYNC:
        add_rounds(memo, access, slot, words, row)


@step
def add_rounds(memo: Memo, access: int, slot: int, words: Words, row: int) -> None:
    """Correct the hardware wavefronts of a copy whose lines queue at a tag bank."""
    mask = int64(memo.pending[0, MASK])
    targets = memo.pending[0, ADDRESSES:]
    idle = mask & ~int64(words[row, MASK])
    complete_sources(memo, words[row, ADDRESSES:], targets, idle)
    width = int64(memo.table[int64(words[row, INSTRUCTION]), WIDTH])
    wavefronts, conflicts = count_cached_hardware(targets, memo.sources, mask, width)
    memo.totals[access, SHARED_HARDWARE] += wavefronts - memo.counts[slot, SHARED_HARDWARE]
    memo.totals[access, BANK_CONFLICTS] += conflicts - memo.counts[slot, BANK_CONFLICTS]


@compiled
def drop_target(memo: Memo) -> None:
    """Count a waiting target whose source never came: a copy that only writes zeros.

    Not measured; taken as a copy whose source banks are its target banks.
    """
    if not memo.is_pending[0]:
        return
    memo.is_pending[0] = 0
    instruction = int64(memo.pending[0, INSTRUCTION])
    access = int64(memo.table[instruction, ACCESS])
    mask = int64(memo.pending[0, MASK])
    memo.totals[access, SHARED_REQUESTS] += 1
    if memo.table[instruction, RULE] == ASYNC:
        targets = memo.pending[0, ADDRESSES:]
        width = int64(memo.table[instruction, WIDTH])
        page, ideal, hardware, conflicts = count_cached(targets, targets, mask, width)
        memo.totals[access, SHARED_PAGE] += page
        memo.totals[access, SHARED_IDEAL] += ideal
        memo.totals[access, SHARED_HARDWARE] += hardware
        memo.totals[access, BANK_CONFLICTS] += conflicts


@compiled
def learn_copies(words: Words, rows: Rows, memo: Memo) -> int:
    """Both sides of asynchronous copies; a target may wait into the next batch."""
    counted = 0
    for row in rows:
        if memo.table[int64(words[row, INSTRUCTION]), RULE] < ASYNC:
            continue
        counted += 1
        if memo.is_pending[0] and is_source(memo, words, row):
            count_copy(memo, find_access(memo, words, row), words, row)
            continue
        drop_target(memo)
        if find_space(words, row) != SHARED:
            return -1
        keep_target(memo, words, row)
    return counted
