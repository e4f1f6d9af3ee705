"""From memory events to what the load/store unit has to do for each.

Most requests of a loop cost the same, so what a request costs stands in a table of its own, a row
of ``COST`` numbers; a request is the number of that row and what depends on where its addresses
are: tag-stage wavefronts and lines (``request_lines``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.jit import compiled, inlined, int64, step
from simulator.memory.atomics import count_atomic, count_cas, count_cast_spin, count_popc_inc
from simulator.memory.copy_requests import has_targets
from simulator.memory.data_stage import count_round
from simulator.memory.global_memory import count_global, hottest, output_wavefronts, sum_hottest
from simulator.memory.lanes import SECTOR_BITS
from simulator.memory.lower import (
    ASYNC,
    ATOMIC,
    BYPASS,
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
    WIDTH,
)
from simulator.memory.matrix import count_matrix
from simulator.memory.memo import (
    ADDRESSES,
    INSTRUCTION,
    MASK,
    SPACE_WARP,
    Memo,
    Words,
    find_access,
    find_shape,
    learn_shape,
    make_memo,
)
from simulator.memory.shared import count_load_store
from simulator.memory.vector import LANES, lowest_lane, same_lanes
from simulator.timing.request_lines import (
    LINE_SHIFT,
    MOST_LINES,
    Lines,
    add_local,
    sector_bits,
    split_copy,
)

Table = NDArray[np.int32]

# Columns of a request: its row of costs, tag-stage wavefronts, first line.
R_COST, R_TAG, R_FIRST = range(3)
REQUEST = 3
# Columns of a cost: instruction, memory space, data-stage wavefronts, number of lines, passes of an
# atomic over its sectors, those that take all words of one, wavefronts that are bank conflicts.
R_INSTRUCTION, R_SPACE, R_DATA, R_LINES, R_SECTORS, R_WHOLE, R_CONFLICTS = range(7)
COST = 7


class Known(NamedTuple):
    """What is known about shapes of requests (``memory.memo``); first axes are its places."""

    memo: Memo
    cost: NDArray[np.int64]  # row of costs
    bits: NDArray[np.uint8]  # (place, line) sectors of the lines of a global request
    used: NDArray[np.int64]  # (1,) rows of costs so far


def make_known(table: Table) -> Known:
    """Nothing known yet of a kernel's lowered accesses."""
    memo = make_memo(table)
    places = len(memo.hits)
    bits = np.zeros((places, MOST_LINES), np.uint8)
    return Known(memo, np.zeros(places, np.int64), bits, np.zeros(1, np.int64))


@step
def shared_counts(
    row: NDArray[np.uint32], mask: int, rule: int, width: int, n: int
) -> tuple[int, int, int, int, int]:
    """Data-stage wavefronts of one shared request and those that are bank conflicts, first."""
    if rule == MATRIX:
        return count_matrix(row, n)
    if rule == CAS:
        return count_cas(row, mask, width)
    if rule == POPC_INC:
        return count_popc_inc(row, mask, width)
    if rule == CAST_SPIN:
        return count_cast_spin(mask, width)
    if rule == ATOMIC:
        return count_atomic(row, mask, width)
    return count_load_store(row, mask, width, rule == LOAD)


@step
def whole_passes(row: NDArray[np.uint32], mask: int, width: int) -> int:
    """Passes of an atomic over sectors of which its lanes take every word equally often."""
    whole = 0
    left = mask
    while left:
        lanes = same_lanes(row, lowest_lane(left), SECTOR_BITS) & mask
        left &= ~lanes
        most = hottest(row, lanes)
        count = 0
        while lanes:
            lanes &= lanes - 1
            count += 1
        whole += most if count * width == 32 * most else 0
    return whole


@step
def learn_global(
    row: NDArray[np.uint32], mask: int, width: int, rule: int, known: Known, place: int, cost: Table
) -> None:
    """Fill the cost of a global request, and the leaders and sectors of its lines."""
    _, _, tags, leaders = count_global(row, mask, width)
    cost[R_DATA] = count_round(row, mask, width)[0]
    if rule >= ATOMIC and rule <= CAST_SPIN:
        cost[R_SECTORS] = sum_hottest(row, mask, SECTOR_BITS)
        cost[R_WHOLE] = whole_passes(row, mask, width)
    cost[R_LINES] = tags
    known.memo.leaders[place] = leaders
    index = 0
    while leaders:
        lane = lowest_lane(leaders)
        leaders &= leaders - 1
        known.bits[place, index] = sector_bits(row, lane, mask, width)
        index += 1


@inlined
def add_global(
    row: NDArray[np.uint32], known: Known, place: int, request: Table, lines: Lines, used: int
) -> int:
    """Fill the request of a global event; returns the lines used so far."""
    leaders = known.memo.leaders[place]
    alone = leaders & (leaders - 1) == 0
    request[R_TAG] = 1 if alone else output_wavefronts(row, leaders)
    index = 0
    while leaders:
        lane = lowest_lane(leaders)
        leaders &= leaders - 1
        number = int64(row[lane]) >> 7
        lines[used + index] = (number << LINE_SHIFT) | int64(known.bits[place, index])
        index += 1
    return used + index


@step
def learn_cost(words: Words, event: int, known: Known, place: int, cost: Table) -> None:
    """Fill the cost of an event whose shape is new."""
    instruction = int64(words[event, INSTRUCTION])
    mask = int64(words[event, MASK])
    space = int64(words[event, SPACE_WARP]) & 0xFFFF
    rule = int64(known.memo.table[instruction, RULE])
    width = int64(known.memo.table[instruction, WIDTH])
    row = words[event, ADDRESSES:]
    for column in range(COST):
        cost[column] = 0
    cost[R_INSTRUCTION] = instruction
    cost[R_SPACE] = space
    if space == SHARED and rule != BYPASS:
        number = int64(known.memo.table[instruction, MATRICES])
        counts = shared_counts(row, mask, rule, width, number)
        cost[R_DATA] = counts[0]
        cost[R_CONFLICTS] = counts[1]
    elif space == GLOBAL:
        kind = LOAD if rule > BYPASS - 2 and rule != CAST_SPIN else rule
        learn_global(row, mask, width, kind, known, place, cost)
        if rule == BYPASS:  # what L2 sends is written past the data stage
            cost[R_DATA] = 0


@inlined
def find_cost(words: Words, event: int, known: Known, costs: Table, first: int) -> int:
    """The place of an event's shape, learnt if it is new; ``costs`` are those from ``first`` on."""
    access = find_access(known.memo, words, event)
    place = find_shape(known.memo, words, event, access)
    if place < 0:
        place = ~place
        learn_shape(known.memo, words, event, access, place)
        learn_cost(words, event, known, place, costs[known.used[0] - first])
        known.cost[place] = known.used[0]
        known.used[0] += 1
    return place


@compiled
def make_requests(
    words: Words, known: Known, frame_words: int, warps: int, requests: Table, costs: Table,
    lines: Lines,
) -> int:  # fmt: skip
    """Fill one row of ``requests`` an event; returns the number of lines written.

    Costs not known before go into ``costs``, which has room for one an event.
    """
    used = int64(0)
    first = known.used[0]
    for event in range(words.shape[0]):
        place = find_cost(words, event, known, costs, first)
        request = requests[event]
        request[R_COST] = known.cost[place]
        request[R_TAG] = 0
        request[R_FIRST] = used
        space = int64(words[event, SPACE_WARP]) & 0xFFFF
        row = words[event, ADDRESSES : ADDRESSES + LANES]
        if space == GLOBAL:
            before = used
            used = add_global(row, known, place, request, lines, used)
            rule = int64(known.memo.table[int64(words[event, INSTRUCTION]), RULE])
            width = int64(known.memo.table[int64(words[event, INSTRUCTION]), WIDTH])
            if rule == BYPASS and has_targets(words, event, width):
                request[R_TAG] = split_copy(words, event, lines, before, used)
            elif rule == ASYNC:
                request[R_TAG] = used - before
        elif space == LOCAL:
            warp = int64(words[event, SPACE_WARP]) >> 16
            frame = (int64(words[event, 3]) * warps + warp) * frame_words
            mask = int64(words[event, MASK])
            width = int64(known.memo.table[int64(words[event, INSTRUCTION]), WIDTH])
            before = used
            used = add_local(row, mask, width, frame, lines, used)
            request[R_TAG] = used - before
            if known.cost[place] >= first:
                cost = costs[known.cost[place] - first]
                cost[R_LINES] = cost[R_DATA] = used - before
    return used
