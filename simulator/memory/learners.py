"""The second pass over a batch: new shapes, one function a family of rules.

Each family is compiled when a kernel first needs it. A learner visits the rows that the first pass
left, picks its own, and applies the rules to shapes it has not seen.
"""

from __future__ import annotations

from simulator.memory.atomics import (
    count_atomic,
    count_cas,
    count_cast_spin,
    count_popc_inc,
)
from simulator.memory.fields import (
    BANK_CONFLICTS,
    GLOBAL_IDEAL,
    GLOBAL_REQUESTS,
    GLOBAL_SECTORS,
    GLOBAL_TAGS,
    LOCAL_REQUESTS,
    LOCAL_SECTORS,
    LOCAL_TAGS,
    OUTPUT_WAVEFRONTS,
    SECTORS_HARDWARE,
    SHARED_HARDWARE,
    SHARED_IDEAL,
    SHARED_PAGE,
    SHARED_REQUESTS,
    TAGS_HARDWARE,
    Counts,
)
from simulator.memory.global_memory import (
    all_distinct,
    count_atomic_hardware,
    count_global,
    output_wavefronts,
    output_wavefronts_atomic,
)
from simulator.memory.jit import compiled, inlined, int64, step
from simulator.memory.known import Rows
from simulator.memory.lanes import FULL
from simulator.memory.local import count_local
from simulator.memory.lower import (
    ATOMIC,
    CAS,
    CAST_SPIN,
    GLOBAL,
    LOAD,
    LOCAL,
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
    INSTRUCTION,
    MASK,
    Memo,
    Words,
    find_access,
    find_shape,
    find_space,
    learn_shape,
    note_worst,
)
from simulator.memory.shared import count_load_store
from simulator.memory.vector import LANES

NEEDS_ATOMIC_OUTPUT = FULL + 1  # in a shape's leaders: output wavefronts are the learner's work


@inlined
def get_static(memo: Memo, words: Words, row: int, column: int) -> int:
    """A column of the lowered table for an event's instruction."""
    return int64(memo.table[int64(words[row, INSTRUCTION]), column])


@inlined
def find_or_learn(memo: Memo, words: Words, row: int, access: int) -> int:
    """The place of an event's shape; ``~place`` if it is new and its counts are to be filled."""
    slot = find_shape(memo, words, row, access)
    if slot < 0:
        learn_shape(memo, words, row, access, ~slot)
    return slot


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


@step
def fill_global(memo: Memo, slot: int, width: int, mask: int) -> None:
    """Write the counts of a global load or store and the leaders of its lines."""
    shape = memo.shapes[slot, FIRST : FIRST + LANES]
    sectors, ideal, tags, leaders = count_global(shape, mask, width)
    counts = memo.counts[slot]
    counts[GLOBAL_REQUESTS] = 1
    counts[GLOBAL_SECTORS] = sectors
    counts[GLOBAL_IDEAL] = ideal
    counts[GLOBAL_TAGS] = tags
    counts[SECTORS_HARDWARE] = sectors
    counts[TAGS_HARDWARE] = tags
    if tags == 1:
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


@compiled
def learn_local(words: Words, rows: Rows, memo: Memo) -> int:
    """Local loads and stores."""
    counted = 0
    for row in rows:
        if find_space(words, row) != LOCAL:
            continue
        access = find_access(memo, words, row)
        slot = find_or_learn(memo, words, row, access)
        if slot < 0:
            slot = ~slot
            width = get_static(memo, words, row, WIDTH)
            shape = memo.shapes[slot, FIRST : FIRST + LANES]
            numbers = count_local(shape, int64(words[row, MASK]), width)
            memo.counts[slot, LOCAL_REQUESTS] = numbers[0]
            memo.counts[slot, LOCAL_SECTORS] = numbers[1]
            memo.counts[slot, LOCAL_TAGS] = numbers[2]
        memo.hits[slot] += 1
        counted += 1
    return counted
