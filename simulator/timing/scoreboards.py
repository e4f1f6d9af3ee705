"""When a warp may issue: stall counts and scoreboards; and when to look at it again."""

from __future__ import annotations

from simulator.jit import inlined, int64
from simulator.memory.vector import lowest_lane
from simulator.timing import opcodes as op
from simulator.timing.lower import EXTRA, KIND, PIPE, WAIT
from simulator.timing.state import (
    CHARGED,
    FREE,
    NEVER,
    PC,
    QUEUE_GATE,
    READY,
    RUNS,
    STATUS,
    WAITS_RESULT,
    Sm,
    Streams,
    place_of,
    subcore_of,
)


@inlined
def is_queued(kind: int) -> bool:
    """Whether an instruction goes through the load/store unit."""
    return kind >= op.LSU_ONLY and kind <= op.ASYNC_COPY


@inlined
def find_ready(sm: Sm, streams: Streams, slot: int) -> None:
    """Work out when a warp's next instruction may issue, or that it waits for a result."""
    slots = sm.slots
    pc = slots[slot, PC]
    ready = slots[slot, FREE]
    mask = int64(streams.code[pc, WAIT])
    kind = streams.code[pc, KIND]
    if kind == op.DEPENDENCY_BARRIER and streams.code[pc, EXTRA]:
        mask = int64(0)
    while mask:
        board = lowest_lane(mask)
        mask &= mask - 1
        if sm.pending[slot, board] > 0:
            slots[slot, STATUS] = WAITS_RESULT
            sm.wake[subcore_of(slot), place_of(slot)] = NEVER
            return
        ready = max(ready, sm.done[slot, board])
    slots[slot, STATUS] = RUNS
    slots[slot, READY] = ready
    slots[slot, CHARGED] = 0
    sm.gate[subcore_of(slot), place_of(slot)] = (
        QUEUE_GATE if is_queued(kind) else streams.code[pc, PIPE]
    )
    set_wake(sm, slot, ready)


@inlined
def set_wake(sm: Sm, slot: int, time: int) -> None:
    """Note when to look at a warp again."""
    subcore = subcore_of(slot)
    sm.wake[subcore, place_of(slot)] = time
    sm.wakes[subcore] = min(sm.wakes[subcore], time)
