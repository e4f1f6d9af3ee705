"""Blocks on an SM: their launch, their warps' way through the streams, barriers, their end."""

from __future__ import annotations

from simulator.jit import inlined, int64
from simulator.memory.prefetching import LINE_WORDS, prefetch
from simulator.timing.fetching import LINE_INSTRUCTIONS, jump_to, run_into
from simulator.timing.lower import EXPECTED, EXTRA, SHADOW
from simulator.timing.rates import Rates
from simulator.timing.scoreboards import find_ready
from simulator.timing.stalls import BARRIER, BRANCH
from simulator.timing.state import (
    ALIVE,
    ASKED,
    ASYNC,
    BLOCK,
    BLOCK_RANK,
    BOARDS,
    CODE_READY,
    END,
    ENDED,
    FIRST_SLOT,
    FREE,
    GROUPS,
    GROUPS_KNOWN,
    HIGHEST,
    IDLE,
    LAST,
    LAST_BLOCK,
    LAST_END,
    LAUNCH_FREE,
    NEXT_BLOCK,
    PC,
    RANK,
    REQUEST,
    REQUEST_END,
    RESIDENT,
    SHADE,
    STARTED,
    STATUS,
    STEP,
    STEP_END,
    STEP_WORDS,
    UNIT_FREE,
    WAITS_AT,
    WAITS_BARRIER,
    WARP_CYCLES,
    Sm,
    Streams,
    subcore_of,
)


@inlined
def enter_step(sm: Sm, streams: Streams, slot: int) -> None:
    """Set a warp to the start of its current step."""
    slots = sm.slots
    number = slots[slot, STEP]
    prefetch(streams.steps, number * STEP_WORDS + LINE_WORDS)
    block = streams.steps[number, 0]
    slots[slot, PC] = streams.bounds[block, 0]
    slots[slot, END] = streams.bounds[block, 1]
    slots[slot, REQUEST] = streams.steps[number, 1]
    slots[slot, REQUEST_END] = streams.steps[number, 2]


@inlined
def line_of(sm: Sm, slot: int) -> int:
    """The line of code that a warp's next instruction is in."""
    return int64(sm.slots[slot, PC]) // LINE_INSTRUCTIONS


@inlined
def launch_block(sm: Sm, streams: Streams, rates: Rates, warps: int, first: int, now: int) -> None:
    """Start the SM's next block in the slots from ``first`` on."""
    block = sm.clock[NEXT_BLOCK]
    sm.clock[NEXT_BLOCK] += 1
    sm.clock[RESIDENT] += 1
    start = max(float(now), sm.flows[LAUNCH_FREE])
    sm.flows[LAUNCH_FREE] = start + max(rates.first_block, rates.launch_warp * warps)
    sm.blocks[block, ALIVE] = warps
    sm.blocks[block, FIRST_SLOT] = first
    sm.blocks[block, STARTED] = int64(start)
    for warp in range(warps):
        slot = first + warp
        at = int64(start + rates.warp_start * (warp + 1))
        stream = block * warps + warp
        sm.slots[slot, STEP] = streams.starts[stream]
        sm.slots[slot, STEP_END] = streams.starts[stream + 1]
        sm.slots[slot, BLOCK] = block
        sm.clock[HIGHEST] += 1
        sm.slots[slot, RANK] = sm.clock[HIGHEST] - block * BLOCK_RANK
        sm.slots[slot, LAST] = at
        sm.slots[slot, FREE] = at + 1
        sm.slots[slot, ASYNC] = sm.slots[slot, SHADE] = sm.slots[slot, ASKED] = 0
        sm.slots[slot, UNIT_FREE] = 0
        sm.slots[slot, GROUPS] = sm.slots[slot, GROUPS_KNOWN] = 0
        for board in range(BOARDS):
            sm.pending[slot, board] = sm.done[slot, board] = 0
        enter_step(sm, streams, slot)
        sm.slots[slot, CODE_READY] = jump_to(
            sm.code, rates.fetch, subcore_of(slot), line_of(sm, slot), at
        )
        find_ready(sm, streams, slot)


@inlined
def end_warp(sm: Sm, streams: Streams, rates: Rates, slot: int, now: int) -> None:
    """A warp is done; with its block's last one the next block may come. The chip ends one block
    after the other: SMs that began together are taken to end together."""
    slots = sm.slots
    block = slots[slot, BLOCK]
    slots[slot, STATUS] = IDLE
    sm.clock[WARP_CYCLES] += now - sm.blocks[block, STARTED]
    sm.blocks[block, ALIVE] -= 1
    if sm.blocks[block, ALIVE] > 0:
        for number in range(16):
            if sm.arrived[block, number]:
                open_barrier(sm, streams, rates, block, number, int64(0), now)
        return
    sm.flows[LAST_BLOCK] = max(sm.flows[LAST_BLOCK] + rates.block_end, float(now + rates.drain))
    end = int64(sm.flows[LAST_BLOCK])
    sm.blocks[block, ENDED] = end
    sm.clock[RESIDENT] -= 1
    sm.clock[LAST_END] = max(sm.clock[LAST_END], end)
    if sm.clock[NEXT_BLOCK] < sm.blocks.shape[0]:
        warps = (streams.starts.shape[0] - 1) // sm.blocks.shape[0]
        launch_block(sm, streams, rates, warps, sm.blocks[block, FIRST_SLOT], end + rates.relaunch)


@inlined
def advance(sm: Sm, streams: Streams, rates: Rates, slot: int, now: int) -> None:
    """Move a warp to its next instruction and find when that may issue."""
    if next_instruction(sm, streams, rates, slot):
        find_ready(sm, streams, slot)
    else:
        end_warp(sm, streams, rates, slot, now + 1)


@inlined
def next_instruction(sm: Sm, streams: Streams, rates: Rates, slot: int) -> bool:
    """Move on by one instruction; False at the end of the stream."""
    slots = sm.slots
    slots[slot, PC] += 1
    after = slots[slot, PC]
    if after == slots[slot, END]:
        slots[slot, STEP] += 1
        if slots[slot, STEP] == slots[slot, STEP_END]:
            return False
        enter_step(sm, streams, slot)
        if slots[slot, PC] != after:
            lasts = rates.branch if slots[slot, PC] < after else rates.branch_on
            taken = max(0, slots[slot, LAST] + lasts - slots[slot, FREE])
            slots[slot, FREE] += taken
            sm.stalls[after - 1, BRANCH] += taken
            slots[slot, CODE_READY] = jump_to(
                sm.code, rates.fetch, subcore_of(slot), line_of(sm, slot), slots[slot, FREE]
            )
            return True
    if after % LINE_INSTRUCTIONS == 0:
        slots[slot, CODE_READY] = run_into(
            sm.code, rates.fetch, subcore_of(slot), line_of(sm, slot), slots[slot, LAST] + 1
        )
    return True


@inlined
def open_barrier(
    sm: Sm, streams: Streams, rates: Rates, block: int, number: int, expected: int, now: int
) -> None:
    """Let the warps at a barrier go if all that take part have arrived."""
    needed = expected if expected else sm.blocks[block, ALIVE]
    if sm.arrived[block, number] < needed:
        return
    sm.arrived[block, number] = 0
    at = now + rates.barrier_latency
    first = sm.blocks[block, FIRST_SLOT]
    warps = (streams.starts.shape[0] - 1) // sm.blocks.shape[0]
    for slot in range(first, first + warps):
        if sm.slots[slot, STATUS] == WAITS_BARRIER and sm.slots[slot, WAITS_AT] == number:
            pc = sm.slots[slot, PC] + sm.slots[slot, SHADE]
            sm.stalls[pc, BARRIER] += max(0, at - sm.slots[slot, LAST] - 1)
            sm.slots[slot, FREE] = at
            sm.slots[slot, LAST] = at - 1
            find_ready(sm, streams, slot)


@inlined
def stand_at(sm: Sm, streams: Streams, rates: Rates, slot: int, pc: int, now: int) -> None:
    """A warp has issued a barrier and waits there; its arrival is on its way."""
    if not next_instruction(sm, streams, rates, slot):
        end_warp(sm, streams, rates, slot, now + 1)
        return
    sm.slots[slot, STATUS] = WAITS_BARRIER
    sm.slots[slot, WAITS_AT] = int64(streams.code[pc, EXTRA])
    sm.slots[slot, SHADE] = streams.code[pc, SHADOW]


@inlined
def arrive(sm: Sm, streams: Streams, rates: Rates, slot: int, pc: int, now: int) -> None:
    """A warp's arrival has reached its barrier."""
    block = sm.slots[slot, BLOCK]
    if sm.blocks[block, ALIVE] > 0:
        number = int64(streams.code[pc, EXTRA])
        sm.arrived[block, number] += 1
        open_barrier(sm, streams, rates, block, number, int64(streams.code[pc, EXPECTED]), now)
