"""Runs blocks: their warps in turn, each until it waits, until every warp is done.

A block whose warps used up whole slices for some rounds may wait for another block; the scheduler
then returns, so that the caller can see whether it does (see ``emulator.turns``).
"""

from __future__ import annotations

import numpy as np

from simulator.emulator import layout as at
from simulator.emulator.runtime.codes import WAIT_BLOCK, WAIT_NOTHING
from simulator.emulator.runtime.control import park, resume, take_waiting, wait_of
from simulator.emulator.runtime.raw import call_code, count_ones, load32, load64, store32, store64
from simulator.emulator.runtime.state import get, put, row_address, set_active
from simulator.jit import Int, compiled, step

# Why the scheduler returned.
FINISHED = 0
DRAIN = 1  # the event buffer may not hold the next basic block's events
DEADLOCK = 2
TICK = 3  # a chance for the caller to be interrupted
LONG = 4  # between two rounds of a block of which warps have used up whole slices

SLICE = 2048  # basic blocks a warp may run before another warp's turn
# A slice begins anew when the events are drained, so many times at most.
MOST_DRAINS = 64
TICK_BLOCKS = 40_000_000
STEP_BYTES = 20
STEP_CAPACITY = 8192

# How run_warp came to its end.
WAITS, FULL, SLICE_OVER = range(3)

# Indices into the scheduler's state: position in the list of blocks and where that ends; whether
# the block has started; the warp that runs, the basic blocks left of its slice and how often that
# began anew; slices so far; whether a slice was used up in this round, rounds with such ones and
# after how many to return; basic blocks of a slice.
STATE_WORDS = 11
(
    S_POSITION, S_END, S_STARTED, S_WARP, S_LEFT, S_DRAINS, S_STEPS, S_LONG, S_ROUNDS, S_PATIENCE,
    S_SLICE,
) = range(STATE_WORDS)  # fmt: skip


@step
def start_block(
    x: Int, warps: Int, stride: Int, count: Int, threads: Int, block: Int, rows: Int, poison: Int
) -> None:
    """Reset every warp and the shared memory for a block (linear index)."""
    grid_x, grid_y = load64(x, at.X_GRID_DIM), load64(x, at.X_GRID_DIM + 1)
    shared = load64(x, at.X_SHARED)
    for word in range((load64(x, at.X_SHARED_BYTES) + 3) >> 2):
        store32(shared, word, np.uint32(poison))
    for barrier in range(16):
        store32(load64(x, at.X_ARRIVALS), barrier, np.uint32(0))
    for warp in range(count):
        w = warps + warp * stride
        for index in range(at.HEADER_WORDS):
            put(w, index, 0)
        registers = row_address(w, at.ROW_PREDICATE)
        for word in range((rows - at.ROW_PREDICATE) * at.LANES):
            store32(registers, word, np.uint32(0))
        put(w, at.WARP, warp)
        put(w, at.BLOCK, block)
        put(w, at.CTAID, block % grid_x)
        put(w, at.CTAID + 1, block // grid_x % grid_y)
        put(w, at.CTAID + 2, block // (grid_x * grid_y))
        lanes = min(32, threads - 32 * warp)
        live = (1 << lanes) - 1
        put(w, at.LIVE, live)
        set_active(w, live)


@step
def _release(w: Int, reduced: Int) -> None:
    """Let the lanes that wait at the block barrier go on, those at one place together."""
    group = 0
    while group < get(w, at.GROUPS):
        if wait_of(w, group) == WAIT_BLOCK:
            block = get(w, at.GROUP_PC + group)
            lanes = 0
            for other in range(get(w, at.GROUPS)):
                if wait_of(w, other) == WAIT_BLOCK and get(w, at.GROUP_PC + other) == block:
                    lanes |= get(w, at.GROUP_MASK + other)
            take_waiting(w, WAIT_BLOCK, block)
            park(w, block, lanes, WAIT_NOTHING, 0)
            group = 0
        else:
            group += 1
    put(w, at.STATUS, at.READY)
    put(w, at.BARRIER_VOTE, 0)
    put(w, at.REDUCED, reduced)
    put(w, at.PC, resume(w))


@step
def _at_barrier(w: Int, barrier: Int) -> bool:
    here: bool = get(w, at.STATUS) == at.AT_BARRIER and get(w, at.BARRIER_ID) & 15 == barrier
    return here


@step
def _reduce(warps: Int, stride: Int, count: Int, barrier: Int) -> Int:
    """The value of a BAR.RED: number of true lanes, all, or any."""
    true = lanes = kind = 0
    for warp in range(count):
        w = warps + warp * stride
        if _at_barrier(w, barrier):
            kind = get(w, at.BARRIER_ID) >> 8
            live = get(w, at.LIVE)
            lanes += count_ones(np.uint32(live))
            true += count_ones(np.uint32(get(w, at.BARRIER_VOTE) & live))
    if kind == 2:
        return -1 if true == lanes else 0
    if kind == 3:
        return -1 if true > 0 else 0
    return true


@step
def release_barriers(x: Int, warps: Int, stride: Int, count: Int) -> bool:
    """Open every complete block barrier; whether one opened."""
    opened = False
    arrivals = load64(x, at.X_ARRIVALS)
    for barrier in range(16):
        here = np.int64(load32(arrivals, barrier))
        expected = alive = 0
        waiting = 0
        for warp in range(count):
            w = warps + warp * stride
            if get(w, at.STATUS) != at.DONE:
                alive += at.LANES
            if _at_barrier(w, barrier):
                waiting += 1
                here += at.LANES
                expected = get(w, at.BARRIER_THREADS)
        if waiting and here >= (expected if expected else alive):
            reduced = _reduce(warps, stride, count, barrier)
            store32(arrivals, barrier, np.uint32(0))
            for warp in range(count):
                w = warps + warp * stride
                if _at_barrier(w, barrier):
                    _release(w, reduced)
            opened = True
    return opened


@step
def write_step(w: Int, x: Int, steps: Int, block: Int) -> None:
    """Note that the warp's running lanes enter a basic block (see events.STEP)."""
    count = load64(x, at.X_STEP_COUNT)
    record = steps + count * STEP_BYTES
    store32(record, 0, load32(w, at.WARP))
    store32(record, 1, load32(w, at.BLOCK))
    store32(record, 2, np.uint32(block))
    store32(record, 3, load32(w, at.ACTIVE))
    store32(record, 4, np.uint32(load64(x, at.X_EVENT_COUNT)))
    store64(x, at.X_STEP_COUNT, count + 1)


@step
def run_warp(
    w: Int, x: Int, table: Int, needs: Int, capacity: Int, executed: Int, threads: Int, state: Int
) -> Int:
    """Run one warp for what is left of its slice: until it waits, the events must be drained
    (FULL), or the slice is over."""
    block = np.int64(np.int32(load32(w, at.PC)))
    steps = load64(x, at.X_STEPS)
    for left in range(state[S_LEFT], 0, -1):
        if load64(x, at.X_EVENT_COUNT) + load64(needs, block) > capacity:
            put(w, at.PC, block)
            state[S_LEFT] = left
            return FULL
        if steps != 0:
            if load64(x, at.X_STEP_COUNT) >= STEP_CAPACITY:
                put(w, at.PC, block)
                state[S_LEFT] = left
                return FULL
            write_step(w, x, steps, block)
        store64(executed, block, load64(executed, block) + 1)
        lanes = count_ones(load32(w, at.ACTIVE))
        store64(threads, block, load64(threads, block) + lanes)
        block = np.int64(call_code(load64(table, block), w, x))
        if block < 0:
            return WAITS
    store64(x, at.X_CLOCK, load64(x, at.X_CLOCK) + state[S_SLICE])
    if get(w, at.GROUPS) > 0:
        park(w, block, get(w, at.ACTIVE), WAIT_NOTHING, 0)
        block = resume(w)
    put(w, at.PC, block)
    return SLICE_OVER


@compiled
def run(
    x: Int, table: Int, needs: Int, capacity: Int, executed: Int, thread_executed: Int, warps: Int,
    stride: Int, count: Int, threads: Int, rows: Int, poison: Int,
    blocks: Int, state: Int,
) -> Int:  # fmt: skip
    """Run ``blocks`` (int64 linear indices) from where ``state`` says; returns why."""
    while state[S_POSITION] < state[S_END]:
        if state[S_STARTED] == 0:
            block = blocks[state[S_POSITION]]
            start_block(x, warps, stride, count, threads, block, rows, poison)
            state[S_STARTED], state[S_WARP], state[S_LEFT] = 1, 0, state[S_SLICE]
            state[S_LONG] = state[S_ROUNDS] = state[S_DRAINS] = 0
        progress = False
        while state[S_WARP] < count:
            w = warps + state[S_WARP] * stride
            if get(w, at.STATUS) == at.READY:
                progress = True
                why = run_warp(w, x, table, needs, capacity, executed, thread_executed, state)
                if why == FULL:
                    state[S_DRAINS] += 1
                    if state[S_DRAINS] < MOST_DRAINS:
                        state[S_LEFT] = state[S_SLICE]
                    return DRAIN
                if why == SLICE_OVER:
                    state[S_LONG] = 1
                state[S_LEFT], state[S_DRAINS] = state[S_SLICE], 0
                state[S_STEPS] += 1
            state[S_WARP] += 1
        state[S_WARP] = 0
        if _finished(warps, stride, count):
            state[S_POSITION] += 1
            state[S_STARTED] = 0
        elif not release_barriers(x, warps, stride, count) and not progress:
            return DEADLOCK
        state[S_ROUNDS] += state[S_LONG]
        state[S_LONG] = 0
        if state[S_ROUNDS] >= state[S_PATIENCE]:
            state[S_ROUNDS] = 0
            return LONG
        if state[S_STEPS] * 64 > TICK_BLOCKS:
            state[S_STEPS] = 0
            return TICK
    return FINISHED


@step
def _finished(warps: Int, stride: Int, count: Int) -> bool:
    running = 0
    for warp in range(count):
        running += get(warps + warp * stride, at.STATUS) != at.DONE
    return running == 0
