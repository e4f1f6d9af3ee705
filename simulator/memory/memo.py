"""Shapes: what every instruction remembers of the requests it made.

Counts do not change when all addresses of a request move together, by any multiple of 4 bytes in
shared and local memory and of 128 bytes in global memory (but for the tag banks, see
``global_memory.tag_bank``). A *shape* is a request moved to the start of memory with its inactive
lanes zeroed. A loop's requests repeat a handful of shapes, so most events end in one comparison
and one increment. Each instruction has ``WAYS`` places for shapes, picked by a hash; a shape that
is pushed out adds its counts times its hits to the instruction's totals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.jit import compiled, constant, inlined, int64, step
from simulator.memory.fields import FIELD_COUNT, SHARED_PAGE, Counts
from simulator.memory.lanes import Addresses
from simulator.memory.lower import ACCESS, GLOBAL
from simulator.memory.vector import LANES, hash_row, lowest_lane, move_row, row_equals

Words = NDArray[np.uint32]

# Words of an EVENT record.
INSTRUCTION, MASK, SPACE_WARP, BLOCK, ADDRESSES = range(5)
EVENT_WORDS = ADDRESSES + LANES

WAY_BITS = 5
WAYS = 1 << WAY_BITS
HASH_SHIFT = 32 - WAY_BITS

# Words of a remembered shape: its kind (0: free), the masks, the addresses. Plain requests have
# the kind 1 + space and no second address row; a copy has the kind PAIR.
KIND, FIRST_MASK, SECOND_MASK, FIRST, SECOND = 0, 1, 2, 4, 4 + LANES
SHAPE_WORDS = SECOND + LANES
PAIR = constant(4)

GRAIN = constant(4)
GLOBAL_GRAIN = constant(128)
NO_LANES = constant(0)
FIRST_ROW = constant(0)


class Memo(NamedTuple):
    """Everything the loop reads and writes; first axes are accesses (A) or shapes (A * WAYS)."""

    table: NDArray[np.int32]  # lower.lower_accesses
    totals: Counts  # (A, FIELD_COUNT)
    shapes: Words  # (A * WAYS, SHAPE_WORDS)
    counts: Counts  # (A * WAYS, FIELD_COUNT) of one request
    hits: Counts  # (A * WAYS,) requests not yet in the totals
    leaders: Counts  # (A * WAYS,) first lane of each line where tag banks need real addresses
    worst: Counts  # (A,) most shared wavefronts of a request
    worst_mask: Counts  # (A,)
    worst_offsets: Words  # (A, LANES)
    worst_sources: Words  # (A, LANES) what the worst copy reads
    worst_source_mask: Counts  # (A,)
    pending: Words  # (1, EVENT_WORDS) an LDGSTS target that waits for its source
    is_pending: Counts  # (1,)
    sources: Words  # (LANES,) scratch of copies


def make_memo(table: NDArray[np.int32]) -> Memo:
    """An empty memo for a kernel's lowered accesses."""
    accesses = int(table[:, ACCESS].max(initial=-1)) + 1
    shapes = accesses * WAYS
    return Memo(
        table=table,
        totals=np.zeros((accesses, FIELD_COUNT), np.int64),
        shapes=np.zeros((shapes, SHAPE_WORDS), np.uint32),
        counts=np.zeros((shapes, FIELD_COUNT), np.int64),
        hits=np.zeros(shapes, np.int64),
        leaders=np.zeros(shapes, np.int64),
        worst=np.zeros(accesses, np.int64),
        worst_mask=np.zeros(accesses, np.int64),
        worst_offsets=np.zeros((accesses, LANES), np.uint32),
        worst_sources=np.zeros((accesses, LANES), np.uint32),
        worst_source_mask=np.zeros(accesses, np.int64),
        pending=np.zeros((1, EVENT_WORDS), np.uint32),
        is_pending=np.zeros(1, np.int64),
        sources=np.zeros(LANES, np.uint32),
    )


@compiled
def flush(memo: Memo) -> None:
    """Bring the totals up to date."""
    for slot in range(memo.hits.size):
        flush_shape(memo, slot // WAYS, slot)


@step
def flush_shape(memo: Memo, access: int, slot: int) -> None:
    """Move a shape's hits into the totals."""
    hits = memo.hits[slot]
    if hits:
        for field in range(FIELD_COUNT):
            memo.totals[access, field] += hits * memo.counts[slot, field]
        memo.hits[slot] = 0


@step
def claim_shape(memo: Memo, access: int, slot: int, kind: int, mask: int, second: int) -> None:
    """Free a place and give it to a new shape, whose addresses the caller writes."""
    flush_shape(memo, access, slot)
    for field in range(FIELD_COUNT):
        memo.counts[slot, field] = 0
    memo.leaders[slot] = 0
    memo.shapes[slot, KIND] = kind
    memo.shapes[slot, FIRST_MASK] = mask
    memo.shapes[slot, SECOND_MASK] = second


@step
def note_worst(memo: Memo, access: int, slot: int, offsets: Addresses, mask: int) -> bool:
    """Keep the request, and say so, if it has more shared wavefronts than any before."""
    wavefronts = memo.counts[slot, SHARED_PAGE]
    if wavefronts <= memo.worst[access]:
        return False
    memo.worst[access] = wavefronts
    memo.worst_mask[access] = mask
    for lane in range(LANES):
        memo.worst_offsets[access, lane] = offsets[lane] if (mask >> lane) & 1 else 0
    return True


@inlined
def find_base(words: Words, row: int, mask: int, grain: int) -> int:
    """What to subtract: the first active lane's address rounded down to the grain."""
    return int64(words[row, ADDRESSES + lowest_lane(mask)]) & -grain


@inlined
def find_access(memo: Memo, words: Words, row: int) -> int:
    """Which access of the memo an event belongs to; negative if none."""
    instruction = int64(words[row, INSTRUCTION])
    if instruction >= memo.table.shape[0]:
        return -1
    return int64(memo.table[instruction, ACCESS])


@inlined
def find_space(words: Words, row: int) -> int:
    """The event's memory space."""
    return int64(words[row, SPACE_WARP]) & 0xFFFF


@inlined
def place_of_shape(memo: Memo, words: Words, row: int, access: int) -> int:
    """The place where an event's shape is, if it is known."""
    mask = int64(words[row, MASK])
    space = find_space(words, row)
    base = np.uint32(find_base(words, row, mask, GLOBAL_GRAIN if space == GLOBAL else GRAIN))
    return access * WAYS + (hash_row(words, row, ADDRESSES, base, mask) >> HASH_SHIFT)


@inlined
def has_shape(memo: Memo, words: Words, row: int, slot: int) -> bool:
    """Whether an event's shape is the one at a place."""
    mask = int64(words[row, MASK])
    space = find_space(words, row)
    base = np.uint32(find_base(words, row, mask, GLOBAL_GRAIN if space == GLOBAL else GRAIN))
    return (
        memo.shapes[slot, KIND] == space + 1
        and memo.shapes[slot, FIRST_MASK] == mask
        and row_equals(words, row, ADDRESSES, base, mask, memo.shapes, slot, FIRST)
    )


@inlined
def find_shape(memo: Memo, words: Words, row: int, access: int) -> int:
    """The place of an event's shape; ``~place`` if another shape is there."""
    slot = place_of_shape(memo, words, row, access)
    return slot if has_shape(memo, words, row, slot) else ~slot


@step
def learn_shape(memo: Memo, words: Words, row: int, access: int, slot: int) -> None:
    """Put an event's shape in a place; the caller fills its counts."""
    mask = int64(words[row, MASK])
    space = find_space(words, row)
    base = np.uint32(find_base(words, row, mask, GLOBAL_GRAIN if space == GLOBAL else GRAIN))
    claim_shape(memo, access, slot, space + 1, mask, NO_LANES)
    move_row(words, row, ADDRESSES, base, mask, memo.shapes, slot, FIRST)


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
