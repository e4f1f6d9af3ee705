"""A heap of times and what happens then, in the arrays of the state."""

from __future__ import annotations

from simulator.jit import step
from simulator.memory.caches.state import State


@step
def push(state: State, count: int, time: int, slot: int) -> int:
    """Put a place into the heap; the new count."""
    at = count
    while at > 0:
        parent = (at - 1) >> 1
        if state.heap_time[parent] <= time:
            break
        state.heap_time[at] = state.heap_time[parent]
        state.heap_slot[at] = state.heap_slot[parent]
        at = parent
    state.heap_time[at], state.heap_slot[at] = time, slot
    return count + 1


@step
def pop(state: State, count: int) -> int:
    """Take the first place off the heap; the new count."""
    count -= 1
    time, slot = state.heap_time[count], state.heap_slot[count]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= count:
            break
        if child + 1 < count and state.heap_time[child + 1] < state.heap_time[child]:
            child += 1
        if state.heap_time[child] >= time:
            break
        state.heap_time[at] = state.heap_time[child]
        state.heap_slot[at] = state.heap_slot[child]
        at = child
    state.heap_time[at], state.heap_slot[at] = time, slot
    return count
