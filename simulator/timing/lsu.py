"""The load/store unit: four queues, one a sub-core, served in turn.

An instruction takes the unit for its data-stage wavefronts, global and local ones also the tag
stage. When it is served, the time of its result is known and its scoreboard is told.
"""

from __future__ import annotations

from simulator.jit import inlined, int64
from simulator.timing import opcodes as op
from simulator.timing.atomics import room_for_atomic
from simulator.timing.blocks import arrive
from simulator.timing.heads import note_head
from simulator.timing.hot import needs_no_room
from simulator.timing.lower import EXTRA, KIND, LATENCY, WRITE
from simulator.timing.rates import Rates
from simulator.timing.scan import first_head
from simulator.timing.scoreboards import find_ready
from simulator.timing.selecting import set_room
from simulator.timing.serving import serve_requests, serve_shared, take_lane
from simulator.timing.state import (
    ADDRESS_FREE,
    ASYNC,
    ATOMIC_FREE,
    FULL_CYCLES,
    FULL_SINCE,
    GROUP_PLACES,
    GROUPS_KNOWN,
    HEAD_CAME,
    HEAD_KIND,
    HEAD_TIME,
    NEEDS_PORT,
    NEEDS_TAG,
    NEVER,
    NEW_HEAD,
    PORT_FREE,
    PORT_OTHER,
    QUEUE_COUNT,
    QUEUE_FIRST,
    QUEUE_GATE,
    QUEUE_PLACES,
    QUEUE_TURN,
    STATUS,
    STORE_FREE,
    STORES,
    SUBCORES,
    TAG_FREE,
    WAITS_RESULT,
    Sm,
    Streams,
)


@inlined
def whole_cycle(time: float) -> int:
    """The first cycle that is not before a time."""
    whole = int64(time)
    return whole + 1 if whole < time else whole


@inlined
def room_for_store(sm: Sm, streams: Streams, rates: Rates, queue: int, now: int) -> int:
    """When the store or atomic at the head of a queue, which could go ``now``, finds room for what
    it sends."""
    request = sm.queue[queue, sm.queued[queue, QUEUE_FIRST], 2]
    if sm.heads[HEAD_KIND, queue] == op.STORE:
        room = whole_cycle(sm.flows[STORE_FREE] - rates.store_buffer)
        return now if room > now and needs_no_room(sm, streams, request, now) else room
    return whole_cycle(room_for_atomic(sm, streams, request)) if request >= 0 else int64(0)


@inlined
def next_service(sm: Sm, streams: Streams, rates: Rates) -> tuple[int, int]:
    """Time and queue of the next service; of several that could go, what has come first, and
    queues take turns where that is the same."""
    sm.clock[NEW_HEAD] = 0
    port = whole_cycle(min(sm.flows[PORT_FREE], sm.flows[PORT_OTHER]))
    tag = whole_cycle(sm.flows[TAG_FREE])
    best, chosen, senders = first_head(sm.heads, port, tag, sm.clock[QUEUE_TURN])
    if senders == 0:
        return best, chosen
    best, oldest = NEVER, NEVER
    for turn in range(SUBCORES):
        queue = (sm.clock[QUEUE_TURN] + turn) & 3
        heads = sm.heads
        time = max(
            heads[HEAD_TIME, queue], port & heads[NEEDS_PORT, queue], tag & heads[NEEDS_TAG, queue]
        )
        if (senders >> queue) & 1:
            time = max(time, room_for_store(sm, streams, rates, queue, time))
        came = heads[HEAD_CAME, queue]
        if time < best or (time == best and came < oldest):
            best, oldest, chosen = time, came, queue
    return best, chosen


@inlined
def finish_store(sm: Sm, streams: Streams, slot: int, pc: int) -> None:
    """A store or atomic has been served: note when it has left the SM."""
    kind = streams.code[pc, KIND]
    if kind == op.STORE or kind == op.ATOMIC:
        sm.pending[slot, STORES] = max(0, sm.pending[slot, STORES] - 1)
        sent = sm.flows[STORE_FREE if kind == op.STORE else ATOMIC_FREE]
        sm.done[slot, STORES] = max(sm.done[slot, STORES], int64(sent))
        if sm.slots[slot, STATUS] == WAITS_RESULT:
            find_ready(sm, streams, slot)


@inlined
def close_group(sm: Sm, streams: Streams, slot: int, pc: int, done: int) -> None:
    """If an instruction closes a group of asynchronous copies: note when they are done."""
    if streams.code[pc, EXTRA]:
        sm.groups[slot, sm.slots[slot, GROUPS_KNOWN] % GROUP_PLACES] = done
        sm.slots[slot, GROUPS_KNOWN] += 1
        if sm.slots[slot, STATUS] == WAITS_RESULT:
            find_ready(sm, streams, slot)


@inlined
def finish_result(sm: Sm, streams: Streams, slot: int, pc: int, is_long: bool, done: int) -> None:
    """Tell a result's scoreboard when it is free, and the warp if it waits for it."""
    board = streams.code[pc, WRITE]
    if board < 0:
        return
    sm.pending[slot, board] = max(0, sm.pending[slot, board] - 1)
    if done >= sm.done[slot, board]:
        sm.done[slot, board] = done
        sm.is_long[slot, board] = is_long
    if sm.slots[slot, STATUS] == WAITS_RESULT:
        find_ready(sm, streams, slot)


@inlined
def free_place(sm: Sm, queue: int, at: int) -> None:
    """If a queue was full: warps may take a place in it from a time on."""
    row = sm.queued[queue]
    if sm.pipes[queue, QUEUE_GATE] == NEVER:
        set_room(sm, queue, at)
        row[FULL_CYCLES] += max(0, at - row[FULL_SINCE])
        sm.wakes[queue] = min(sm.wakes[queue], at)


@inlined
def serve_special(sm: Sm, streams: Streams, rates: Rates, slot: int, pc: int, now: int) -> None:
    """Serve what asks for no memory: a constant, a special register, an arrival at a barrier."""
    kind = streams.code[pc, KIND]
    begin = max(float(now), sm.flows[ADDRESS_FREE])
    if kind == op.SPECIAL:
        take_lane(sm, slot, now, rates.port, 0.0)
    if kind == op.CONSTANT or kind == op.SPECIAL:
        sm.flows[ADDRESS_FREE] = begin + rates.special
        finish_result(sm, streams, slot, pc, False, int64(begin) + streams.code[pc, LATENCY])
    else:
        sm.flows[ADDRESS_FREE] = begin + rates.arrival
        arrive(sm, streams, rates, slot, pc, int64(begin))


@inlined
def serve(sm: Sm, streams: Streams, rates: Rates, queue: int, now: int) -> None:
    """Serve the head of a queue."""
    place = sm.queued[queue, QUEUE_FIRST]
    head = sm.queue[queue, place]
    slot, pc, request = head[0], head[1], head[2]
    sm.queued[queue, QUEUE_FIRST] = (place + 1) & (QUEUE_PLACES - 1)
    sm.queued[queue, QUEUE_COUNT] -= 1
    sm.clock[QUEUE_TURN] = (queue + 1) & 3
    serve_one(sm, streams, rates, slot, pc, request, now)
    note_head(sm, streams, queue)
    free_place(sm, queue, now + 1)


@inlined
def serve_one(
    sm: Sm, streams: Streams, rates: Rates, slot: int, pc: int, request: int, now: int
) -> None:
    """Serve an instruction."""
    kind = streams.code[pc, KIND]
    if kind < op.LSU_ONLY:
        serve_special(sm, streams, rates, slot, pc, now)
        return
    if kind == op.SHARED:
        done = serve_shared(sm, streams, rates, slot, pc, request, now)
        finish_result(sm, streams, slot, pc, False, done)
        return
    done = serve_requests(sm, streams, rates, slot, pc, request, now)
    copied = sm.slots[slot, ASYNC]
    if kind == op.ASYNC_COPY:
        sm.slots[slot, ASYNC] = max(sm.slots[slot, ASYNC], done + rates.copy_extra)
    elif request == -1:
        done = max(done, copied)
        close_group(sm, streams, slot, pc, done)
    is_long = kind >= op.LOAD or (request == -1 and done == copied)
    finish_store(sm, streams, slot, pc)
    finish_result(sm, streams, slot, pc, is_long, done)
