"""A heap of times and what happens then, in two arrays."""

from __future__ import annotations

from simulator.jit import step
from simulator.memory.caches.state import Ints


@step
def push(times: Ints, slots: Ints, count: int, time: int, slot: int) -> int:
    """Put a place into the heap; the new count."""
    at = count
    while at > 0:
        parent = (at - 1) >> 1
        if times[parent] <= time:
            break
        times[at] = times[parent]
        slots[at] = slots[parent]
        at = parent
    times[at], slots[at] = time, slot
    return count + 1


@step
def pop(times: Ints, slots: Ints, count: int) -> int:
    """Take the first place off the heap; the new count."""
    count -= 1
    time, slot = times[count], slots[count]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= count:
            break
        if child + 1 < count and times[child + 1] < times[child]:
            child += 1
        if times[child] >= time:
            break
        times[at] = times[child]
        slots[at] = slots[child]
        at = child
    times[at], slots[at] = time, slot
    return count
