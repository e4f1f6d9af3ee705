"""The coalescers between L1 and L2: which requests of a group of SMs become one read, and when
what is asked for is there."""

from __future__ import annotations

from simulator.jit import Int, constant, inlined, int64
from simulator.memory.caches.homes import home_of
from simulator.memory.caches.l2 import read_l2
from simulator.memory.caches.lru import chunk_hash, scattered, slot_of
from simulator.memory.caches.state import ASKED, Ints, Limits, State
from simulator.memory.vector import popcount

_MIX = constant(0x9E3779B1)
_LOW = constant(0xFFFFFFFF)
# Columns of entries: what is asked of L2; what flies or comes has LINE and AT.
LINE, AT, MASK, JOINS, UNTIL, SERVED, COUNT = (constant(n) for n in range(7))


@inlined
def _l2_time(limits: Limits, group: int, line: int) -> int:
    """Cycles to L2 and back: slices are nearer or farther, by line and group of SMs."""
    mixed = ((line * 8 + group) * _MIX) & _LOW
    mixed = ((mixed ^ (mixed >> 15)) * _MIX) & _LOW
    return limits.l2_latency - limits.l2_spread + ((mixed * (2 * limits.l2_spread + 1)) >> 32)


@inlined
def _miss_time(state: State, limits: Limits, side: int, line: int) -> Int:
    """Cycles until sectors are there that have to come from DRAM.

    Half of DRAM is behind each partition of L2, the reader's or the other one, which is farther;
    within it lines differ a little.
    """
    far = int64(home_of(limits, line) != side)
    _, rows, columns = state.windows.shape
    row = (chunk_hash(line) * rows) >> 32
    return limits.merge_lead + state.windows[far, row, (scattered(line + 7) * columns) >> 32]


@inlined
def _refreshed(limits: Limits, line: int, there: Int) -> Int:
    """When sectors of a line come from DRAM that would come at ``there`` but for refreshes.

    Parts of DRAM are refreshed one after the other, again and again; lines belong to any of them.
    """
    if limits.refresh_period == 0:
        return there
    part = (scattered(line + 5) * limits.refresh_parts) >> 32
    since = (there - limits.refresh_phase - part * limits.refresh_busy) % limits.refresh_period
    return there + max(0, limits.refresh_busy - since)


@inlined
def _take_off(state: State, part: int, line: int, until: int) -> None:
    """Remember that a line is on its way to a partition of L2."""
    slot = slot_of(2 * line + part, len(state.flight))
    state.flight[slot, LINE] = 2 * line + part
    state.flight[slot, AT] = until


@inlined
def _landed(state: State, part: int, line: int) -> Int:
    """When SMs at a partition can have a line that was on its way there; long ago if it was not."""
    slot = slot_of(2 * line + part, len(state.flight))
    if state.flight[slot, LINE] != 2 * line + part:
        return 0
    return state.flight[slot, AT]


@inlined
def _read(
    state: State, limits: Limits, now: int, sm: int, line: int, mask: int, totals: Ints
) -> Int:
    """Read sectors of L2; when they are there, at the mean distance."""
    group = state.group[sm]
    side, home = state.side[group], home_of(limits, line)
    found = read_l2(state, limits, side, line, mask, totals)
    far = limits.l2_far if home != side else 0
    if found >> 4:
        there = _refreshed(limits, line, now + _miss_time(state, limits, side, line))
        _take_off(state, home, line, there - far // 2)
    else:
        near = now + _l2_time(limits, group, line)
        if found == 0:
            return max(near, _landed(state, side, line))
        there = max(near + far, _landed(state, home, line) + far // 2)
    if far:
        _take_off(state, side, line, there)
    return there


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
