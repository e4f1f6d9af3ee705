"""The coalescers between L1 and L2: which requests of a group of SMs become one read, and when
what is asked for is there."""

from __future__ import annotations

import numpy as np

from simulator.jit import Int, constant, inlined, int64
from simulator.memory.caches.l2 import map_index, read_l2
from simulator.memory.caches.lru import slot_of
from simulator.memory.caches.state import ASKED, Ints, Limits, State
from simulator.memory.vector import popcount

_MIX = constant(0x9E3779B1)
_LOW = constant(0xFFFFFFFF)
NOT_FIRST = constant(-1)
# Columns of entries: what is asked of L2; what was first read, flies or comes (LINE and AT).
LINE, AT, MASK, JOINS, BEGUN, SERVED, COUNT = (constant(n) for n in range(7))
TURN = constant(4)


@inlined
def _l2_time(limits: Limits, group: int, line: int) -> int:
    """Cycles to L2 and back: slices are nearer or farther, by line and group of SMs."""
    mixed = ((line * 8 + group) * _MIX) & _LOW
    mixed = ((mixed ^ (mixed >> 15)) * _MIX) & _LOW
    return limits.l2_latency - limits.l2_spread + ((mixed * (2 * limits.l2_spread + 1)) >> 32)


@inlined
def _first_window(state: State, line: int) -> Int:
    """Cycles after the first read of a line in which others are not counted."""
    mixed = ((line + 5) * _MIX) & _LOW
    mixed = ((mixed ^ (mixed >> 13)) * _MIX) & _LOW
    return state.windows[(mixed * len(state.windows)) >> 32]


@inlined
def _dram_time(limits: Limits, line: int) -> int:
    """Cycles beyond those to L2."""
    mixed = ((line + 3) * _MIX) & _LOW
    mixed = ((mixed ^ (mixed >> 14)) * _MIX) & _LOW
    spread = limits.dram_spread
    return limits.dram_latency - limits.l2_latency - spread + ((mixed * (2 * spread + 1)) >> 32)


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
def _is_young(state: State, limits: Limits, now: int, line: int, mask: int) -> Int:
    """Whether these sectors were first read in this launch a moment ago, or only now."""
    slot = slot_of(line, len(state.first))
    at = map_index(limits, line)
    if mask & ~int64(state.touched[at]):
        state.touched[at] |= np.uint8(mask)
        state.first[slot, LINE] = line
        state.first[slot, AT] = now
        return True
    return state.first[slot, LINE] == line and now - state.first[slot, AT] <= _first_window(
        state, line
    )


@inlined
def _read(
    state: State, limits: Limits, now: int, sm: int, line: int, mask: int, totals: Ints
) -> Int:
    """Read sectors of L2; when they are there, at the mean distance."""
    missing = read_l2(state, limits, line, mask, totals)
    far = _l2_time(limits, state.group[sm], line)
    if missing:
        far += _dram_time(limits, line)
        _take_off(state, line, now + far)
        return now + far
    return now + max(far, _in_flight(state, line, now))


@inlined
def ask(state: State, limits: Limits, now: int, sm: int, line: int, mask: int, totals: Ints) -> Int:
    """Ask L2 for sectors, unless a neighbour's read brings them along; when they are there.

    A coalescer for a group of SMs makes one read of up to ``merge_most`` equal requests for a line
    that come within ``merge_window``. For some hundred cycles after sectors were first read in a
    launch, later requests are not counted either, but take their own time. A request for other
    sectors takes the line's entry over, and the very next one cannot join it. (All measured on an
    NVIDIA H200, see ``validation/microbench/coalescer.cu``.)
    """
    group = state.group[sm]
    totals[ASKED] += popcount(mask)
    way = state.distance[sm] >> 1  # there, and again back
    now += way
    slot = slot_of(line, state.asked.shape[1])
    begun, joins = NOT_FIRST, now
    if state.asked[group, slot, LINE] == line:
        fits = state.asked[group, slot, MASK] == mask
        near = abs(now - state.asked[group, slot, AT]) <= limits.merge_window
        first = state.asked[group, slot, BEGUN] != NOT_FIRST
        first = first and abs(now - state.asked[group, slot, BEGUN]) <= _first_window(state, line)
        if not fits:
            joins += TURN
        elif (
            (near or first)
            and state.asked[group, slot, COUNT] < limits.merge_most
            and now >= state.asked[group, slot, JOINS]
        ):
            state.asked[group, slot, COUNT] += 1
            if near:
                return max(now, state.asked[group, slot, SERVED]) + way
            return now + max(_l2_time(limits, group, line), _in_flight(state, line, now)) + way
        if first:
            begun = state.asked[group, slot, BEGUN]
    if _is_young(state, limits, now, line, mask) and begun == NOT_FIRST:
        begun = now
    ready = _read(state, limits, now, sm, line, mask, totals)
    state.asked[group, slot, LINE] = line
    state.asked[group, slot, MASK] = mask
    state.asked[group, slot, AT] = now
    state.asked[group, slot, JOINS] = joins
    state.asked[group, slot, BEGUN] = begun
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
