"""When a warp may issue: stall counts and scoreboards; and when to look at it again."""

from __future__ import annotations

from simulator.jit import inlined, int64
from simulator.memory.vector import lowest_lane
from simulator.timing import opcodes as op
from simulator.timing.lower import CONSTANT, EXTRA, GATE, KIND, WAIT
from simulator.timing.stalls import CONSTANT_MISS, NO_INSTRUCTION
from simulator.timing.state import (
    ASKED,
    BLOCK,
    BLOCK_RANK,
    CHARGED,
    CODE_READY,
    FREE,
    GROUP_PLACES,
    GROUPS,
    GROUPS_KNOWN,
    LOWEST,
    PC,
    RANK,
    READY,
    RUNS,
    STATUS,
    WAITS_RESULT,
    Sm,
    Streams,
    place_of,
    subcore_of,
)
from simulator.timing.waking import book


@inlined
def is_queued(kind: int) -> bool:
    """Whether an instruction stands in a sub-core's queue."""
    return kind >= op.CONSTANT and kind <= op.ASYNC_COPY


@inlined
def find_begin(sm: Sm, streams: Streams, slot: int, pc: int, ready: int) -> int:
    """When an instruction that is ready otherwise has come from memory, with its constants."""
    code = sm.slots[slot, CODE_READY]
    if code > ready:
        sm.stalls[pc, NO_INSTRUCTION] += code - ready
        ready = code
    line = streams.code[pc, CONSTANT]
    if line >= 0:
        if sm.constants[line] < 0:  # what it takes
            sm.constants[line] = ready - sm.constants[line]
        if sm.constants[line] > ready:
            sm.stalls[pc, CONSTANT_MISS] += sm.constants[line] - ready
            ready = sm.constants[line]
    return int64(ready)


@inlined
def go_behind(sm: Sm, slot: int) -> None:
    """A warp that needs a result that it has asked for comes behind the others of its block, had it
    to wait or not: one that others have kept back so long finds it there."""
    sm.clock[LOWEST] -= 1
    sm.slots[slot, ASKED] = 0
    sm.slots[slot, RANK] = sm.clock[LOWEST] - sm.slots[slot, BLOCK] * BLOCK_RANK


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
        wanted = slots[slot, GROUPS] - streams.code[pc, EXTRA]
        if wanted > slots[slot, GROUPS_KNOWN]:
            slots[slot, STATUS] = WAITS_RESULT
            return
        if wanted > 0:
            ready = max(ready, sm.groups[slot, (wanted - 1) % GROUP_PLACES])
    while mask:
        board = lowest_lane(mask)
        mask &= mask - 1
        if sm.pending[slot, board] > 0:
            slots[slot, STATUS] = WAITS_RESULT
            return
        ready = max(ready, sm.done[slot, board])
    if ready > slots[slot, FREE] or (slots[slot, ASKED] and streams.code[pc, WAIT] != 0):
        go_behind(sm, slot)
    begin = find_begin(sm, streams, slot, pc, ready)
    slots[slot, STATUS] = RUNS
    slots[slot, READY] = ready
    slots[slot, CHARGED] = begin - ready
    sm.gate[subcore_of(slot), place_of(slot)] = streams.code[pc, GATE]
    set_wake(sm, slot, begin)


@inlined
def set_wake(sm: Sm, slot: int, time: int) -> None:
    """Note when to look at a warp again."""
    subcore = subcore_of(slot)
    book(sm, subcore, place_of(slot), time)
    sm.wakes[subcore] = min(sm.wakes[subcore], time)
