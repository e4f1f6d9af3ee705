"""A launch through its caches: the compiled loop.

Units are blocks, whose warps go round by round (a request of each, see ``streams``), or, where
no barrier holds them together, warps. A unit goes on when what it waits for is there and the SM has
done its share of work for it, the longest resident block first. What makes SMs drift apart is what
was seen to: where they stand, when they start, and work that is never quite the same.
"""

from __future__ import annotations

import math

from simulator.jit import Int, compiled, constant, inlined, int64, step
from simulator.memory.caches import state as st
from simulator.memory.caches.heap import ENTRY, ENTRY_BITS, pop, push
from simulator.memory.caches.items import INSTRUCTION_SHIFT
from simulator.memory.caches.prefetch import fetch_ahead, fetch_next
from simulator.memory.caches.requests import make_items
from simulator.memory.caches.seats import NONE, seat, start_first
from simulator.memory.caches.state import CYCLES, Ints, Limits, State, Work
from simulator.memory.vector import lowest_lane

_MIX = constant(0x9E3779B1)
_LOW = constant(0xFFFFFFFF)
NEVER = constant(1 << 62)
AT_ONCE = constant(16)


@inlined
def _jitter(limits: Limits, most: Int, turn: int, slot: int) -> Int:
    """Cycles that a stretch of work takes more or less, other ones each time."""
    mixed = ((turn * 65537 + slot + limits.seed * 7919) * _MIX) & _LOW
    mixed = ((mixed ^ (mixed >> 15)) * _MIX) & _LOW
    return ((mixed * (2 * most + 1)) >> 32) - most


@step
def _instruction_of(work: Work, index: int) -> int:
    return int64(work.info[work.rounds[index]]) >> INSTRUCTION_SHIFT


@inlined
def _run_items(
    work: Work, state: State, limits: Limits, now: int, slot: int, totals: Ints
) -> int:  # fmt: skip
    """Items of a batch, up to the round that needs an earlier one's result; when they are out.

    After ``AT_ONCE`` items the other SMs are given a turn and ``LAST`` says that there is more to
    come. ``READY`` is when all that was asked for is there.
    """
    slots = state.slots
    place, sm = slots[slot, st.PLACE], slots[slot, st.SM]
    index, end = slots[slot, st.ROUND], slots[slot, st.END]
    needed, last = slots[slot, st.NEEDED], slots[slot, st.LAST]
    ready = max(now, slots[slot, st.READY])
    left = AT_ONCE
    if last < 0:
        slots[slot, st.AHEAD] = 1
    slots[slot, st.LAST] = NONE
    while index < end:
        item = max(work.rounds[index], slots[slot, st.ITEM])
        instruction = _instruction_of(work, index)
        if item == work.rounds[index]:
            if last >= 0 and (instruction <= last or instruction >= needed):
                break
            needed = min(needed, work.waits[instruction]) if last >= 0 else work.waits[instruction]
            last = instruction
            slots[slot, st.AHEAD] &= work.ahead[instruction]
        stop = min(work.rounds[index + 1], item + left)
        fetch_ahead(work, state, limits, sm, place, item, stop)
        ready = max(ready, make_items(
            work, state, limits, now, sm, place, item, stop, totals
        ))  # fmt: skip
        now += limits.request_gap * (stop - item)
        left -= stop - item
        slots[slot, st.ITEM] = stop
        if stop == work.rounds[index + 1]:
            index += 1
        if left == 0:
            if index < end:
                slots[slot, st.LAST], slots[slot, st.NEEDED] = last, needed
            break
    slots[slot, st.ROUND] = index
    slots[slot, st.READY] = ready
    if left > 0 or index == end:
        _set_work(work, state, limits, slot, last)
    return now


@inlined
def _set_work(work: Work, state: State, limits: Limits, slot: int, last: int) -> None:
    """What a unit does after a batch that ends with an instruction."""
    slots = state.slots
    place = slots[slot, st.PLACE]
    stream = work.template[state.block[place]] * limits.units + slot - place * limits.units
    busy = work.shares[last] * work.busy[stream]
    alone = work.shares[last] * work.alone[stream]
    more = work.varies[0] * max(busy, alone) + work.varies[1] + work.varies[2] * busy * busy
    slots[slot, st.BUSY] = int64(busy)
    slots[slot, st.ALONE] = int64(alone)
    slots[slot, st.JITTER] = int64(math.sqrt(more))


@inlined
def _push_unit(state: State, slot: int, time: int, count: int) -> int:
    """Have a unit go on at a time; the heap's new count."""
    state.slots[slot, st.COMES] = 1
    return push(state.heap, count, time, slot + len(state.slots))


@inlined
def _await(state: State, slot: int, now: int, count: int) -> int:
    """Have a unit go on when what it asked for is there, or work until it needs that."""
    ready = state.slots[slot, st.READY]
    state.slots[slot, st.READY] = 0
    if state.slots[slot, st.AHEAD]:
        state.slots[slot, st.DUE] = ready
        ready = now
    return push(state.heap, count, ready, slot)


@inlined
def _serve(state: State, now: int, slot: int, count: int) -> int:
    """Let an idle SM do a unit's work; the heap's new count."""
    slots = state.slots
    sm = slots[slot, st.SM]
    state.sm_serves[sm] = slot
    state.sm_until[sm] = now + slots[slot, st.LEFT]
    slots[slot, st.LEFT] = 0
    if slots[slot, st.COMES]:  # from before it was interrupted: earlier than now it can end
        return count
    return _push_unit(state, slot, state.sm_until[sm], count)


@inlined
def _interrupt(state: State, limits: Limits, now: int, sm: int) -> None:
    """Have the unit that an SM works for wait for what is left."""
    slot = state.sm_serves[sm]
    state.slots[slot, st.LEFT] = state.sm_until[sm] - now
    _have_wait(state, limits, slot)


@inlined
def _have_wait(state: State, limits: Limits, slot: int) -> None:
    """Have a unit wait for its SM."""
    place = state.slots[slot, st.PLACE]
    state.waits[place] |= 1 << (slot - place * limits.units)


@inlined
def _waits(state: State, limits: Limits, slot: int) -> Int:
    """Whether a unit waits for its SM: not 0."""
    place = state.slots[slot, st.PLACE]
    return state.waits[place] & 1 << (slot - place * limits.units)


@inlined
def _serve_next(state: State, limits: Limits, now: int, sm: int, places: int, count: int) -> int:
    """Let an SM work for the unit that waits in the longest resident block."""
    best = -1
    state.sm_serves[sm] = NONE
    for place in range(sm * places, (sm + 1) * places):
        if state.waits[place] and (best < 0 or state.block[place] < state.block[best]):
            best = place
    if best < 0:
        return count
    unit = lowest_lane(state.waits[best])
    state.waits[best] &= state.waits[best] - 1
    return _serve(state, now, best * limits.units + unit, count)


@inlined
def _become_ready(state: State, limits: Limits, now: int, slot: int, count: int) -> int:
    """A unit has what it waited for: serve it, or have it wait for its SM if that works for a unit
    of the same block or an older one."""
    slots = state.slots
    sm = slots[slot, st.SM]
    more = _jitter(limits, slots[slot, st.JITTER], slots[slot, st.ROUND], slot)
    slots[slot, st.LEFT] = max(0, slots[slot, st.BUSY] + more)
    slots[slot, st.SINCE] = now
    served = state.sm_serves[sm]
    if served >= 0:
        if state.block[slots[slot, st.PLACE]] >= state.block[slots[served, st.PLACE]]:
            _have_wait(state, limits, slot)
            return count
        _interrupt(state, limits, now, sm)
    return _serve(state, now, slot, count)


@compiled
def run_launch(
    work: Work, state: State, limits: Limits, places: int, first: Ints, rest: Ints,
    totals: Ints, halfway: Ints,
) -> None:  # fmt: skip
    """Run blocks: ``first`` by place (-1: none), then ``rest`` where a place becomes free;
    ``halfway`` is what ``totals`` are when half of these have come.

    In the heap a slot stands for its unit being ready for work, a slot further on by their number
    for that work being done.
    """
    slots = len(state.slots)
    count = start_first(work, state, limits, places, first)
    following = 0
    now = 0
    while count > 0:
        now, entry = state.heap[0] >> ENTRY_BITS, state.heap[0] & ENTRY
        count = pop(state.heap, count)
        fetch_next(work, state, count)
        if entry < slots:
            count = _become_ready(state, limits, now, entry, count)
            continue
        slot = entry - slots
        sm = state.slots[slot, st.SM]
        state.slots[slot, st.COMES] = 0
        if _waits(state, limits, slot):
            continue
        if state.sm_serves[sm] == slot:
            if now < state.sm_until[sm]:
                count = _push_unit(state, slot, state.sm_until[sm], count)
                continue
            count = _serve_next(state, limits, now, sm, places, count)
        due = max(
            state.slots[slot, st.DUE], state.slots[slot, st.SINCE] + state.slots[slot, st.ALONE]
        )
        if now < due:
            count = _push_unit(state, slot, due, count)
            continue
        if state.slots[slot, st.ROUND] < state.slots[slot, st.END]:
            after = _run_items(work, state, limits, now, slot, totals)
            if state.slots[slot, st.LAST] >= 0:
                count = _push_unit(state, slot, after, count)
            else:
                count = _await(state, slot, after, count)
            continue
        place = state.slots[slot, st.PLACE]
        state.left[place] -= 1
        if state.left[place] == 0 and following < len(rest):
            begin = now + limits.relaunch
            count = seat(work, state, limits, place, rest[following], begin, count)
            following += 1
            if 2 * following == len(rest) or 2 * following == len(rest) + 1:
                for number in range(len(totals)):
                    halfway[number] = totals[number]
    totals[CYCLES] = now
