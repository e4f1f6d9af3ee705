"""Where a warp goes when its lanes part and meet again.

At any time one group of lanes runs; others are parked with the basic block they go on at and what
they wait for: nothing, a convergence barrier (its number), a WARPSYNC, or the block's barrier.
Every lane keeps the members of its own convergence barriers, so that two groups inside one region,
or a recursive call, do not disturb each other. Order on divergence, and "every arriving group
executes BSYNC once, lanes go on together when all live members are there": seen on an NVIDIA H200
and in arXiv:2407.02944.
"""

from __future__ import annotations

import numpy as np

from simulator.emulator import layout as at
from simulator.emulator.runtime.codes import WAIT_BLOCK, WAIT_NOTHING, WAIT_SYNC
from simulator.emulator.runtime.raw import count_ones, load32, load64, store32
from simulator.emulator.runtime.state import fault, get, put, row_address, set_active
from simulator.jit import Int, step

STUCK = 3  # status: groups wait for lanes that never come
NO_BLOCK = -1


@step
def wait_of(w: Int, group: Int) -> Int:
    """What a parked group waits for."""
    return np.int64(np.int32(load32(w, at.GROUP_WAIT + group)))


@step
def park(w: Int, block: Int, lanes: Int, wait: Int, sync: Int) -> None:
    """Add a group of lanes at the end of the list."""
    group = get(w, at.GROUPS)
    put(w, at.GROUP_PC + group, block)
    put(w, at.GROUP_MASK + group, lanes)
    put(w, at.GROUP_WAIT + group, wait)
    put(w, at.GROUP_SYNC + group, sync)
    put(w, at.GROUPS, group + 1)


@step
def unpark(w: Int, group: Int) -> None:
    """Remove a group, keeping the order of the others."""
    last = get(w, at.GROUPS) - 1
    for g in range(group, last):
        for field in (at.GROUP_PC, at.GROUP_MASK, at.GROUP_WAIT, at.GROUP_SYNC):
            store32(w, field + g, load32(w, field + g + 1))
    put(w, at.GROUPS, last)


@step
def waiting_lanes(w: Int, wait: Int, block: Int) -> Int:
    """Lanes parked for the same thing at the same place."""
    lanes = 0
    for group in range(get(w, at.GROUPS)):
        if wait_of(w, group) == wait and get(w, at.GROUP_PC + group) == block:
            lanes |= get(w, at.GROUP_MASK + group)
    return lanes


@step
def take_waiting(w: Int, wait: Int, block: Int) -> None:
    """Remove the groups that :func:`waiting_lanes` counts."""
    group = get(w, at.GROUPS) - 1
    while group >= 0:
        if wait_of(w, group) == wait and get(w, at.GROUP_PC + group) == block:
            unpark(w, group)
        group -= 1


@step
def take_lanes(w: Int, wait: Int, block: Int, lanes: Int) -> None:
    """Remove some of the lanes that :func:`waiting_lanes` counts."""
    group = get(w, at.GROUPS) - 1
    while group >= 0:
        if wait_of(w, group) == wait and get(w, at.GROUP_PC + group) == block:
            rest = get(w, at.GROUP_MASK + group) & ~lanes
            put(w, at.GROUP_MASK + group, rest)
            if rest == 0:
                unpark(w, group)
        group -= 1


@step
def members(w: Int, wait: Int, sync: Int, lanes: Int) -> Int:
    """Live lanes that ``lanes`` wait for at a convergence barrier or WARPSYNC."""
    if wait == WAIT_SYNC:
        return sync & get(w, at.LIVE)
    first = count_ones(np.uint32(~lanes & (lanes - 1)))
    row = row_address(w, at.ROW_CONVERGENCE + wait)
    return np.int64(load32(row, first)) & get(w, at.LIVE)


@step
def release_complete(w: Int) -> None:
    """Make groups runnable whose missing lanes have exited or left the barrier."""
    for group in range(get(w, at.GROUPS)):
        wait = wait_of(w, group)
        if wait in (WAIT_NOTHING, WAIT_BLOCK):
            continue
        block = get(w, at.GROUP_PC + group)
        here = waiting_lanes(w, wait, block)
        own = get(w, at.GROUP_MASK + group)
        wanted = members(w, wait, get(w, at.GROUP_SYNC + group), own)
        if wanted & ~here == 0 and wanted:
            take_lanes(w, wait, block, wanted)
            park(w, block, wanted, WAIT_NOTHING, 0)
            return


@step
def resume(w: Int) -> Int:
    """Run the first parked group that waits for nothing; -1 when there is none."""
    release_complete(w)
    blocked = 0
    for group in range(get(w, at.GROUPS)):
        wait = wait_of(w, group)
        if wait == WAIT_NOTHING:
            block, lanes = get(w, at.GROUP_PC + group), get(w, at.GROUP_MASK + group)
            unpark(w, group)
            set_active(w, lanes)
            return block
        if wait == WAIT_BLOCK:
            blocked |= get(w, at.GROUP_MASK + group)
    set_active(w, 0)
    live = get(w, at.LIVE)
    if live == 0:
        put(w, at.STATUS, at.DONE)
    elif blocked == live:
        put(w, at.STATUS, at.AT_BARRIER)
    else:
        put(w, at.STATUS, STUCK)
    return NO_BLOCK


def branch(w: Int, x: Int, lanes: Int, target: Int, following: Int) -> Int:
    """BRA: the fall-through runs first, the taken lanes are parked."""
    active = get(w, at.ACTIVE)
    taken = np.int64(np.uint32(lanes)) & active
    if taken == 0:
        return following
    if taken == active:
        return target
    park(w, target, taken, WAIT_NOTHING, 0)
    set_active(w, active & ~taken)
    return following


def jump(w: Int, x: Int, row: Int, base: Int) -> Int:
    """RET, BRX: lanes go to the byte address in their register plus ``base``."""
    active, source = get(w, at.ACTIVE), row_address(w, row)
    table = load64(x, at.X_BLOCK_OF_ADDRESS)
    count = load64(x, at.X_INSTRUCTIONS)
    first = NO_BLOCK
    own = 0
    while active:
        lane = count_ones(np.uint32(~active & (active - 1)))
        address = np.int64(np.int32(load32(source, lane))) + base
        same = 0
        for other in range(lane, at.LANES):
            if active >> other & 1 and np.int64(np.int32(load32(source, other))) + base == address:
                same |= 1 << other
        active &= ~same
        index = address >> 4
        block: Int = NO_BLOCK
        if 0 <= index < count and address & 15 == 0:
            block = np.int64(np.int32(load32(table, index)))
        if block < 0:
            put(w, at.STATUS, STUCK)
            put(w, at.STRAY, address)
            return NO_BLOCK
        if first < 0:
            first, own = block, same
        else:
            park(w, block, same, WAIT_NOTHING, 0)
    set_active(w, own)
    return first


def exit_lanes(w: Int, x: Int, lanes: Int, following: Int) -> Int:
    """EXIT."""
    gone = np.int64(np.uint32(lanes))
    active = get(w, at.ACTIVE) & ~gone
    put(w, at.LIVE, get(w, at.LIVE) & ~gone)
    if active:
        if gone:
            set_active(w, active)
        return following
    return resume(w)


def trap(w: Int, x: Int, i: Int, lanes: Int) -> None:
    """BPT.TRAP, KILL: recorded like a fault, at address -1."""
    for lane in range(at.LANES):
        if np.uint32(lanes) >> np.uint32(lane) & np.uint32(1):
            fault(w, x, i, lane, -1)


def leave(w: Int, x: Int, lanes: Int, barrier: Int) -> None:
    """BREAK: lanes are no longer waited for at a convergence barrier."""
    gone = np.int64(np.uint32(lanes))
    if gone == 0:
        return
    row = row_address(w, at.ROW_CONVERGENCE + barrier)
    first = count_ones(np.uint32(~gone & (gone - 1)))
    together = np.int64(load32(row, first)) | gone
    for lane in range(at.LANES):
        if together >> lane & 1:
            store32(row, lane, load32(row, lane) & np.uint32(~gone & 0xFFFFFFFF))


def meet(w: Int, x: Int, lanes: Int, barrier: Int, following: Int) -> Int:
    """BSYNC."""
    return _gather_lanes(w, np.int64(np.uint32(lanes)), barrier, following, 0)


def warpsync(w: Int, x: Int, lanes: Int, wanted: Int, following: Int) -> Int:
    """WARPSYNC."""
    sync = np.int64(np.uint32(wanted))
    return _gather_lanes(w, np.int64(np.uint32(lanes)), WAIT_SYNC, following, sync)


def warpsync_lanes(w: Int, x: Int, lanes: Int, row: Int, following: Int, exclusive: Int) -> Int:
    """WARPSYNC with a mask of each lane; ``exclusive``: lanes of one mask go on alone."""
    here = np.int64(np.uint32(lanes))
    if here == 0:
        return following
    masks = row_address(w, row)
    first = _same_mask(masks, here)
    if first == here:
        return _gather_lanes(w, here, WAIT_SYNC, following, _mask_of(masks, here))
    rest = get(w, at.ACTIVE) & ~here
    if rest:
        park(w, following, rest, WAIT_NOTHING, 0)
    going: Int = 0
    while here:
        same = _same_mask(masks, here)
        mask = _mask_of(masks, here)
        wanted = mask & get(w, at.LIVE)
        here &= ~same
        if wanted & ~(waiting_lanes(w, WAIT_SYNC, following) | same):
            park(w, following, same, WAIT_SYNC, mask)
            continue
        take_lanes(w, WAIT_SYNC, following, wanted & ~same)
        if exclusive and going:
            park(w, following, wanted | same, WAIT_NOTHING, 0)
        else:
            going |= wanted | same
    if going == 0:
        return resume(w)
    set_active(w, going)
    return following


@step
def _mask_of(masks: Int, lanes: Int) -> Int:
    """The mask of the lowest lane."""
    return np.int64(load32(masks, count_ones(np.uint32(~lanes & (lanes - 1)))))


@step
def _same_mask(masks: Int, lanes: Int) -> Int:
    """The lanes whose mask is that of the lowest one."""
    mask = _mask_of(masks, lanes)
    same: Int = 0
    for lane in range(at.LANES):
        if lanes >> lane & 1 and np.int64(load32(masks, lane)) == mask:
            same |= 1 << lane
    return same


@step
def _gather_lanes(w: Int, lanes: Int, wait: Int, following: Int, sync: Int) -> Int:
    active = get(w, at.ACTIVE)
    here = waiting_lanes(w, wait, following) | lanes
    wanted = members(w, wait, sync, lanes)
    if wanted & ~here == 0 and (wanted == 0 or wanted & lanes):
        if wanted & ~active:
            take_lanes(w, wait, following, wanted)
            set_active(w, wanted | active)
        return following
    if lanes != active:
        park(w, following, active & ~lanes, WAIT_NOTHING, 0)
    park(w, following, lanes, wait, sync)
    return resume(w)


def yield_lanes(w: Int, x: Int, following: Int) -> Int:
    """YIELD, and the end of a time slice: another runnable group goes first."""
    if get(w, at.GROUPS) == 0:
        return following
    park(w, following, get(w, at.ACTIVE), WAIT_NOTHING, 0)
    return resume(w)


def block_barrier(
    w: Int, x: Int, lanes: Int, barrier: Int, threads: Int, vote: Int, kind: Int, following: Int
) -> Int:
    """BAR: bit 0 of ``kind`` is ARV, the bits above it the reduction (see the BAR row)."""
    here = np.int64(np.uint32(lanes))
    if here == 0:
        return following
    if kind & 1:
        arrivals = load64(x, at.X_ARRIVALS)
        store32(arrivals, barrier & 15, load32(arrivals, barrier & 15) + np.uint32(at.LANES))
        return following
    put(w, at.BARRIER_ID, barrier & 15 | (kind >> 1) << 8)
    put(w, at.BARRIER_THREADS, threads)
    put(w, at.BARRIER_VOTE, get(w, at.BARRIER_VOTE) | (np.int64(np.uint32(vote)) & here))
    rest = get(w, at.ACTIVE) & ~here
    if rest:
        park(w, following, rest, WAIT_NOTHING, 0)
    park(w, following, here, WAIT_BLOCK, 0)
    return resume(w)
