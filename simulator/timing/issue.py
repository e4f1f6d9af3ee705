"""What issuing an instruction does: pipe, scoreboards, queue, the reasons of the wait before."""

from __future__ import annotations

from simulator.jit import inlined, int64
from simulator.memory.prefetching import LINE_WORDS, prefetch
from simulator.memory.vector import lowest_lane
from simulator.timing import opcodes as op
from simulator.timing.blocks import advance, stand_at
from simulator.timing.heads import note_head
from simulator.timing.lower import (
    EASY,
    EXTRA,
    HOLD,
    INTERVAL,
    KIND,
    LATENCY,
    PASSES,
    PIPE,
    READ,
    RELEASE,
    STALL,
    WAIT,
    WRITE,
)
from simulator.timing.rates import Rates
from simulator.timing.recorder import record_issue
from simulator.timing.requests import R_INSTRUCTION
from simulator.timing.requests import REQUEST as REQUEST_WORDS
from simulator.timing.scoreboards import is_queued
from simulator.timing.selecting import end_stall, read_banks, set_room, take_pipe, xu_begin
from simulator.timing.stalls import (
    BRANCH,
    DRAIN,
    LONG_SCOREBOARD,
    NOT_SELECTED,
    SELECTED,
    SHORT_SCOREBOARD,
)
from simulator.timing.stalls import WAIT as WAITED
from simulator.timing.state import (
    ASKED,
    CHARGED,
    FREE,
    FULL_SINCE,
    GROUPS,
    ISSUES,
    LAST,
    NEVER,
    NEW_HEAD,
    NO_REQUEST,
    PC,
    QUEUE_COUNT,
    QUEUE_FIRST,
    QUEUE_PLACES,
    READY,
    REQUEST,
    REQUEST_END,
    SHADE,
    STORES,
    Sm,
    Streams,
    cost_of,
    place_of,
    subcore_of,
)
from simulator.timing.waking import fall_asleep


@inlined
def charge(sm: Sm, streams: Streams, slot: int, now: int) -> None:
    """Book the cycles since the warp's last issue under their reasons."""
    slots = sm.slots
    pc = slots[slot, PC]
    row = sm.stalls[pc]
    row[SELECTED] += 1
    end_stall(sm, streams, slot, now)
    row[WAITED] += max(0, slots[slot, FREE] - slots[slot, LAST] - 1)
    waited = slots[slot, READY] - max(slots[slot, FREE], slots[slot, LAST] + 1)
    if waited > 0:
        row[board_reason(sm, streams, slot, pc)] += waited
    row[NOT_SELECTED] += max(0, now - slots[slot, READY] - slots[slot, CHARGED])


@inlined
def board_reason(sm: Sm, streams: Streams, slot: int, pc: int) -> int:
    """Which kind of scoreboard was free last."""
    mask = int64(streams.code[pc, WAIT])
    if mask == 1 << STORES:
        return DRAIN
    while mask:
        board = lowest_lane(mask)
        mask &= mask - 1
        if sm.done[slot, board] == sm.slots[slot, READY]:
            return LONG_SCOREBOARD if sm.is_long[slot, board] else SHORT_SCOREBOARD
    return SHORT_SCOREBOARD


@inlined
def take_request(sm: Sm, streams: Streams, slot: int, pc: int) -> int:
    """The warp's next request if this instruction makes one (-1: all its lanes are off)."""
    first, end = sm.slots[slot, REQUEST], sm.slots[slot, REQUEST_END]
    after = int64(first)
    while after < end and cost_of(streams, after, R_INSTRUCTION) == pc:
        after += 1
    sm.slots[slot, REQUEST] = after
    return first if after > first else int64(-1)


@inlined
def add_to_queue(
    sm: Sm, streams: Streams, queue: int, slot: int, pc: int, request: int, there: int
) -> None:
    """Put an instruction behind the others in a sub-core's queue."""
    count = sm.queued[queue, QUEUE_COUNT]
    place = (sm.queued[queue, QUEUE_FIRST] + count) & (QUEUE_PLACES - 1)
    sm.queue[queue, place, 0] = slot
    sm.queue[queue, place, 1] = pc
    sm.queue[queue, place, 2] = request
    sm.queue[queue, place, 3] = there
    sm.queued[queue, QUEUE_COUNT] = count + 1
    if count == 0:
        note_head(sm, streams, queue)
        sm.clock[NEW_HEAD] = 1


@inlined
def enqueue(sm: Sm, streams: Streams, rates: Rates, slot: int, pc: int, now: int) -> None:
    """Send a memory instruction on its way to the load/store unit."""
    subcore = subcore_of(slot)
    row = streams.code[pc]
    board = row[WRITE]
    read = max(sm.operands[subcore], now) + row[HOLD]
    sm.operands[subcore] = read
    request = int64(-1)
    if row[KIND] > op.LSU_ONLY:
        request = take_request(sm, streams, slot, pc)
        # Warps take turns, each at a place of its own: no processor foresees what is next.
        prefetch(streams.requests, sm.slots[slot, REQUEST] * REQUEST_WORDS + LINE_WORDS)
        if request < 0:
            request = NO_REQUEST
    there = now if row[KIND] < op.LSU_ONLY else read - row[HOLD]
    add_to_queue(sm, streams, subcore, slot, pc, request, there + rates.enter)
    if sm.queued[subcore, QUEUE_COUNT] >= rates.queue:
        set_room(sm, subcore, NEVER)
        sm.queued[subcore, FULL_SINCE] = now + 1
    if board >= 0:
        sm.pending[slot, board] += 1
    if row[KIND] == op.ASYNC_COPY and row[READ] >= 0:
        sm.pending[slot, row[READ]] += 1
    if row[KIND] == op.STORE or row[KIND] == op.ATOMIC:
        sm.pending[slot, STORES] += 1
    elif row[KIND] == op.LSU_ONLY:
        sm.slots[slot, GROUPS] += row[EXTRA]


@inlined
def free_board(sm: Sm, slot: int, board: int, until: int) -> None:
    """A scoreboard is free at a time, as far as this operation goes, which asks for no memory."""
    if until >= sm.done[slot, board]:
        sm.done[slot, board] = until
        sm.is_long[slot, board] = 0


@inlined
def set_boards(sm: Sm, streams: Streams, rates: Rates, slot: int, pc: int, now: int) -> None:
    """Scoreboards whose end is known at issue."""
    row = streams.code[pc]
    if row[WRITE] >= 0:
        sm.slots[slot, ASKED] = 1
    if row[READ] >= 0 and row[KIND] != op.ASYNC_COPY:
        free_board(sm, slot, row[READ], now + row[RELEASE])
    if row[WRITE] >= 0 and row[KIND] <= op.VARIABLE:
        is_special = row[PIPE] == op.XU
        begins = xu_begin(sm, rates, subcore_of(slot), row[INTERVAL]) if is_special else now
        free_board(sm, slot, row[WRITE], begins + row[LATENCY])


@inlined
def begin_work(sm: Sm, streams: Streams, rates: Rates, slot: int, pc: int, now: int) -> None:
    """What an instruction does at issue beside taking its pipe."""
    row = streams.code[pc]
    set_boards(sm, streams, rates, slot, pc, now)
    if is_queued(row[KIND]):
        enqueue(sm, streams, rates, slot, pc, now)
    if row[PIPE] == op.CONTROL and row[EXTRA]:
        sm.slots[slot, FREE] += row[EXTRA]
        sm.stalls[pc, BRANCH] += row[EXTRA]


@inlined
def issue(sm: Sm, streams: Streams, rates: Rates, slot: int, now: int) -> None:
    """Issue the next instruction of a warp."""
    pc = sm.slots[slot, PC]
    row = streams.code[pc]
    subcore = subcore_of(slot)
    charge(sm, streams, slot, now)
    if sm.recorder.shape[0]:
        record_issue(sm, slot, pc, board_reason(sm, streams, slot, pc), now)
    sm.queued[subcore, ISSUES] += 1
    read_banks(sm, streams, slot, pc, now)
    sm.last[subcore] = slot
    if row[PIPE] != op.NO_PIPE:
        take_pipe(sm, rates, subcore, row[PIPE], now, now + row[INTERVAL])
    fall_asleep(sm, subcore, place_of(slot))
    sm.slots[slot, LAST] = now
    sm.slots[slot, FREE] = now + row[STALL] + row[PASSES]
    sm.dispatch[subcore] = now + 1 + row[PASSES]
    if sm.slots[slot, SHADE] > 0:  # it was issued while its warp stood at a barrier
        sm.slots[slot, SHADE] -= 1
        sm.slots[slot, FREE] = now + 1
    if not row[EASY]:
        begin_work(sm, streams, rates, slot, pc, now)
    if row[KIND] == op.BARRIER:
        stand_at(sm, streams, rates, slot, pc, now)
    else:
        advance(sm, streams, rates, slot, now)
