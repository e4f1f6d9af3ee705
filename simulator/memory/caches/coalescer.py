"""The coalescers between L1 and L2: which requests of a group of SMs become one read, and when
what is asked for is there."""

from __future__ import annotations

from simulator.jit import Int, constant, inlined
from simulator.memory.caches.l2 import read_l2
from simulator.memory.caches.lru import slot_of
from simulator.memory.caches.state import ASKED, Ints, Limits, State
from simulator.memory.vector import popcount

_MIX = constant(0x9E3779B1)
_LOW = constant(0xFFFFFFFF)
CHUNK_BITS = constant(5)  # lines that come from one part of DRAM
# Columns of entries: what is asked of L2; what flies or comes has LINE and AT.
LINE, AT, MASK, JOINS, UNTIL, SERVED, COUNT = (constant(n) for n in range(7))


@inlined
def _hash(value: Int) -> Int:
    """32 bits by chance."""
    mixed = (value * _MIX) & _LOW
    return ((mixed ^ (mixed >> 13)) * _MIX) & _LOW


@inlined
def _l2_time(limits: Limits, group: int, line: int) -> int:
    """Cycles to L2 and back: slices are nearer or farther, by line and group of SMs."""
    mixed = ((line * 8 + group) * _MIX) & _LOW
    mixed = ((mixed ^ (mixed >> 15)) * _MIX) & _LOW
    return limits.l2_latency - limits.l2_spread + ((mixed * (2 * limits.l2_spread + 1)) >> 32)


@inlined
def _miss_time(state: State, limits: Limits, line: int) -> Int:
    """Cycles until sectors are there that have to come from DRAM.

    Which half of DRAM has a line, the nearer or the farther one, changes every 4 KiB; within it
    lines differ a little.
    """
    rows, columns = state.windows.shape
    row = (_hash((line >> CHUNK_BITS) + 5) * rows) >> 32
    return limits.merge_lead + state.windows[row, (_hash(line + 7) * columns) >> 32]


@inlined
def _refreshed(limits: Limits, line: int, there: Int) -> Int:
    """When sectors of a line come from DRAM that would come at ``there`` but for refreshes.

    Parts of DRAM are refreshed one after the other, again and again; lines belong to any of them.
    """
    if limits.refresh_period == 0:
        return there
    part = (_hash(line + 5) * limits.refresh_parts) >> 32
    since = (there - limits.refresh_phase - part * limits.refresh_busy) % limits.refresh_period
    return there + max(0, limits.refresh_busy - since)


@inlined
def _take_off(state: State, line: int, until: int) -> None:
    """Remember that a line is on its way from DRAM."""
    slot = slot_of(line, len(state.flight))
    state.flight[slot, LINE] = line
    state.flight[slot, AT] = until


@inlined
def _in_flight(state: State, line: int, now: int) -> Int:
    """Cycles until a line is in L2; 0 if it is there."""
    slot = slot_of(line, len(state.flight))
    if state.flight[slot, LINE] != line:
        return 0
    return max(0, state.flight[slot, AT] - now)


@inlined
def _read(
    state: State, limits: Limits, now: int, sm: int, line: int, mask: int, totals: Ints
) -> Int:
    """Read sectors of L2; when they are there, at the mean distance."""
    if read_l2(state, limits, line, mask, totals):
        far = _refreshed(limits, line, now + _miss_time(state, limits, line))
        _take_off(state, line, far)
        return far
    return now + max(_l2_time(limits, state.group[sm], line), _in_flight(state, line, now))


@inlined
def ask(state: State, limits: Limits, now: int, sm: int, line: int, mask: int, totals: Ints) -> Int:
    """Ask L2 for sectors, unless a neighbour's read brings them along; when they are there.

    A group of SMs has a coalescer, half of ``merge_lead`` away. While a read is on its way from
    there to L2, or to DRAM, and back, it serves up to ``merge_most`` equal requests for a line. A
    request for other sectors takes the line's entry over, and none can join it for ``merge_turn``
    cycles. (All measured on an NVIDIA H200, see ``validation/microbench/coalescer.cu``.)
    """
    group = state.group[sm]
    totals[ASKED] += popcount(mask)
    way = state.distance[sm] >> 1  # there, and again back
    now += way
    if limits.merge_most == 1:  # no other ever joins
        return _read(state, limits, now, sm, line, mask, totals) + way
    slot = slot_of(line, state.asked.shape[1])
    joins = now - limits.merge_lead  # a request of a nearer SM may be dealt with later
    if state.asked[group, slot, LINE] == line and now <= state.asked[group, slot, UNTIL]:
        if state.asked[group, slot, MASK] != mask:
            joins = now + limits.merge_turn
        elif (
            state.asked[group, slot, COUNT] < limits.merge_most
            and now >= state.asked[group, slot, JOINS]
        ):
            state.asked[group, slot, COUNT] += 1
            return max(now, state.asked[group, slot, SERVED]) + way
    ready = _read(state, limits, now, sm, line, mask, totals)
    state.asked[group, slot, LINE] = line
    state.asked[group, slot, MASK] = mask
    state.asked[group, slot, AT] = now
    state.asked[group, slot, JOINS] = joins
    state.asked[group, slot, UNTIL] = ready - limits.merge_lead
    state.asked[group, slot, SERVED] = ready
    state.asked[group, slot, COUNT] = 1
    return ready + way


@inlined
def await_line(state: State, sm: int, line: int, until: int) -> None:
    """Remember that a line is on its way to an SM."""
    slot = slot_of(line, state.coming.shape[1])
    state.coming[sm, slot, LINE] = line
    state.coming[sm, slot, AT] = until


@inlined
def arrival(state: State, limits: Limits, now: int, sm: int, line: int) -> Int:
    """When a line that L1 has, or will have, can be read."""
    slot = slot_of(line, state.coming.shape[1])
    there = now + limits.l1_latency
    if state.coming[sm, slot, LINE] != line:
        return there
    return max(there, state.coming[sm, slot, AT])
