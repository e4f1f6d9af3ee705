"""When a warp may issue: stall counts, scoreboards, and places in the queue."""

from __future__ import annotations

from simulator.jit import inlined, int64
from simulator.timing import opcodes as op
from simulator.timing.lower import EXTRA, KIND, WAIT
from simulator.timing.stalls import LG, MIO
from simulator.timing.state import (
    BOARDS,
    CHARGED,
    FREE,
    NEVER,
    PC,
    READY,
    RUNS,
    SINCE,
    STATUS,
    SUBCORES,
    WAITS_QUEUE,
    WAITS_RESULT,
    Sm,
    Streams,
)


@inlined
def find_ready(sm: Sm, streams: Streams, slot: int) -> None:
    """Work out when a warp's next instruction may issue, or that it waits for a result."""
    slots = sm.slots
    pc = slots[slot, PC]
    ready = slots[slot, FREE]
    mask = streams.code[pc, WAIT]
    if mask and not (streams.code[pc, KIND] == op.DEPENDENCY_BARRIER and streams.code[pc, EXTRA]):
        for board in range(BOARDS):
            if (mask >> board) & 1:
                if sm.pending[slot, board] > 0:
                    slots[slot, STATUS] = WAITS_RESULT
                    sm.wake[slot % SUBCORES, slot // SUBCORES] = NEVER
                    return
                ready = max(ready, sm.done[slot, board])
    slots[slot, STATUS] = RUNS
    slots[slot, READY] = ready
    slots[slot, CHARGED] = 0
    set_wake(sm, slot, ready)


@inlined
def set_wake(sm: Sm, slot: int, time: int) -> None:
    """Note when to look at a warp again."""
    sm.wake[slot % SUBCORES, slot // SUBCORES] = time
    subcore = slot % SUBCORES
    sm.wakes[subcore] = min(sm.wakes[subcore], time)


@inlined
def wake_queue(sm: Sm, streams: Streams, queue: int, now: int) -> None:
    """A place in a queue is free: the warps that wait for one may try again."""
    slot = int64(queue)
    while slot < sm.slots.shape[0]:
        if sm.slots[slot, STATUS] == WAITS_QUEUE:
            pc = sm.slots[slot, PC]
            reason = LG if streams.code[pc, KIND] >= op.LOAD else MIO
            waited = now + 1 - sm.slots[slot, SINCE]
            sm.stalls[pc, reason] += waited
            sm.slots[slot, CHARGED] += waited
            sm.slots[slot, STATUS] = RUNS
            set_wake(sm, slot, now + 1)
        slot += SUBCORES
