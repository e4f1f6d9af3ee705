"""The second pass over a batch: new shapes of shared memory.

Each learner is compiled when a kernel first needs it. It visits the rows that the first pass left,
picks its own, applies the rules to shapes it has not seen, and returns how many rows it counted.
"""

from __future__ import annotations

from simulator.jit import compiled, inlined, int64, step
from simulator.memory.atomics import count_atomic, count_cas, count_cast_spin, count_popc_inc
from simulator.memory.fields import (
    BANK_CONFLICTS,
    SHARED_HARDWARE,
    SHARED_IDEAL,
    SHARED_PAGE,
    SHARED_REQUESTS,
    Counts,
)
from simulator.memory.known import Rows
from simulator.memory.lower import (
    ATOMIC,
    CAS,
    CAST_SPIN,
    LOAD,
    MATRICES,
    MATRIX,
    POPC_INC,
    RULE,
    SHARED,
    STORE,
    WIDTH,
)
from simulator.memory.matrix import count_matrix
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
    note_worst,
)
from simulator.memory.shared import count_load_store
from simulator.memory.vector import LANES


@inlined
def fill_shared(counts: Counts, numbers: tuple[int, int, int, int, int]) -> None:
    """Write the numbers of a shared rule (hardware, conflicts, phases, page, ideal)."""
    counts[SHARED_REQUESTS] = 1
    counts[SHARED_HARDWARE] = numbers[0]
    counts[BANK_CONFLICTS] = numbers[1]
    counts[SHARED_PAGE] = numbers[3]
    counts[SHARED_IDEAL] = numbers[4]


@compiled
def learn_shared(words: Words, rows: Rows, memo: Memo) -> int:
    """Shared loads and stores."""
    counted = 0
    for row in rows:
        rule = get_static(memo, words, row, RULE)
        if rule > STORE or find_space(words, row) != SHARED:
            continue
        access = find_access(memo, words, row)
        slot = find_or_learn(memo, words, row, access)
        if slot < 0:
            slot = ~slot
            width = get_static(memo, words, row, WIDTH)
            mask = int64(words[row, MASK])
            shape = memo.shapes[slot, FIRST : FIRST + LANES]
            fill_shared(memo.counts[slot], count_load_store(shape, mask, width, rule == LOAD))
            note_worst(memo, access, slot, words[row, ADDRESSES:], mask)
        memo.hits[slot] += 1
        counted += 1
    return counted


@step
def apply_special_rule(
    memo: Memo, words: Words, row: int, slot: int
) -> tuple[int, int, int, int, int]:
    """Numbers of a shared atomic or matrix access."""
    rule = get_static(memo, words, row, RULE)
    width = get_static(memo, words, row, WIDTH)
    mask = int64(words[row, MASK])
    shape = memo.shapes[slot, FIRST : FIRST + LANES]
    if rule == MATRIX:
        return count_matrix(shape, get_static(memo, words, row, MATRICES))
    if rule == CAS:
        return count_cas(shape, mask, width)
    if rule == POPC_INC:
        return count_popc_inc(shape, mask, width)
    if rule == CAST_SPIN:
        return count_cast_spin(mask, width)
    return count_atomic(shape, mask, width)


@compiled
def learn_shared_special(words: Words, rows: Rows, memo: Memo) -> int:
    """Shared atomics and matrix accesses."""
    counted = 0
    for row in rows:
        rule = get_static(memo, words, row, RULE)
        if rule < ATOMIC or rule > MATRIX or find_space(words, row) != SHARED:
            continue
        access = find_access(memo, words, row)
        slot = find_or_learn(memo, words, row, access)
        if slot < 0:
            slot = ~slot
            fill_shared(memo.counts[slot], apply_special_rule(memo, words, row, slot))
            mask = int64(words[row, MASK])
            note_worst(memo, access, slot, words[row, ADDRESSES:], mask)
        memo.hits[slot] += 1
        counted += 1
    return counted
