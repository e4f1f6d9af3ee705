"""A heap of times and what happens then: numbers of which the high bits are a time, the low ones an
entry. Entries of one time come in no particular order."""

from __future__ import annotations

from simulator.jit import constant, step
from simulator.memory.caches.state import Ints

ENTRY_BITS = constant(24)
ENTRY = constant((1 << 24) - 1)


@step
def push(heap: Ints, count: int, time: int, entry: int) -> int:
    """Put an entry into the heap; the new count."""
    at = count
    while at > 0:
        parent = (at - 1) >> 1
        if heap[parent] >> ENTRY_BITS <= time:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = time << ENTRY_BITS | entry
    return count + 1


@step
def pop(heap: Ints, count: int) -> int:
    """Take the first entry off the heap; the new count."""
    count -= 1
    moved = heap[count]
    time = moved >> ENTRY_BITS
    at = 0
    while True:
        child = 2 * at + 1
        if child >= count:
            break
        if child + 1 < count:
            child += heap[child + 1] >> ENTRY_BITS < heap[child] >> ENTRY_BITS
        if heap[child] >> ENTRY_BITS >= time:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = moved
    return count
