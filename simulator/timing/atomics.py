"""Atomics on global memory: what an SM sends, and where all SMs' meet in the slices of L2.

A request goes out in passes: in each, a sector's lanes act on different words. An SM sends a pass
after another, and the slices of L2 take those of all SMs, each its share of the time. Where SMs
share lines in few slices, these are as much slower (``crowding``).
"""

from __future__ import annotations

from simulator.jit import inlined, int64
from simulator.timing.rates import Rates
from simulator.timing.requests import R_FIRST, R_LINES, R_SECTORS, R_WHOLE
from simulator.timing.state import ATOMIC_CHIP, ATOMIC_FREE, SENT, Sm, Streams, cost_of


@inlined
def crowd_at(streams: Streams, request: int) -> float:
    """How busy the slices of a request's lines are."""
    first = streams.requests[request, R_FIRST]
    count = cost_of(streams, request, R_LINES)
    total = 0.0
    for index in range(first, first + count):
        total += streams.crowd[streams.line[index]]
    return total / max(1, count)


@inlined
def atomic_lines(sm: Sm, streams: Streams, rates: Rates, request: int, now: int) -> int:
    """When a global atomic's result is back."""
    passes = cost_of(streams, request, R_SECTORS)
    whole = cost_of(streams, request, R_WHOLE)
    cost = rates.atomic_part * (passes - whole) + rates.atomic_whole * whole
    cost = max(rates.atomic_request, cost)
    sm.flows[ATOMIC_FREE] = max(sm.flows[ATOMIC_FREE], float(now)) + cost
    cost = rates.slice_part * (passes - whole) + rates.slice_whole * whole
    cost *= crowd_at(streams, request)
    sm.flows[ATOMIC_CHIP] = max(sm.flows[ATOMIC_CHIP], float(now)) + cost
    last = max(sm.flows[ATOMIC_FREE], sm.flows[ATOMIC_CHIP])
    for _ in range(passes):
        sm.sent[sm.clock[SENT]] = last
        sm.clock[SENT] = (sm.clock[SENT] + 1) % len(sm.sent)
    return int64(last) + rates.l2_latency


@inlined
def room_for_atomic(sm: Sm, streams: Streams, request: int) -> float:
    """When enough earlier passes are done that an SM can send all of a request."""
    passes = cost_of(streams, request, R_SECTORS)
    return float(sm.sent[(sm.clock[SENT] + max(1, passes) - 1) % len(sm.sent)])
