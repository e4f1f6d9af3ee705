"""The loop over events: every instruction remembers the shapes it met and what they count.

A loop's requests repeat a handful of shapes, so most events end in one comparison and one
increment. Each instruction has ``WAYS`` places for shapes, picked by a hash; a shape that is
pushed out adds its counts times its hits to the instruction's totals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.memory.atomics import output_wavefronts_atomic
from simulator.memory.fields import (
    BANK_CONFLICTS,
    FIELD_COUNT,
    OUTPUT_WAVEFRONTS,
    SHARED_HARDWARE,
    SHARED_PAGE,
    Counts,
)
from simulator.memory.global_memory import output_wavefronts
from simulator.memory.groups import Addresses, Work, make_work
from simulator.memory.jit import compiled
from simulator.memory.request import (
    ACCESS,
    ASYNC,
    GLOBAL,
    MATRICES,
    RULE,
    SHARED,
    WIDTH,
    fill_copy,
    fill_global,
    fill_local,
    fill_shared,
    is_atomic,
)
from simulator.memory.shapes import (
    GLOBAL_GRAIN,
    LANES,
    SHARED_GRAIN,
    Lanes,
    find_base,
    hash_shape,
    is_same_shape,
    spread_mask,
    store_shape,
)

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
PAIR = 4

NOTHING = -1


class Memo(NamedTuple):
    """Everything the loop reads and writes; first axes are accesses (A) or shapes (A * WAYS)."""

    table: NDArray[np.int32]  # request.lower_accesses
    totals: Counts  # (A, FIELD_COUNT)
    shapes: Words  # (A * WAYS, SHAPE_WORDS)
    counts: Counts  # (A * WAYS, FIELD_COUNT) of one request
    hits: Counts  # (A * WAYS,) requests not yet in the totals
    leaders: Counts  # (A * WAYS,) mask of the first lane of each global line
    worst: Counts  # (A,) most shared wavefronts of a request
    worst_mask: Counts  # (A,)
    worst_offsets: Words  # (A, 32)
    pending: Words  # (EVENT_WORDS,) an LDGSTS target that waits for its source
    is_pending: Counts  # (1,)
    spread: Words  # (2, 32)
    work: Work


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
        pending=np.zeros(EVENT_WORDS, np.uint32),
        is_pending=np.zeros(1, np.int64),
        spread=np.zeros((2, LANES), np.uint32),
        work=make_work(),
    )


@compiled
def flush_shape(memo: Memo, access: int, slot: int) -> None:
    """Move a shape's hits into the totals."""
    hits = memo.hits[slot]
    if hits:
        for field in range(FIELD_COUNT):
            memo.totals[access, field] += hits * memo.counts[slot, field]
        memo.hits[slot] = 0


@compiled
def flush(memo: Memo) -> None:
    """Bring the totals up to date."""
    for slot in range(memo.hits.size):
        flush_shape(memo, slot // WAYS, slot)


@compiled
def note_worst(memo: Memo, access: int, slot: int, offsets: Addresses, mask: int) -> None:
    """Keep the request if it has more shared wavefronts than any before."""
    wavefronts = memo.counts[slot, SHARED_PAGE]
    if wavefronts > memo.worst[access]:
        memo.worst[access] = wavefronts
        memo.worst_mask[access] = mask
        for lane in range(LANES):
            memo.worst_offsets[access, lane] = offsets[lane] if (mask >> lane) & 1 else 0


@compiled
def fill_plain(memo: Memo, instruction: int, slot: int, space: int, mask: int) -> None:
    """Count the shape in ``slot``."""
    rule = memo.table[instruction, RULE]
    width = memo.table[instruction, WIDTH]
    shape = memo.shapes[slot, FIRST : FIRST + LANES]
    counts = memo.counts[slot]
    if space == SHARED:
        matrices = memo.table[instruction, MATRICES]
        fill_shared(rule, width, matrices, shape, mask, memo.work, counts)
    elif space == GLOBAL:
        leaders = fill_global(rule, width, shape, mask, memo.work, counts)
        memo.leaders[slot] = leaders
        if leaders & (leaders - 1) == 0:
            counts[OUTPUT_WAVEFRONTS] = count_output(rule, shape, mask, leaders, memo.work)
            memo.leaders[slot] = 0
    else:
        fill_local(width, shape, mask, memo.work, counts)


@compiled
def count_output(rule: int, addresses: Addresses, mask: int, leaders: int, work: Work) -> int:
    """Output wavefronts of a global request at its real addresses."""
    if is_atomic(rule):
        return output_wavefronts_atomic(addresses, mask, work)
    return output_wavefronts(addresses, leaders)


@compiled
def clear_shape(memo: Memo, access: int, slot: int, kind: int, mask: int, second: int) -> None:
    """Free a place and claim it for a new shape."""
    flush_shape(memo, access, slot)
    memo.counts[slot] = 0
    memo.leaders[slot] = 0
    memo.shapes[slot, KIND] = kind
    memo.shapes[slot, FIRST_MASK] = mask
    memo.shapes[slot, SECOND_MASK] = second


@compiled
def learn_plain(
    memo: Memo, access: int, slot: int, row: Lanes, base: np.uint32, spread: Lanes
) -> None:
    """Put an event's shape and counts in ``slot``."""
    space = np.int64(row[SPACE_WARP]) & 0xFFFF
    mask = np.int64(row[MASK])
    addresses = row[ADDRESSES:]
    clear_shape(memo, access, slot, space + 1, mask, 0)
    store_shape(addresses, base, spread, memo.shapes[slot, FIRST : FIRST + LANES])
    fill_plain(memo, np.int64(row[INSTRUCTION]), slot, space, mask)
    note_worst(memo, access, slot, addresses, mask)


@compiled
def count_plain(memo: Memo, access: int, row: Lanes, spread: Lanes) -> None:
    """Count an event that stands alone; ``spread`` is its spread mask."""
    mask = np.int64(row[MASK])
    space = np.int64(row[SPACE_WARP]) & 0xFFFF
    addresses = row[ADDRESSES:]
    base = find_base(addresses, mask, GLOBAL_GRAIN if space == GLOBAL else SHARED_GRAIN)
    slot = access * WAYS + (np.int64(hash_shape(addresses, base, spread)) >> HASH_SHIFT)
    known = memo.shapes[slot]
    if (
        known[KIND] != space + 1
        or known[FIRST_MASK] != mask
        or not is_same_shape(addresses, base, spread, known[FIRST : FIRST + LANES])
    ):
        learn_plain(memo, access, slot, row, base, spread)
    memo.hits[slot] += 1
    leaders = memo.leaders[slot]
    if leaders:
        rule = memo.table[np.int64(row[INSTRUCTION]), RULE]
        wavefronts = count_output(rule, addresses, mask, leaders, memo.work)
        memo.totals[access, OUTPUT_WAVEFRONTS] += wavefronts
