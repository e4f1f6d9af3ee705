"""Which warp a sub-core issues from, and what its pipes and register banks let through."""

from __future__ import annotations

from simulator.jit import inlined, int64
from simulator.memory.vector import lowest_lane
from simulator.timing import opcodes as op
from simulator.timing.lower import BANKS, KIND, READS, READS_ALONE
from simulator.timing.rates import Rates
from simulator.timing.scan import due
from simulator.timing.stalls import DISPATCH, LG, MATH_PIPE, MIO
from simulator.timing.state import (
    BLOCK,
    CHARGED,
    FULL_CYCLES,
    FULL_SINCE,
    NEVER,
    PC,
    PLACES,
    QUEUE_GATE,
    RANK,
    SINCE,
    SPECIAL_GATE,
    STANDING,
    STOOD,
    Sm,
    Streams,
    place_of,
    slot_of,
    subcore_of,
)

_LITE = op.PIPES  # the column of the second FMA half


@inlined
def take_pipe(sm: Sm, subcore: int, pipe: int, has_lite: int, until: int) -> None:
    """Occupy a pipe; either half for what both can do, the lite one first. The FMA pipe as a whole
    is free when a half is."""
    pipes = sm.pipes[subcore]
    if pipe != op.FMA and pipe != op.FMA_HEAVY:
        pipes[pipe] = until
        return
    if pipe == op.FMA and has_lite and pipes[_LITE] <= pipes[op.FMA_HEAVY]:
        pipes[_LITE] = until
    else:
        pipes[op.FMA_HEAVY] = until
    pipes[op.FMA] = min(pipes[op.FMA_HEAVY], pipes[_LITE]) if has_lite else pipes[op.FMA_HEAVY]


@inlined
def reads_column(sm: Sm, slot: int) -> int:
    """The columns of register reads that hold for a warp now."""
    return READS if sm.last[subcore_of(slot)] == slot else READS_ALONE


@inlined
def banks_free(sm: Sm, streams: Streams, rates: Rates, slot: int, pc: int, now: int) -> int:
    """When the register banks have few enough reads left that an instruction can add its own."""
    column = reads_column(sm, slot)
    subcore = subcore_of(slot)
    free = int64(now)
    for bank in range(BANKS):
        reads = int64(streams.code[pc, column + bank])
        if reads:
            room = max(rates.bank_window - reads, 0)
            free = max(free, sm.banks[subcore, bank] - room)
    return free


@inlined
def read_banks(sm: Sm, streams: Streams, slot: int, pc: int, now: int) -> None:
    """Queue an instruction's register reads."""
    column = reads_column(sm, slot)
    subcore = subcore_of(slot)
    for bank in range(BANKS):
        reads = int64(streams.code[pc, column + bank])
        sm.banks[subcore, bank] = max(sm.banks[subcore, bank], now) + reads


@inlined
def full_cycles(sm: Sm, queue: int, now: int) -> int:
    """Cycles until now in which a sub-core's queue had no place."""
    row = sm.queued[queue]
    room = sm.pipes[queue, QUEUE_GATE]
    if room == NEVER:
        return int64(row[FULL_CYCLES] + max(0, now - row[FULL_SINCE]))
    return int64(row[FULL_CYCLES] - max(0, room - now))


@inlined
def set_room(sm: Sm, queue: int, at: int) -> None:
    """Note when a sub-core's queue has a place: the gate of instructions that want one."""
    sm.pipes[queue, QUEUE_GATE] = sm.pipes[queue, SPECIAL_GATE] = at


@inlined
def put_off(sm: Sm, subcore: int, place: int, reason: int, now: int, until: int) -> None:
    """A warp cannot issue before a time, and this is why."""
    slot = slot_of(subcore, place)
    sm.stalls[sm.slots[slot, PC], reason] += until - now
    sm.slots[slot, CHARGED] += until - now
    sm.wake[subcore, place] = until


@inlined
def stand_before(sm: Sm, subcore: int, place: int, now: int) -> None:
    """A warp stands before a full queue, behind those that have come before it."""
    if (sm.stalled[subcore] >> place) & 1:
        return
    slot = slot_of(subcore, place)
    sm.stalled[subcore] |= int64(1) << place
    sm.slots[slot, SINCE] = full_cycles(sm, subcore, now)
    sm.line[subcore, sm.queued[subcore, STANDING] & (PLACES - 1)] = place
    sm.queued[subcore, STANDING] += 1
    sm.wake[subcore, place] = NEVER


@inlined
def first_standing(sm: Sm, subcore: int) -> int:
    """The place of the warp that has stood before a full queue for longest."""
    return int64(sm.line[subcore, sm.queued[subcore, STOOD] & (PLACES - 1)])


@inlined
def others_stand(sm: Sm, subcore: int, place: int) -> bool:
    """Whether another warp has stood before the queue for longer."""
    return bool(sm.stalled[subcore] != 0 and first_standing(sm, subcore) != place)


@inlined
def end_stall(sm: Sm, streams: Streams, slot: int, now: int) -> None:
    """Book the cycles that a warp has stood before a full queue, if it has; it was the first."""
    subcore, bit = subcore_of(slot), int64(1) << place_of(slot)
    if sm.stalled[subcore] & bit:
        sm.stalled[subcore] ^= bit
        sm.queued[subcore, STOOD] += 1
        pc = sm.slots[slot, PC]
        waited = full_cycles(sm, subcore, now) - sm.slots[slot, SINCE]
        sm.stalls[pc, LG if streams.code[pc, KIND] >= op.LOAD else MIO] += waited
        sm.slots[slot, CHARGED] += waited


@inlined
def can_issue(sm: Sm, subcore: int, place: int, now: int) -> bool:
    """Whether a ready warp finds its pipe or queue free; if not, note why and when to try again."""
    gate = sm.gate[subcore, place]
    free = int64(sm.pipes[subcore, gate])
    if gate >= QUEUE_GATE and free <= now and others_stand(sm, subcore, place):
        free = now + 1
    if free > now:
        if gate >= QUEUE_GATE:
            stand_before(sm, subcore, place, now)
        else:
            put_off(sm, subcore, place, MATH_PIPE, now, free)
        sm.wakes[subcore] = min(sm.wakes[subcore], free)
    return free <= now


@inlined
def find_awake(sm: Sm, subcore: int, now: int) -> int:
    """The places whose warps are ready, one bit each; notes when the next of the others is."""
    awake, later = due(sm.wake, int64(subcore), now)
    if sm.stalled[subcore]:
        room = sm.pipes[subcore, QUEUE_GATE]
        if room <= now:
            awake |= int64(1) << first_standing(sm, subcore)
        else:
            later = min(later, room)
    sm.wakes[subcore] = later
    return awake


@inlined
def goes_first(sm: Sm, slot: int, other: int) -> bool:
    """Of two warps that can issue: that of the older block, or the higher rank in one block."""
    older = sm.slots[other, BLOCK] - sm.slots[slot, BLOCK]
    return bool(older > 0 or (older == 0 and sm.slots[slot, RANK] > sm.slots[other, RANK]))


@inlined
def choose(sm: Sm, subcore: int, awake: int, now: int) -> int:
    """The place of the warp that goes first of those awake that can issue; -1 if none can."""
    chosen = int64(-1)
    while awake:
        place = lowest_lane(awake)
        awake &= awake - 1
        if not can_issue(sm, subcore, place, now):
            continue
        if chosen < 0:
            chosen = place
        else:
            sm.wakes[subcore] = now + 1
            slot, other = slot_of(subcore, place), slot_of(subcore, chosen)
            if goes_first(sm, slot, other):
                chosen = place
    return chosen


@inlined
def select(sm: Sm, subcore: int, now: int) -> int:
    """The place of the warp to issue from: the last again, unless it asks for the load/store unit,
    else the first; -1 if none can."""
    awake = find_awake(sm, subcore, now)
    if sm.stalled[subcore] and sm.pipes[subcore, QUEUE_GATE] <= now:
        sm.wakes[subcore] = now + 1
    last = place_of(sm.last[subcore])
    if last >= 0 and (awake >> last) & 1 and sm.gate[subcore, last] != QUEUE_GATE:
        awake ^= int64(1) << last
        if can_issue(sm, subcore, last, now):
            if awake:
                sm.wakes[subcore] = now + 1
            return last
    return choose(sm, subcore, awake, now)


@inlined
def pick(sm: Sm, streams: Streams, rates: Rates, subcore: int, now: int) -> int:
    """The place of the warp that issues now; -1 if none does. One whose registers cannot be read
    yet holds the others back, too."""
    if sm.dispatch[subcore] > now:
        sm.wakes[subcore] = sm.dispatch[subcore]
        return int64(-1)
    place = select(sm, subcore, now)
    if place < 0 or max(sm.banks[subcore, 0], sm.banks[subcore, 1]) <= now:
        return place
    slot = slot_of(subcore, place)
    free = banks_free(sm, streams, rates, slot, sm.slots[slot, PC], now)
    if free <= now:
        return place
    end_stall(sm, streams, slot, now)
    put_off(sm, subcore, place, DISPATCH, now, free)
    sm.wakes[subcore] = free
    return int64(-1)
