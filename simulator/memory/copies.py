"""Asynchronous copies in the event stream: a shared target and a global source make one request."""

from __future__ import annotations

import numpy as np

from simulator.memory.async_copy import count_cached_hardware
from simulator.memory.fields import BANK_CONFLICTS, OUTPUT_WAVEFRONTS, SHARED_HARDWARE
from simulator.memory.global_memory import output_wavefronts
from simulator.memory.jit import compiled
from simulator.memory.memo import (
    ADDRESSES,
    BLOCK,
    FIRST,
    FIRST_MASK,
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
    clear_shape,
    note_worst,
)
from simulator.memory.request import ASYNC, GLOBAL, RULE, WIDTH, fill_copy
from simulator.memory.shapes import (
    GLOBAL_GRAIN,
    LANES,
    SHARED_GRAIN,
    Lanes,
    find_base,
    hash_shape,
    is_same_shape,
    store_shape,
)


@compiled
def is_source_of(target: Lanes, row: Lanes) -> bool:
    """Whether ``row`` is the source event that belongs to a waiting target event."""
    return (
        row[INSTRUCTION] == target[INSTRUCTION]
        and row[BLOCK] == target[BLOCK]
        and row[SPACE_WARP] >> 16 == target[SPACE_WARP] >> 16
        and row[SPACE_WARP] & 0xFFFF == GLOBAL
    )


@compiled
def fill_idle_sources(targets: Lanes, sources: Lanes, idle: int) -> None:
    """Lanes that write zeros have no source; their target's banks stand in for it."""
    for lane in range(LANES):
        if (idle >> lane) & 1:
            sources[lane] = targets[lane]


@compiled
def learn_copy(
    memo: Memo,
    access: int,
    slot: int,
    target: Lanes,
    source: Lanes,
    target_base: np.uint32,
    source_base: np.uint32,
) -> None:
    """Put a copy's shape and counts in ``slot``."""
    mask = np.int64(target[MASK])
    source_mask = np.int64(source[MASK])
    instruction = np.int64(target[INSTRUCTION])
    clear_shape(memo, access, slot, PAIR, mask, source_mask)
    targets = memo.shapes[slot, FIRST : FIRST + LANES]
    sources = memo.shapes[slot, SECOND : SECOND + LANES]
    store_shape(target[ADDRESSES:], target_base, memo.spread[0], targets)
    store_shape(source[ADDRESSES:], source_base, memo.spread[1], sources)
    whole_sources = sources.copy()
    fill_idle_sources(targets, whole_sources, mask & ~source_mask)
    memo.leaders[slot] = fill_copy(
        memo.table[instruction, RULE],
        memo.table[instruction, WIDTH],
        targets,
        whole_sources,
        mask,
        source_mask,
        memo.work,
        memo.counts[slot],
    )
    note_worst(memo, access, slot, target[ADDRESSES:], mask)


@compiled
def is_same_copy(
    memo: Memo,
    slot: int,
    target: Lanes,
    source: Lanes,
    target_base: np.uint32,
    source_base: np.uint32,
) -> bool:
    """Whether the copy has the shape in ``slot``."""
    known = memo.shapes[slot]
    if (
        known[KIND] != PAIR
        or known[FIRST_MASK] != target[MASK]
        or known[SECOND_MASK] != source[MASK]
    ):
        return False
    first = known[FIRST : FIRST + LANES]
    second = known[SECOND : SECOND + LANES]
    return is_same_shape(target[ADDRESSES:], target_base, memo.spread[0], first) and is_same_shape(
        source[ADDRESSES:], source_base, memo.spread[1], second
    )


@compiled
def count_copy(memo: Memo, access: int, target: Lanes, source: Lanes) -> None:
    """Count a copy; the memo's spread masks are those of the target and the source."""
    target_base = find_base(target[ADDRESSES:], np.int64(target[MASK]), SHARED_GRAIN)
    source_base = find_base(source[ADDRESSES:], np.int64(source[MASK]), GLOBAL_GRAIN)
    target_hash = np.int64(hash_shape(target[ADDRESSES:], target_base, memo.spread[0]))
    source_hash = np.int64(hash_shape(source[ADDRESSES:], source_base, memo.spread[1]))
    slot = access * WAYS + ((target_hash ^ source_hash) >> HASH_SHIFT)
    if not is_same_copy(memo, slot, target, source, target_base, source_base):
        learn_copy(memo, access, slot, target, source, target_base, source_base)
    memo.hits[slot] += 1
    wavefronts = output_wavefronts(source[ADDRESSES:], memo.leaders[slot])
    memo.totals[access, OUTPUT_WAVEFRONTS] += wavefronts
    if wavefronts > 1 and memo.table[np.int64(target[INSTRUCTION]), RULE] == ASYNC:
        add_rounds(memo, access, slot, target, source)


@compiled
def add_rounds(memo: Memo, access: int, slot: int, target: Lanes, source: Lanes) -> None:
    """Correct the hardware wavefronts of a copy whose lines queue at a tag bank."""
    sources = source[ADDRESSES:].copy()
    mask = np.int64(target[MASK])
    fill_idle_sources(target[ADDRESSES:], sources, mask & ~np.int64(source[MASK]))
    width = memo.table[np.int64(target[INSTRUCTION]), WIDTH]
    wavefronts, conflicts = count_cached_hardware(
        target[ADDRESSES:], sources, mask, width, memo.work
    )
    memo.totals[access, SHARED_HARDWARE] += wavefronts - memo.counts[slot, SHARED_HARDWARE]
    memo.totals[access, BANK_CONFLICTS] += conflicts - memo.counts[slot, BANK_CONFLICTS]
