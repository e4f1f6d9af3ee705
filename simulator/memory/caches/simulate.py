"""A launch through its caches: the compiled loop.

Units are blocks, whose warps go round by round (a request of each, see ``streams``), or, where
no barrier holds them together, warps. A unit goes on when what it waits for is there and the SM has
done its share of work for it, the longest resident block first. What makes SMs drift apart is what
was seen to: where they stand, when they start, and work that is never quite the same.
"""

from __future__ import annotations

from simulator.jit import Int, compiled, constant, inlined, int64, step
from simulator.memory.caches.heap import pop, push
from simulator.memory.caches.items import INSTRUCTION_SHIFT
from simulator.memory.caches.requests import make_items
from simulator.memory.caches.state import CYCLES, Ints, Limits, State, Work

_MIX = constant(0x9E3779B1)
_LOW = constant(0xFFFFFFFF)
NEVER = constant(1 << 62)
NONE = constant(-1)
AT_ONCE = constant(16)


@inlined
def _jitter(most: Int, turn: int, slot: int) -> Int:
    """Cycles that a stretch of work takes more or less, other ones each time."""
    mixed = ((turn * 65537 + slot) * _MIX) & _LOW
    mixed = ((mixed ^ (mixed >> 15)) * _MIX) & _LOW
    return ((mixed * (2 * most + 1)) >> 32) - most


@step
def _seat(
    work: Work, state: State, limits: Limits, place: int, block: int, start: int, count: int
) -> int:
    """Make a block resident; the new count of the heap."""
    units, warps = limits.units, limits.warps
    for shift in range(len(work.shifts)):
        moved = 0
        for axis in range(3):
            moved += work.shifts[shift, axis] * work.steps[block, axis]
        state.shifted[place, shift] = moved
    state.left[place] = units
    for unit in range(units):
        slot = place * units + unit
        state.slot_block[slot] = block
        state.slot_round[slot] = 0
        state.slot_item[slot] = 0
        state.slot_ready[slot] = 0
        state.slot_last[slot] = NONE
        last = (unit + 1) * warps // units
        begin = start + ((last * limits.launch_warp) >> 8)
        count = push(state.heap_time, state.heap_slot, count, begin, slot + len(state.slot_block))
    return count


@inlined
def _stream_of(work: Work, state: State, limits: Limits, slot: int) -> Int:
    return work.template[state.slot_block[slot]] * limits.units + slot % limits.units


@step
def _instruction_of(work: Work, index: int) -> int:
    return int64(work.info[work.rounds[index]]) >> INSTRUCTION_SHIFT


@inlined
def _run_items(
    work: Work, state: State, limits: Limits, now: int, sm: int, slot: int, by_instruction: Ints,
    totals: Ints,
) -> int:  # fmt: skip
    """Items of a batch, up to the round that needs an earlier one's result; when they are out.

    After ``AT_ONCE`` items the other SMs are given a turn and ``slot_last`` says that there is
    more to come. ``slot_ready`` is when all that was asked for is there.
    """
    stream = _stream_of(work, state, limits, slot)
    index = work.first_round[stream] + state.slot_round[slot]
    end = work.first_round[stream + 1] - 1
    needed, last = state.slot_needed[slot], state.slot_last[slot]
    ready = max(now, state.slot_ready[slot])
    left = AT_ONCE
    if last < 0:
        state.slot_ahead[slot] = 1
    state.slot_last[slot] = NONE
    while index < end:
        item = max(work.rounds[index], state.slot_item[slot])
        instruction = _instruction_of(work, index)
        if item == work.rounds[index]:
            if last >= 0 and (instruction <= last or instruction >= needed):
                break
            needed = min(needed, work.waits[instruction]) if last >= 0 else work.waits[instruction]
            last = instruction
            state.slot_ahead[slot] &= work.ahead[instruction]
        stop = min(work.rounds[index + 1], item + left)
        ready = max(ready, make_items(
            work, state, limits, now, sm, slot, item, stop, by_instruction, totals
        ))  # fmt: skip
        now += limits.request_gap * (stop - item)
        left -= stop - item
        state.slot_item[slot] = stop
        if stop == work.rounds[index + 1]:
            index += 1
        if left == 0:
            state.slot_last[slot], state.slot_needed[slot] = last, needed
            break
    state.slot_round[slot] = index - work.first_round[stream]
    state.slot_ready[slot] = ready
    return now


@inlined
def _await(state: State, slot: int, now: int, count: int) -> int:
    """Have a unit go on when what it asked for is there, or work until it needs that."""
    ready = state.slot_ready[slot]
    state.slot_ready[slot] = 0
    if state.slot_ahead[slot]:
        state.slot_due[slot] = ready
        ready = now
    return push(state.heap_time, state.heap_slot, count, ready, slot)


@inlined
def _serve(work: Work, state: State, limits: Limits, now: int, slot: int, count: int) -> int:
    """Let an idle SM work for a unit, for a while; the heap's new count.

    Longer work is cut, so that an older block need not wait for a younger one's to end.
    """
    sm = slot // (len(state.slot_block) // len(state.sm_until))
    turn = min(state.slot_left[slot], limits.quantum)
    state.slot_left[slot] -= turn
    state.sm_until[sm] = now + turn
    if state.slot_left[slot] > 0:
        state.slot_waits[slot] = 1
        return _call(state, sm, count)
    stream = _stream_of(work, state, limits, slot)
    done = max(now + turn, state.slot_since[slot] + work.alone[stream])
    return push(state.heap_time, state.heap_slot, count, done, slot + len(state.slot_block))


@inlined
def _call(state: State, sm: int, count: int) -> int:
    """Have an SM look for its next unit when it is free; the heap's new count."""
    if state.sm_called[sm]:
        return count
    state.sm_called[sm] = 1
    return push(
        state.heap_time, state.heap_slot, count, state.sm_until[sm], 2 * len(state.slot_block) + sm
    )


@inlined
def _serve_next(work: Work, state: State, limits: Limits, now: int, sm: int, count: int) -> int:
    """Let an SM work for the unit that waits in the longest resident block."""
    each = len(state.slot_block) // len(state.sm_until)
    best, waiting = -1, 0
    for slot in range(sm * each, (sm + 1) * each):
        if state.slot_waits[slot]:
            waiting += 1
            if best < 0 or state.slot_block[slot] < state.slot_block[best]:
                best = slot
    state.sm_called[sm] = 0
    if best < 0:
        return count
    state.slot_waits[best] = 0
    count = _serve(work, state, limits, now, best, count)
    return _call(state, sm, count) if waiting > 1 else count


@inlined
def _become_ready(work: Work, state: State, limits: Limits, now: int, slot: int, count: int) -> int:
    """A unit has what it waited for: serve it, or have it wait for its SM."""
    sm = slot // (len(state.slot_block) // len(state.sm_until))
    stream = _stream_of(work, state, limits, slot)
    more = _jitter(work.jitter[stream], state.slot_round[slot], slot)
    state.slot_left[slot] = max(0, work.busy[stream] + more)
    state.slot_since[slot] = now
    if state.sm_until[sm] <= now and state.sm_called[sm] == 0:
        return _serve(work, state, limits, now, slot, count)
    state.slot_waits[slot] = 1
    return _call(state, sm, count)


@step
def _start_first(work: Work, state: State, limits: Limits, places: int, first: Ints) -> int:
    """Seat the first blocks, in the order of the launch; the heap's count."""
    count = 0
    for place in range(len(first)):
        if first[place] >= 0:
            start = ((first[place] * limits.launch_block) >> 8) + state.late[place // places]
            before = place % places * limits.warps
            start += (before * limits.launch_warp) >> 8
            count = _seat(work, state, limits, place, first[place], start, count)
    return count


@compiled
def run_launch(
    work: Work, state: State, limits: Limits, places: int, first: Ints, rest: Ints,
    by_instruction: Ints, totals: Ints,
) -> None:  # fmt: skip
    """Run blocks: ``first`` by place (-1: none), then ``rest`` where a place becomes free.

    In the heap a slot stands for its unit being ready for work, a slot further on by their number
    for that work being done, an entry behind those for an SM that looks for its next unit.
    """
    slots = len(state.slot_block)
    count = _start_first(work, state, limits, places, first)
    following = 0
    now = 0
    while count > 0:
        now, entry = state.heap_time[0], state.heap_slot[0]
        count = pop(state.heap_time, state.heap_slot, count)
        if entry >= 2 * slots:
            count = _serve_next(work, state, limits, now, entry - 2 * slots, count)
            continue
        if entry < slots:
            count = _become_ready(work, state, limits, now, entry, count)
            continue
        slot = entry - slots
        place = slot // limits.units
        stream = _stream_of(work, state, limits, slot)
        index = work.first_round[stream] + state.slot_round[slot]
        if now < state.slot_due[slot]:
            count = push(state.heap_time, state.heap_slot, count, state.slot_due[slot], entry)
            continue
        if index < work.first_round[stream + 1] - 1:
            sm = place // places
            after = _run_items(work, state, limits, now, sm, slot, by_instruction, totals)
            if state.slot_last[slot] >= 0:
                count = push(state.heap_time, state.heap_slot, count, after, entry)
            else:
                count = _await(state, slot, after, count)
            continue
        state.left[place] -= 1
        if state.left[place] == 0 and following < len(rest):
            begin = now + limits.relaunch
            count = _seat(work, state, limits, place, rest[following], begin, count)
            following += 1
    totals[CYCLES] = now
