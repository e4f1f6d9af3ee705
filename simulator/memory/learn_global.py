"""The second pass over a batch: new shapes of global memory.

Each learner is compiled when a kernel first needs it. It visits the rows that the first pass left,
picks its own, applies the rules to shapes it has not seen, and returns how many rows it counted.
"""

from __future__ import annotations

from simulator.jit import compiled, inlined, int64, step
from simulator.memory.fields import (
    GLOBAL_BYTES,
    GLOBAL_IDEAL,
    GLOBAL_REQUESTS,
    GLOBAL_SECTORS,
    GLOBAL_TAGS,
    OUTPUT_WAVEFRONTS,
    SECTORS_HARDWARE,
    TAGS_HARDWARE,
    Counts,
)
from simulator.memory.global_memory import (
    all_distinct,
    count_atomic_hardware,
    count_global,
    distinct_bytes,
    output_wavefronts,
    output_wavefronts_atomic,
)
from simulator.memory.known import Rows
from simulator.memory.lanes import FULL, Addresses
from simulator.memory.lower import ATOMIC, CAST_SPIN, GLOBAL, RULE, STORE, WIDTH
from simulator.memory.memo import (
    ADDRESSES,
    FIRST,
    MASK,
    Memo,
    Words,
    find_access,
    find_or_learn,
    find_space,
    get_static,
)
from simulator.memory.vector import LANES

NEEDS_ATOMIC_OUTPUT = FULL + 1  # in a shape's leaders: output wavefronts are the learner's work


@step
def fill_sectors(counts: Counts, addresses: Addresses, mask: int, width: int) -> int:
    """Write the global counts of one request but its output wavefronts; its lines' leaders."""
    sectors, ideal, tags, leaders = count_global(addresses, mask, width)
    counts[GLOBAL_REQUESTS] = 1
    counts[GLOBAL_SECTORS] = sectors
    counts[GLOBAL_IDEAL] = ideal
    counts[GLOBAL_TAGS] = tags
    counts[GLOBAL_BYTES] = distinct_bytes(addresses, mask, width)
    counts[SECTORS_HARDWARE] = sectors
    counts[TAGS_HARDWARE] = tags
    return leaders


@step
def fill_global(memo: Memo, slot: int, width: int, mask: int) -> None:
    """Write the counts of a global load or store and the leaders of its lines."""
    shape = memo.shapes[slot, FIRST : FIRST + LANES]
    counts = memo.counts[slot]
    leaders = fill_sectors(counts, shape, mask, width)
    if counts[GLOBAL_TAGS] == 1:
        counts[OUTPUT_WAVEFRONTS] = 1
    else:
        memo.leaders[slot] = leaders


@inlined
def count_output_plain(memo: Memo, words: Words, row: int, slot: int) -> int:
    """Output wavefronts that a load's or store's counts leave out: they depend on the place."""
    if memo.leaders[slot]:
        return output_wavefronts(words[row, ADDRESSES:], memo.leaders[slot])
    return 0


@compiled
def learn_global(words: Words, rows: Rows, memo: Memo) -> int:
    """Global loads and stores."""
    counted = 0
    for row in rows:
        if get_static(memo, words, row, RULE) > STORE or find_space(words, row) != GLOBAL:
            continue
        access = find_access(memo, words, row)
        slot = find_or_learn(memo, words, row, access)
        if slot < 0:
            slot = ~slot
            width = get_static(memo, words, row, WIDTH)
            fill_global(memo, slot, width, int64(words[row, MASK]))
        memo.hits[slot] += 1
        counted += 1
        memo.totals[access, OUTPUT_WAVEFRONTS] += count_output_plain(memo, words, row, slot)
    return counted


@inlined
def count_output(memo: Memo, words: Words, row: int, slot: int) -> int:
    """The same for an atomic."""
    if memo.leaders[slot] == NEEDS_ATOMIC_OUTPUT:
        return output_wavefronts_atomic(words[row, ADDRESSES:], int64(words[row, MASK]))
    return count_output_plain(memo, words, row, slot)


@step
def fill_global_atomic(memo: Memo, slot: int, width: int, mask: int) -> None:
    """Write the counts of a global atomic; of one line also its output wavefronts."""
    fill_global(memo, slot, width, mask)
    shape = memo.shapes[slot, FIRST : FIRST + LANES]
    if all_distinct(shape, mask):
        return
    sectors, tags = count_atomic_hardware(shape, mask)
    counts = memo.counts[slot]
    counts[SECTORS_HARDWARE] = sectors
    counts[TAGS_HARDWARE] = tags
    if memo.leaders[slot]:
        memo.leaders[slot] = NEEDS_ATOMIC_OUTPUT
    else:
        counts[OUTPUT_WAVEFRONTS] = tags


@compiled
def learn_global_atomic(words: Words, rows: Rows, memo: Memo) -> int:
    """Global atomics and reductions."""
    counted = 0
    for row in rows:
        rule = get_static(memo, words, row, RULE)
        if rule < ATOMIC or rule > CAST_SPIN or find_space(words, row) != GLOBAL:
            continue
        access = find_access(memo, words, row)
        mask = int64(words[row, MASK])
        slot = find_or_learn(memo, words, row, access)
        if slot < 0:
            slot = ~slot
            fill_global_atomic(memo, slot, get_static(memo, words, row, WIDTH), mask)
        memo.hits[slot] += 1
        counted += 1
        memo.totals[access, OUTPUT_WAVEFRONTS] += count_output(memo, words, row, slot)
    return counted
