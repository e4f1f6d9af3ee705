"""What the SM loop reads and writes: streams, and the state of one SM."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.device import structure
from simulator.device.structure import LINE_BYTES, REGISTER_BANKS
from simulator.jit import constant, inlined, int64
from simulator.memory.caches.l1 import COUNTS, empty_l1, make_l1
from simulator.timing.fetching import Code
from simulator.timing.opcodes import PIPES
from simulator.timing.requests import R_COST
from simulator.timing.stalls import REASONS

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

NEVER = constant(1 << 60)
NO_REQUEST = constant(-2)  # a queued memory instruction whose lanes are all off
SUBCORES = structure.SUBCORES
BOARDS = 7  # six that the code names, and
STORES = 6  # one for stores on their way, which a warp's end waits for
QUEUE_PLACES = 16  # a power of two
LANES = structure.LSU_LANES  # of the load/store unit's port

# Columns of a warp slot.
(
    PC,
    END,  # past the last instruction of the basic block
    STEP,
    STEP_END,
    REQUEST,  # next request
    REQUEST_END,  # past the last request of the step
    LAST,  # when it issued last
    STATUS,
    BLOCK,  # position in the SM's list of blocks
    FREE,  # end of the last stall count, or of the barrier
    CHARGED,  # cycles since READY that a reason has been found for
    READY,  # when stall count and scoreboards let it go
    SINCE,  # cycles its queue had been full when it began to wait for a place
    ASYNC,  # when its asynchronous copies are done
    WAITS_AT,  # barrier number
    GROUPS,  # groups of asynchronous copies closed so far
    GROUPS_KNOWN,  # those of which it is known when they are done
    STORED,  # the request of its last store,
    STORED_SENT,  # and when L2 takes that
    RANK,  # of two warps the one with the higher rank is issued from: that of the older block, ...
    UNIT_FREE,  # when the load/store unit has done with its last instruction
    SHADE,  # instructions to come that its last barrier did not hold
    CODE_READY,  # when its next instruction has come from memory
    STORED_AT,  # how many lines the SM had stored before it
    ASKED,  # 1: it has asked for a result since it last came behind the others
) = range(25)
SLOT = 32  # a power of two, so that a slot is found quickly
GROUP_PLACES = 8  # groups of copies of a warp that are remembered
IDLE, RUNS, WAITS_RESULT, WAITS_BARRIER = range(4)
# Columns of a queue: first place, instructions in it, cycles it has been full, since when it is;
# warps that have stood before it until they could go on, and that have come to stand there.
QUEUE_FIRST, QUEUE_COUNT, FULL_CYCLES, FULL_SINCE, STOOD, STANDING = range(6)
# Of the sub-core: instructions issued; how many had been at a time, and the part of the cycles
# before in which it issued, in ``WHOLE`` parts.
ISSUES, LOOKED_AT, ISSUES_THEN, DENSITY = range(6, 10)
QUEUE = 10
WHOLE = 1024
BLOCK_RANK = constant(1 << 40)  # by how much warps of a block rank above those of the next one
# Rows on the queues' heads: when it is there and its warp's instruction before it done (NEVER: the
# queue is empty); whether it needs a lane of the port, the tag stage, and room for what it sends
# (-1) or not (0); when it came, and its kind.
HEAD_TIME, NEEDS_PORT, NEEDS_TAG, NEEDS_ROOM, HEAD_CAME, HEAD_KIND = range(6)
HEAD = 6
# What an instruction must find free: its pipe or, beyond the pipes, a place in the queue.
QUEUE_GATE = PIPES
# The same for what stands in the queue but asks for no memory.
SPECIAL_GATE = PIPES + 1


# Scalars: integers, and times of servers with the cycles they were busy.
(
    NOW, NEXT_BLOCK, RESIDENT, LAST_END, ISSUED, WARP_CYCLES, QUEUE_TURN,
    NEW_HEAD,  # 1: an instruction has entered an empty queue since a service was looked for
    SENT,  # next place in the ring of atomics' passes
    HIGHEST, LOWEST,  # ranks given out
    HOT_LINE, HOT_UNTIL,  # the last store to a hot line, and until when it waits for its slice
    PAGES_SEEN,  # pages asked for so far
    COPIED,  # next place in the ring of asynchronous copies
    LINES_STORED,  # so far
    L1_LINES,  # that L1 has room for
    LAST_COMES,  # when the last of what loads have asked L2 for is there
    EPOCH,  # when the times of ``wake`` are counted from
    CLOCK,
) = range(20)  # fmt: skip
(
    PORT_FREE, TAG_FREE, L2_FREE, DRAM_FREE, STORE_FREE, ADDRESS_FREE, LAUNCH_FREE,
    PORT_BUSY, TAG_BUSY, L2_BUSY, DRAM_BUSY, STORE_BUSY, ATOMIC_FREE, ATOMIC_CHIP, READ_FREE,
    L2_ASKED, DRAM_ASKED,  # cycles asked for, at the rate of an SM's share
    DRAM_WRITTEN,  # those of DRAM that stores asked for
    PORT_OTHER,  # the second lane of the port
    LAST_BLOCK,  # when its last block ended
    HOT_FREE,  # the slices of hot lines
    COPY_FREE,  # what makes requests of asynchronous copies
    READS_FREE, READS_ASKED,  # the ways from L2 to the SMs
    SENDS_FREE, SENDS_ASKED,  # and from the SMs to L2
    L2_STEP, READS_STEP, SENDS_STEP, DRAM_STEP,  # what is shared, as far as SMs ask in step
    FILLED,  # what has been read from DRAM or stored, in cycles of DRAM's reads
    STORED_ALL,  # what of it was stored
    UNFINISHED,  # lines of sectors stored in part, in cycles of DRAM's reads of them
    FLOWS,  # how many there are
) = range(34)  # fmt: skip
SERVERS = (
    PORT_FREE, TAG_FREE, L2_FREE, READS_FREE, SENDS_FREE, DRAM_FREE, STORE_FREE, READ_FREE,
    ATOMIC_FREE,
)  # fmt: skip

STEP_WORDS = 3  # columns of a step, see ``trace.Trace``
# Columns of a block: warps alive, first slot, when its frame is free again, when it started.
ALIVE, FIRST_SLOT, STARTED, ENDED = range(4)


class Streams(NamedTuple):
    """What the warps do; see ``trace.Trace`` and ``lower``."""

    code: NDArray[np.int32]
    bounds: NDArray[np.int32]
    steps: NDArray[np.int32]
    starts: Ints
    requests: NDArray[np.int32]
    costs: NDArray[np.int32]
    line: NDArray[np.int32]  # running number of each request line's 128-byte line
    bits: NDArray[np.int32]  # sectors touched, and four bits up those filled
    distance: NDArray[np.int32]  # cycles from the mean latency, by line
    far: NDArray[np.int32]  # cycles that DRAM takes longer as it is at the other part, by line
    page: NDArray[np.int32]  # number of its page, by line
    part: NDArray[np.int32]  # which part of DRAM, refreshed together, it is in, by line
    uneven: NDArray[np.float32]  # what its channel has to do beyond the mean, in deviations
    luck: NDArray[np.float32]  # what a read of it waits in its channel's queue, 1 for the mean
    crowd: NDArray[np.float32]  # how busy its L2 slices are, 1 for the mean, by line
    merged: NDArray[np.float32]  # reads of it that L2 serves together
    users: NDArray[np.float32]  # SMs that use it
    times: NDArray[np.float32]  # how often they do for once that this SM does: 1 in step with it
    share: NDArray[np.float32]  # part of a line's DRAM traffic that this SM pays for, by line
    paired: NDArray[
        np.bool_
    ]  # whether blocks next to this one ask for other sectors of it, by line
    fetch: NDArray[np.float32]  # what reading it from DRAM takes, 1 in a long run of lines
    rest: NDArray[np.float32]  # what part of the sectors stored to its other words never come to
    put: NDArray[np.float32]  # what writing one of its sectors to DRAM takes, 1 likewise


@inlined
def subcore_of(slot: int) -> int:
    """The sub-core of a warp slot: slots are dealt out in turn."""
    return slot & (SUBCORES - 1)


@inlined
def place_of(slot: int) -> int:
    """A slot's place among those of its sub-core."""
    return slot >> 2


@inlined
def slot_of(subcore: int, place: int) -> int:
    """The slot at a place of a sub-core."""
    return place * SUBCORES + subcore


@inlined
def cost_of(streams: Streams, request: int, column: int) -> int:
    """A column of a request's costs."""
    return int64(streams.costs[streams.requests[request, R_COST], column])


class Sm(NamedTuple):
    """The state of one SM."""

    slots: Ints
    constants: Ints  # (line,) when a line of constants is there; negative: what it takes
    wake: NDArray[np.int32]  # (sub-core, place) when a warp can issue, see ``waking``
    gate: Ints  # (sub-core, place) column of ``pipes`` that the next instruction must find free
    stalled: Ints  # (sub-core,) places of the warps that stand before a full queue, one bit each
    line: Ints  # (sub-core, place) the same in the order in which they came, in a ring
    pending: Ints  # (slot, scoreboard) operations whose end is not known yet
    done: Ints  # (slot, scoreboard) when the known ones end
    groups: Ints  # (slot, place) when each of the last groups of asynchronous copies is done
    is_long: Ints  # (slot, scoreboard) whether the last one to end came from L1 or beyond
    pipes: Ints  # (sub-core, pipe or gate) when it is free; NEVER: not before a service
    banks: Ints  # (sub-core, register bank) when it has no reads left to do
    operands: Ints  # (sub-core,) when the port that reads memory operands is free
    sent: Floats  # (pass,) when each of the last atomics' passes is done, in a ring
    copied: Ints  # (copy,) when all requests of each of the last asynchronous copies are made, in a
    # ring
    wakes: Ints  # (sub-core,) when to look at its warps again
    last: Ints  # (sub-core,) slot that issued last
    dispatch: Ints  # (sub-core,) until when an instruction's passes take its dispatch port
    queue: Ints  # (sub-core, place, 4): slot, instruction, request, when it is there
    queued: Ints  # (sub-core, column): see QUEUE_FIRST
    heads: Ints  # (row, sub-core): see HEAD_TIME
    blocks: Ints
    arrived: Ints  # (block, barrier number)
    clock: Ints
    flows: Floats
    l1: Ints  # see ``memory.caches.l1``
    l1_counts: Ints  # the same
    l1_ready: Ints  # (line, sector) when its bytes are in L1, as long as that holds the line
    l2_ready: Ints  # (line, sector) when L2 has it; -1: in DRAM only
    l2_used: Floats  # (line,) what had been filled into L2 when it was used last, in cycles of
    # DRAM; infinite: not used yet
    pages: Ints  # (page,) when its address is known; NEVER: nobody has asked for it
    dirty: NDArray[np.uint8]  # (line,) sectors that this SM has written, which go to DRAM once
    stalls: Ints  # (instruction, reason) warp-cycles
    pipe_cycles: Ints  # (pipe,)
    recorder: Ints  # see ``recorder``; no rows: off
    code: Code


PLACES = 16  # of a sub-core: no GPU has room for more warps


def _heads() -> Ints:
    heads = np.zeros((HEAD, SUBCORES), np.int64)
    heads[[HEAD_TIME, HEAD_CAME]] = NEVER
    return heads


def make_sm(
    instructions: int, slots: int, blocks: int, l1_bytes: int, passes: int,
    l2_ready: Ints, code: Code, pages: int = 1, copies: int = 1,
    recorder: Ints | None = None,
) -> Sm:  # fmt: skip
    """An empty SM for so many warp slots and blocks, with an L1 of some size; ``passes`` of
    atomics can be on their way, and ``copies`` wait to make their requests."""
    clock = np.zeros(CLOCK, np.int64)
    clock[L1_LINES] = l1_bytes // LINE_BYTES
    l1, l1_counts = make_l1(1), np.zeros((1, int(COUNTS)), np.int64)
    empty_l1(l1, l1_counts)
    return Sm(
        slots=np.zeros((slots, SLOT), np.int64),
        constants=np.zeros(instructions, np.int64),
        wake=np.full((SUBCORES, PLACES), np.iinfo(np.int32).max, np.int32),
        gate=np.zeros((SUBCORES, PLACES), np.int64),
        stalled=np.zeros(SUBCORES, np.int64),
        line=np.zeros((SUBCORES, PLACES), np.int64),
        pending=np.zeros((slots, BOARDS), np.int64),
        done=np.zeros((slots, BOARDS), np.int64),
        groups=np.zeros((slots, GROUP_PLACES), np.int64),
        is_long=np.zeros((slots, BOARDS), np.int64),
        pipes=np.zeros((SUBCORES, SPECIAL_GATE + 1), np.int64),
        banks=np.zeros((SUBCORES, REGISTER_BANKS), np.int64),
        operands=np.zeros(SUBCORES, np.int64),
        sent=np.zeros(passes, np.float64),
        copied=np.zeros(copies, np.int64),
        wakes=np.zeros(SUBCORES, np.int64),
        last=np.full(SUBCORES, -1, np.int64),
        dispatch=np.zeros(SUBCORES, np.int64),
        queue=np.zeros((SUBCORES, QUEUE_PLACES, 4), np.int64),
        queued=np.zeros((SUBCORES, QUEUE), np.int64),
        heads=_heads(),
        blocks=np.zeros((blocks, 4), np.int64),
        arrived=np.zeros((blocks, 16), np.int64),
        clock=clock,
        flows=np.zeros(FLOWS, np.float64),
        l1=l1,
        l1_counts=l1_counts,
        l1_ready=np.empty((len(l2_ready), 4), np.int64),
        l2_ready=l2_ready,
        l2_used=np.full(len(l2_ready), np.inf),
        pages=np.full(pages, NEVER, np.int64),
        dirty=np.zeros(len(l2_ready), np.uint8),
        stalls=np.zeros((instructions, REASONS), np.int64),
        pipe_cycles=np.zeros(PIPES, np.int64),
        recorder=np.zeros((0, 0), np.int64) if recorder is None else recorder,
        code=code,
    )
