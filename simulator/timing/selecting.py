"""Which warp a sub-core issues from, and what its pipes and register banks let through."""

from __future__ import annotations

from simulator.device.structure import REGISTER_BANKS
from simulator.jit import inlined, int64
from simulator.memory.vector import lowest_lane
from simulator.timing import opcodes as op
from simulator.timing.lower import KIND, READS, READS_ALONE
from simulator.timing.rates import Rates
from simulator.timing.stalls import DISPATCH, LG, MATH_PIPE, MIO
from simulator.timing.state import (
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
from simulator.timing.waking import book, fall_asleep, find_due


@inlined
def take_pipe(sm: Sm, rates: Rates, subcore: int, pipe: int, now: int, until: int) -> None:
    """Occupy a pipe; for what both halves of FMA can do the lite one if it is free. The FMA pipe as
    a whole is free when a half is. The special unit has a queue: its gate opens before it is
    free."""
    pipes = sm.pipes[subcore]
    if pipe == op.XU:
        pipes[pipe] = max(int64(pipes[pipe]), now - rates.xu_queue) + until - now
        return
    if pipe != op.FMA and pipe != op.FMA_HEAVY and pipe != op.FMA_LITE:
        pipes[pipe] = until
        return
    lite, heavy = int64(pipes[op.FMA_LITE]), int64(pipes[op.FMA_HEAVY])
    takes_lite = (
        (rates.has_lite != 0) & (pipe != op.FMA_HEAVY) & ((lite <= now) | (pipe == op.FMA_LITE))
    )
    lite = until if takes_lite else lite
    heavy = heavy if takes_lite else until
    pipes[op.FMA_LITE], pipes[op.FMA_HEAVY] = lite if rates.has_lite else heavy, heavy
    pipes[op.FMA] = min(heavy, lite) if rates.has_lite else heavy


@inlined
def xu_begin(sm: Sm, rates: Rates, subcore: int, interval: int) -> int:
    """When the special unit begins what was issued to it last."""
    return int64(sm.pipes[subcore, op.XU]) + rates.xu_queue - interval


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
    for bank in range(REGISTER_BANKS):
        reads = int64(streams.code[pc, column + bank])
        until = sm.banks[subcore, bank] - max(rates.bank_window - reads, 0)
        free = max(free, until if reads else free)
    return free


@inlined
def read_banks(sm: Sm, streams: Streams, slot: int, pc: int, now: int) -> None:
    """Queue an instruction's register reads."""
    column = reads_column(sm, slot)
    subcore = subcore_of(slot)
    for bank in range(REGISTER_BANKS):
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
    book(sm, subcore, place, until)


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
    fall_asleep(sm, subcore, place)


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
    if free <= now:
        if gate < QUEUE_GATE or not others_stand(sm, subcore, place):
            return True
        free = now + 1
    if gate >= QUEUE_GATE:
        stand_before(sm, subcore, place, now)
    else:
        put_off(sm, subcore, place, MATH_PIPE, now, free)
    sm.wakes[subcore] = min(sm.wakes[subcore], free)
    return False


@inlined
def find_awake(sm: Sm, subcore: int, now: int) -> int:
    """The places whose warps are ready, one bit each; notes when the next of the others is."""
    awake, later = find_due(sm, int64(subcore), now)
    room = int64(sm.pipes[subcore, QUEUE_GATE])
    stands = sm.stalled[subcore] != 0
    may_enter = stands & (room <= now)
    awake |= int64(may_enter) << first_standing(sm, subcore)
    later = min(later, room if stands else later)
    sm.wakes[subcore] = now + 1 if may_enter else later
    return awake


@inlined
def choose(sm: Sm, subcore: int, awake: int, now: int) -> int:
    """The place of the warp that goes first of those awake that can issue; -1 if none can."""
    chosen = int64(-1)
    highest = -NEVER
    while awake:
        place = lowest_lane(awake)
        awake &= awake - 1
        if can_issue(sm, subcore, place, now):
            if chosen >= 0:
                sm.wakes[subcore] = now + 1
            rank = int64(sm.slots[slot_of(subcore, place), RANK])
            if rank > highest:
                chosen, highest = place, rank
    return chosen


@inlined
def select(sm: Sm, subcore: int, now: int) -> int:
    """The place of the warp to issue from: the last again, unless it asks for the load/store unit,
    else the first; -1 if none can."""
    awake = find_awake(sm, subcore, now)
    last = place_of(max(sm.last[subcore], 0))
    if ((awake >> last) & 1) & (sm.gate[subcore, last] != QUEUE_GATE) & (sm.last[subcore] >= 0):
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
    if place < 0:
        return place
    slot = slot_of(subcore, place)
    free = banks_free(sm, streams, rates, slot, sm.slots[slot, PC], now)
    if free <= now:
        return place
    end_stall(sm, streams, slot, now)
    put_off(sm, subcore, place, DISPATCH, now, free)
    sm.wakes[subcore] = free
    return int64(-1)
