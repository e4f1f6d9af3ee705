"""Asynchronous copies in the event stream: a shared target and a global source make one request."""

from __future__ import annotations

import numpy as np

from simulator.memory.async_copy import count_cached_hardware
from simulator.memory.fields import BANK_CONFLICTS, OUTPUT_WAVEFRONTS, SHARED_HARDWARE
from simulator.memory.global_memory import output_wavefronts
from simulator.memory.jit import compiled, inlined
from simulator.memory.lanes import Addresses
from simulator.memory.memo import (
    ADDRESSES,
    BLOCK,
    EVENT_WORDS,
    FIRST,
    FIRST_MASK,
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
    find_base,
    note_worst,
)
from simulator.memory.request import ASYNC, GLOBAL, RULE, WIDTH, fill_copy
from simulator.memory.vector import LANES, hash_row, move_row, row_equals


@inlined
def keep_target(memo: Memo, words: Words, row: int) -> None:
    """Let a target event wait for its source, maybe into the next batch."""
    for word in range(EVENT_WORDS):
        memo.pending[0, word] = words[row, word]
    memo.is_pending[0] = 1


@compiled
def is_source(memo: Memo, words: Words, row: int) -> bool:
    """Whether the event in a row is the source that the waiting target belongs to."""
    return bool(
        words[row, INSTRUCTION] == memo.pending[0, INSTRUCTION]
        and words[row, BLOCK] == memo.pending[0, BLOCK]
        and words[row, SPACE_WARP] >> 16 == memo.pending[0, SPACE_WARP] >> 16
        and words[row, SPACE_WARP] & 0xFFFF == GLOBAL
    )


@compiled
def complete_sources(memo: Memo, sources: Addresses, targets: Addresses, idle: int) -> None:
    """Write the memo's sources: idle lanes, which write zeros unread, repeat their target."""
    for lane in range(LANES):
        memo.sources[lane] = targets[lane] if (idle >> lane) & 1 else sources[lane]


@compiled
def learn_copy(
    memo: Memo, access: int, slot: int, words: Words, row: int, to_base: int, from_base: int
) -> None:
    """Put a copy's shape and counts in ``slot``."""
    mask = np.int64(memo.pending[0, MASK])
    source_mask = np.int64(words[row, MASK])
    instruction = np.int64(words[row, INSTRUCTION])
    claim_shape(memo, access, slot, PAIR, mask, source_mask)
    move_row(memo.pending, 0, ADDRESSES, np.uint32(to_base), mask, memo.shapes, slot, FIRST)
    move_row(
        words, row, ADDRESSES, np.uint32(from_base), source_mask, memo.shapes, slot, SECOND
    )
    targets = memo.shapes[slot, FIRST : FIRST + LANES]
    sources = memo.shapes[slot, SECOND : SECOND + LANES]
    complete_sources(memo, sources, targets, mask & ~source_mask)
    memo.leaders[slot] = fill_copy(
        np.int64(memo.table[instruction, RULE]),
        np.int64(memo.table[instruction, WIDTH]),
        targets,
        memo.sources,
        mask,
        source_mask,
        memo.counts[slot],
    )
    note_worst(memo, access, slot, memo.pending[0, ADDRESSES:], mask)


@inlined
def is_same_copy(
    memo: Memo, slot: int, words: Words, row: int, to_base: int, from_base: int
) -> bool:
    """Whether the copy has the shape in ``slot``."""
    mask = np.int64(memo.pending[0, MASK])
    source_mask = np.int64(words[row, MASK])
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


@compiled
def count_copy(memo: Memo, access: int, words: Words, row: int) -> None:
    """Count the waiting target together with its source in a row of words."""
    memo.is_pending[0] = 0
    mask = np.int64(memo.pending[0, MASK])
    source_mask = np.int64(words[row, MASK])
    to_base = find_base(memo.pending, 0, mask, GLOBAL_GRAIN)
    from_base = find_base(words, row, source_mask, GLOBAL_GRAIN)
    to_hash = hash_row(memo.pending, 0, ADDRESSES, np.uint32(to_base), mask)
    from_hash = hash_row(words, row, ADDRESSES, np.uint32(from_base), source_mask)
    slot = access * WAYS + ((to_hash ^ from_hash) >> HASH_SHIFT)
    if not is_same_copy(memo, slot, words, row, to_base, from_base):
        learn_copy(memo, access, slot, words, row, to_base, from_base)
    memo.hits[slot] += 1
    wavefronts = output_wavefronts(words[row, ADDRESSES:], memo.leaders[slot])
    memo.totals[access, OUTPUT_WAVEFRONTS] += wavefronts
    if wavefronts > 1 and memo.table[np.int64(words[row, INSTRUCTION]), RULE] == ASYNC:
        add_rounds(memo, access, slot, words, row)


@compiled
def add_rounds(memo: Memo, access: int, slot: int, words: Words, row: int) -> None:
    """Correct the hardware wavefronts of a copy whose lines queue at a tag bank."""
    mask = np.int64(memo.pending[0, MASK])
    targets = memo.pending[0, ADDRESSES:]
    idle = mask & ~np.int64(words[row, MASK])
    complete_sources(memo, words[row, ADDRESSES:], targets, idle)
    width = np.int64(memo.table[np.int64(words[row, INSTRUCTION]), WIDTH])
    wavefronts, conflicts = count_cached_hardware(targets, memo.sources, mask, width)
    memo.totals[access, SHARED_HARDWARE] += wavefronts - memo.counts[slot, SHARED_HARDWARE]
    memo.totals[access, BANK_CONFLICTS] += conflicts - memo.counts[slot, BANK_CONFLICTS]
