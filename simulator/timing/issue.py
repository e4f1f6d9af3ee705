"""The schedulers of the four sub-cores: which warp issues, and what issuing does."""

from __future__ import annotations

from simulator.jit import inlined, int64
from simulator.timing import opcodes as op
from simulator.timing.blocks import advance, arrive
from simulator.timing.lower import (
    BANKS,
    HOLD,
    INTERVAL,
    KIND,
    LATENCY,
    PIPE,
    READ,
    READS,
    READS_ALONE,
    RELEASE,
    STALL,
    WAIT,
    WRITE,
)
from simulator.timing.parameters import Rates
from simulator.timing.recorder import record_issue
from simulator.timing.requests import R_INSTRUCTION
from simulator.timing.stalls import (
    DISPATCH,
    LONG_SCOREBOARD,
    MATH_PIPE,
    NOT_SELECTED,
    SELECTED,
    SHORT_SCOREBOARD,
)
from simulator.timing.stalls import WAIT as WAITED
from simulator.timing.state import (
    BLOCK,
    BOARDS,
    CHARGED,
    FREE,
    ISSUED,
    LAST,
    NEVER,
    NO_REQUEST,
    PC,
    QUEUE_PLACES,
    READY,
    REQUEST,
    REQUEST_END,
    SINCE,
    STATUS,
    SUBCORES,
    WAITS_QUEUE,
    Sm,
    Streams,
    cost_of,
)

_LITE = op.PIPES  # the column of the second FMA half


@inlined
def pipe_free(sm: Sm, subcore: int, pipe: int, has_lite: int) -> int:
    """When a pipe can take an instruction."""
    if pipe == op.NO_PIPE:
        return int64(0)
    if pipe == op.FMA:
        heavy = sm.pipes[subcore, op.FMA_HEAVY]
        return int64(min(heavy, sm.pipes[subcore, _LITE]) if has_lite else heavy)
    return int64(sm.pipes[subcore, pipe])


@inlined
def take_pipe(sm: Sm, subcore: int, pipe: int, has_lite: int, until: int) -> None:
    """Occupy a pipe; either half for what both can do, the lite one first."""
    if pipe == op.FMA:
        lite_first = has_lite and sm.pipes[subcore, _LITE] <= sm.pipes[subcore, op.FMA_HEAVY]
        sm.pipes[subcore, _LITE if lite_first else op.FMA_HEAVY] = until
    else:
        sm.pipes[subcore, pipe] = until


@inlined
def reads_column(sm: Sm, slot: int) -> int:
    """The columns of register reads that hold for a warp now."""
    return READS if sm.last[slot % SUBCORES] == slot else READS_ALONE


@inlined
def banks_free(sm: Sm, streams: Streams, rates: Rates, slot: int, pc: int, now: int) -> int:
    """When the register banks have few enough reads left that an instruction can add its own."""
    column = reads_column(sm, slot)
    subcore = slot % SUBCORES
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
    subcore = slot % SUBCORES
    for bank in range(BANKS):
        reads = int64(streams.code[pc, column + bank])
        sm.banks[subcore, bank] = max(sm.banks[subcore, bank], now) + reads


@inlined
def is_queued(kind: int) -> bool:
    """Whether an instruction goes through the load/store unit."""
    return kind >= op.LSU_ONLY and kind <= op.ASYNC_COPY


@inlined
def can_issue(sm: Sm, streams: Streams, rates: Rates, slot: int, now: int) -> bool:
    """Whether pipe and queue have room; if not, note why and when to try again."""
    subcore = slot % SUBCORES
    pc = sm.slots[slot, PC]
    free = pipe_free(sm, subcore, streams.code[pc, PIPE], rates.has_lite)
    if free > now:
        sm.stalls[pc, MATH_PIPE] += free - now
        sm.slots[slot, CHARGED] += free - now
        sm.wake[slot % SUBCORES, slot // SUBCORES] = free
        return False
    free = banks_free(sm, streams, rates, slot, pc, now)
    if free > now:
        sm.stalls[pc, DISPATCH] += free - now
        sm.slots[slot, CHARGED] += free - now
        sm.wake[slot % SUBCORES, slot // SUBCORES] = free
        return False
    if is_queued(streams.code[pc, KIND]) and sm.queued[subcore, 1] >= rates.queue:
        sm.slots[slot, STATUS] = WAITS_QUEUE
        sm.slots[slot, SINCE] = now
        sm.wake[slot % SUBCORES, slot // SUBCORES] = NEVER
        return False
    return True


@inlined
def pick(sm: Sm, streams: Streams, rates: Rates, subcore: int, now: int) -> int:
    """The warp to issue from: the last one again, else the youngest; -1 if none can."""
    chosen = int64(-1)
    later = NEVER
    for place in range(sm.wake.shape[1]):
        if sm.wake[subcore, place] > now:
            later = min(later, sm.wake[subcore, place])
            continue
        slot = place * SUBCORES + subcore
        if can_issue(sm, streams, rates, slot, now):
            later = now + 1
            if chosen < 0 or (
                chosen != sm.last[subcore]
                and (slot == sm.last[subcore] or sm.slots[slot, BLOCK] >= sm.slots[chosen, BLOCK])
            ):
                chosen = slot
        else:
            later = min(later, sm.wake[subcore, place])
    sm.wakes[subcore] = later
    return chosen


@inlined
def charge(sm: Sm, streams: Streams, slot: int, now: int) -> None:
    """Book the cycles since the warp's last issue under their reasons."""
    slots = sm.slots
    pc = slots[slot, PC]
    row = sm.stalls[pc]
    row[SELECTED] += 1
    row[WAITED] += max(0, slots[slot, FREE] - slots[slot, LAST] - 1)
    waited = slots[slot, READY] - max(slots[slot, FREE], slots[slot, LAST] + 1)
    if waited > 0:
        row[board_reason(sm, streams, slot, pc)] += waited
    row[NOT_SELECTED] += max(0, now - slots[slot, READY] - slots[slot, CHARGED])


@inlined
def board_reason(sm: Sm, streams: Streams, slot: int, pc: int) -> int:
    """Which kind of scoreboard was free last."""
    for board in range(BOARDS):
        if (streams.code[pc, WAIT] >> board) & 1 and sm.done[slot, board] == sm.slots[slot, READY]:
            return LONG_SCOREBOARD if sm.is_long[slot, board] else SHORT_SCOREBOARD
    return SHORT_SCOREBOARD


@inlined
def take_request(sm: Sm, streams: Streams, slot: int, pc: int) -> int:
    """The warp's next request if this instruction makes one (-1: all its lanes are off)."""
    slots = sm.slots
    first = slots[slot, REQUEST]
    found = int64(-1)
    while slots[slot, REQUEST] < slots[slot, REQUEST_END]:
        if cost_of(streams, slots[slot, REQUEST], R_INSTRUCTION) != pc:
            break
        found = first
        slots[slot, REQUEST] += 1
    return found


@inlined
def enqueue(sm: Sm, streams: Streams, rates: Rates, slot: int, pc: int, now: int) -> None:
    """Send a memory instruction on its way to the load/store unit."""
    subcore = slot % SUBCORES
    row = streams.code[pc]
    board = row[WRITE]
    read = max(sm.operands[subcore], now) + row[HOLD]
    sm.operands[subcore] = read
    request = int64(-1)
    if row[KIND] != op.LSU_ONLY:
        request = take_request(sm, streams, slot, pc)
        if request < 0:
            request = NO_REQUEST
    place = (sm.queued[subcore, 0] + sm.queued[subcore, 1]) % QUEUE_PLACES
    sm.queue[subcore, place, 0] = slot
    sm.queue[subcore, place, 1] = pc
    sm.queue[subcore, place, 2] = request
    sm.queue[subcore, place, 3] = read - row[HOLD] + rates.enter
    sm.queued[subcore, 1] += 1
    if board >= 0:
        sm.pending[slot, board] += 1


@inlined
def set_boards(sm: Sm, streams: Streams, slot: int, pc: int, now: int) -> None:
    """Scoreboards whose end is known at issue."""
    row = streams.code[pc]
    if row[READ] >= 0:
        until = now + row[RELEASE]
        sm.done[slot, row[READ]] = max(sm.done[slot, row[READ]], until)
        sm.is_long[slot, row[READ]] = 0
    if row[WRITE] >= 0 and row[KIND] <= op.VARIABLE:
        until = now + row[LATENCY]
        sm.done[slot, row[WRITE]] = max(sm.done[slot, row[WRITE]], until)
        sm.is_long[slot, row[WRITE]] = 0


@inlined
def issue(sm: Sm, streams: Streams, rates: Rates, slot: int, now: int) -> None:
    """Issue the next instruction of a warp."""
    pc = sm.slots[slot, PC]
    row = streams.code[pc]
    subcore = slot % SUBCORES
    charge(sm, streams, slot, now)
    if sm.recorder.shape[0]:
        record_issue(sm, slot, pc, board_reason(sm, streams, slot, pc), now)
    sm.clock[ISSUED] += 1
    read_banks(sm, streams, slot, pc, now)
    sm.last[subcore] = slot
    if row[PIPE] != op.NO_PIPE:
        take_pipe(sm, subcore, row[PIPE], rates.has_lite, now + row[INTERVAL])
        sm.pipe_cycles[row[PIPE]] += row[INTERVAL]
    set_boards(sm, streams, slot, pc, now)
    if is_queued(row[KIND]):
        enqueue(sm, streams, rates, slot, pc, now)
    sm.slots[slot, LAST] = now
    sm.slots[slot, FREE] = now + row[STALL]
    if row[KIND] == op.BARRIER or row[KIND] == op.BARRIER_ARRIVE:
        arrive(sm, streams, rates, slot, pc, now)
    else:
        advance(sm, streams, rates, slot, now)
