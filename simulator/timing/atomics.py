"""Atomics on global memory: what an SM sends, and where all SMs' meet in the slices of L2.

A request goes out in passes: in each, a sector's lanes act on different words. An SM sends a pass
after another; the slice of L2 that holds a line takes the passes of all SMs to it in turn. What
the other SMs do is taken from this one's stream: to lines that they share with it they send as much
as it does, and the rest of what they send spreads over all slices.
"""

from __future__ import annotations

from simulator.jit import inlined, int64
from simulator.timing.parameters import Rates
from simulator.timing.requests import R_FIRST, R_LINES, R_SECTORS, R_WHOLE
from simulator.timing.state import ATOMIC_CHIP, ATOMIC_FREE, SENT, Sm, Streams, cost_of


@inlined
def slice_lines(sm: Sm, streams: Streams, rates: Rates, request: int, now: int) -> float:
    """When the slices have done a request, after as much from the SMs that share its lines."""
    passes = cost_of(streams, request, R_SECTORS)
    whole = cost_of(streams, request, R_WHOLE)
    count = cost_of(streams, request, R_LINES)
    first = streams.requests[request, R_FIRST]
    each = (rates.slice_part * (passes - whole) + rates.slice_whole * whole) / max(1, count)
    last = 0.0
    for index in range(first, first + count):
        line = streams.line[index]
        sharers = 1.0 / streams.share[line]
        place = streams.slice[line]
        sm.hot[place] = max(sm.hot[place], float(now)) + each * sharers
        last = max(last, sm.hot[place])
    elsewhere = each * count * max(0.0, rates.sms - 1.0 / streams.share[streams.line[first]])
    sm.flows[ATOMIC_CHIP] = max(sm.flows[ATOMIC_CHIP], float(now)) + elsewhere / len(sm.hot)
    return float(max(last, sm.flows[ATOMIC_CHIP]))


@inlined
def atomic_lines(sm: Sm, streams: Streams, rates: Rates, request: int, now: int) -> int:
    """When a global atomic's result is back."""
    passes = cost_of(streams, request, R_SECTORS)
    whole = cost_of(streams, request, R_WHOLE)
    cost = rates.atomic_part * (passes - whole) + rates.atomic_whole * whole
    cost = max(rates.atomic_request, cost)
    sm.flows[ATOMIC_FREE] = max(sm.flows[ATOMIC_FREE], float(now)) + cost
    last = max(sm.flows[ATOMIC_FREE], slice_lines(sm, streams, rates, request, now))
    for _ in range(passes):
        sm.sent[sm.clock[SENT]] = last
        sm.clock[SENT] = (sm.clock[SENT] + 1) % len(sm.sent)
    return int64(last) + rates.l2_latency


@inlined
def room_for_atomic(sm: Sm, streams: Streams, request: int) -> float:
    """When enough earlier passes are done that an SM can send all of a request."""
    passes = cost_of(streams, request, R_SECTORS)
    return float(sm.sent[(sm.clock[SENT] + max(1, passes) - 1) % len(sm.sent)])


@inlined
def atomics_end(sm: Sm) -> int:
    """When the slices have done all atomics."""
    last = sm.flows[ATOMIC_CHIP]
    for place in range(sm.hot.shape[0]):
        last = max(last, sm.hot[place])
    return int64(last)
