"""What an instruction takes of the load/store unit and beyond: wavefronts of the data stage, the
tag stage, and what its lines take in L1, L2 and DRAM."""

from __future__ import annotations

from simulator.jit import inlined, int64
from simulator.timing import opcodes as op
from simulator.timing.atomics import atomic_lines
from simulator.timing.caches import copy_line, forget_line, load_line
from simulator.timing.copying import begin_copy, free_operands, room_for_copy
from simulator.timing.lower import EXTRA, KIND, LATENCY
from simulator.timing.rates import Rates
from simulator.timing.requests import (
    R_DATA,
    R_FIRST,
    R_LINES,
    R_SPACE,
    R_TAG,
)
from simulator.timing.returns import wide_return
from simulator.timing.state import (
    LANES,
    NO_REQUEST,
    PORT_BUSY,
    PORT_FREE,
    PORT_OTHER,
    TAG_BUSY,
    TAG_FREE,
    UNIT_FREE,
    Sm,
    Streams,
    cost_of,
    subcore_of,
)
from simulator.timing.stores import store_lines

_SHARED_SPACE = 0


@inlined
def load_lines(
    sm: Sm, streams: Streams, rates: Rates, pc: int, request: int, now: int, tag: float
) -> int:
    """When the last line of a load is back."""
    last = int64(0)
    past_l1 = streams.code[pc, EXTRA] == 1
    first = streams.requests[request, R_FIRST]
    count = cost_of(streams, request, R_LINES)
    for index in range(first, first + count):
        at = now + tag * (index - first + 1) / count
        line, bits = streams.line[index], int64(streams.bits[index]) & 15
        if past_l1 and streams.code[pc, KIND] == op.ASYNC_COPY:
            again = int64(streams.bits[index]) >> 4
            ready = copy_line(sm, streams, rates, line, bits, again, at)
        else:
            if past_l1:
                forget_line(sm, line, now)
            ready = load_line(sm, streams, rates, line, bits, at)
        last = max(last, ready)
    return last


@inlined
def serve_copy(
    sm: Sm, streams: Streams, rates: Rates, slot: int, pc: int, request: int, now: int
) -> int:
    """Requests of an asynchronous copy; returns when its data are there."""
    requests = streams.requests[request, R_TAG]
    free_operands(sm, streams, rates, slot, pc, max(now, room_for_copy(sm)))
    begin = int64(begin_copy(sm, rates, requests, now))
    data = cost_of(streams, request, R_DATA)
    hit = begin + LANES * (data - 1) + rates.l1_latency
    taken = rates.copy_request * requests
    return max(hit, load_lines(sm, streams, rates, pc, request, begin, taken))


@inlined
def serve_global(
    sm: Sm, streams: Streams, rates: Rates, slot: int, pc: int, request: int, now: int
) -> int:
    """Tag stage and beyond of one request; returns when its result is there."""
    kind = streams.code[pc, KIND]
    if kind == op.ASYNC_COPY:
        return serve_copy(sm, streams, rates, slot, pc, request, now)
    tag = rates.tag * streams.requests[request, R_TAG]
    sm.flows[TAG_FREE] = now + tag
    sm.flows[TAG_BUSY] += tag
    if kind == op.STORE:
        return store_lines(sm, streams, rates, slot, request, now)
    if kind == op.ATOMIC:
        return atomic_lines(sm, streams, rates, request, now)
    data = cost_of(streams, request, R_DATA)
    hit = now + LANES * (int64(max(tag, float(data))) - 1) + rates.l1_latency
    return max(hit, load_lines(sm, streams, rates, pc, request, now, tag))


@inlined
def take_lane(sm: Sm, slot: int, now: int, taken: float, alone: float) -> None:
    """Occupy a lane of the port: it has two, and one instruction's wavefronts leave every other
    cycle. A warp's instructions follow each other."""
    lane = PORT_FREE if sm.flows[PORT_FREE] <= sm.flows[PORT_OTHER] else PORT_OTHER
    sm.flows[lane] = now + LANES * taken
    sm.flows[PORT_BUSY] += taken
    sm.slots[slot, UNIT_FREE] = int64(now + LANES * alone)


@inlined
def serve_shared(
    sm: Sm, streams: Streams, rates: Rates, slot: int, pc: int, request: int, now: int
) -> int:
    """Serve an instruction on shared memory; returns when its result is there."""
    latency = int64(streams.code[pc, LATENCY])
    if request < 0:
        take_lane(sm, slot, now, rates.port, 0.0)
        return now + latency
    alone = rates.shared * cost_of(streams, request, R_DATA)
    taken = alone
    if streams.code[pc, EXTRA]:
        taken = max(taken, wide_return(sm, rates, subcore_of(slot), now))
    take_lane(sm, slot, now, max(taken, rates.port), alone)
    return max(now, now + LANES * (int64(alone) - 1) + latency)


@inlined
def serve_requests(
    sm: Sm, streams: Streams, rates: Rates, slot: int, pc: int, request: int, now: int
) -> int:
    """Serve all requests of any other instruction; returns when its result is there."""
    kind = streams.code[pc, KIND]
    latency = streams.code[pc, LATENCY]
    if request < 0:
        take_lane(sm, slot, now, rates.port, 0.0)
        if kind == op.ASYNC_COPY:
            free_operands(sm, streams, rates, slot, pc, now)
        is_load = request == NO_REQUEST and kind >= op.LOAD
        return int64(now + max(latency, rates.l1_latency if is_load else 0))
    done = int64(now)
    taken = 0.0
    part, end = request, request + (2 if kind == op.ASYNC_COPY else 1)
    while part < end:
        taken = max(taken, rates.shared * cost_of(streams, part, R_DATA))
        if cost_of(streams, part, R_SPACE) == _SHARED_SPACE:
            done = max(done, now + LANES * (int64(taken) - 1) + latency)
        else:
            done = max(done, serve_global(sm, streams, rates, slot, pc, part, now))
        part += 1
    alone = taken
    if kind == op.ASYNC_COPY:
        taken = max(taken, 0.0 if streams.code[pc, EXTRA] else rates.copy_port)
    else:
        taken = max(taken, rates.port)
    take_lane(sm, slot, now, taken, alone)
    return done
