"""Blocks that become resident, with their units at the start of their streams."""

from __future__ import annotations

from simulator.jit import constant, inlined, step
from simulator.memory.caches import state as st
from simulator.memory.caches.heap import push
from simulator.memory.caches.state import Ints, Limits, State, Work

NONE = constant(-1)


@step
def seat(
    work: Work, state: State, limits: Limits, place: int, block: int, start: int, count: int
) -> int:
    """Make a block resident; the new count of the heap."""
    units, warps = limits.units, limits.warps
    for shift in range(len(work.shifts)):
        moved = 0
        for axis in range(work.steps.shape[1]):
            moved += work.shifts[shift, axis] * work.steps[block, axis]
        state.shifted[place, shift] = moved
    state.left[place] = units
    state.block[place] = block
    for unit in range(units):
        slot = place * units + unit
        _start_stream(work, state, slot, work.template[block] * units + unit)
        last = (unit + 1) * warps // units
        begin = start + ((last * limits.launch_warp) >> 8)
        count = push(state.heap, count, begin, slot + len(state.slots))
    return count


@inlined
def _start_stream(work: Work, state: State, slot: int, stream: int) -> None:
    """Have a unit follow a stream from its start."""
    slots = state.slots
    slots[slot, st.ROUND] = work.first_round[stream]
    slots[slot, st.END] = work.first_round[stream + 1] - 1
    slots[slot, st.ITEM] = work.rounds[work.first_round[stream]]
    slots[slot, st.ALONE] = 0
    slots[slot, st.SINCE] = 0
    slots[slot, st.READY] = 0
    slots[slot, st.COMES] = 1
    slots[slot, st.LAST] = NONE


@step
def start_first(work: Work, state: State, limits: Limits, places: int, first: Ints) -> int:
    """Seat the first blocks, in the order of the launch; the heap's count."""
    count = 0
    for slot in range(len(state.slots)):
        state.slots[slot, st.PLACE] = slot // limits.units
        state.slots[slot, st.SM] = slot // limits.units // places
    for place in range(len(first)):
        if first[place] >= 0:
            start = ((first[place] * limits.launch_block) >> 8) + state.late[place // places]
            before = place % places * limits.warps
            start += (before * limits.launch_warp) >> 8
            count = seat(work, state, limits, place, first[place], start, count)
    return count
