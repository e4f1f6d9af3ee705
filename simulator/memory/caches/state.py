"""What the compiled loop reads and writes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.jit import constant
from simulator.memory.caches.lru import Entries

Ints = NDArray[np.int64]

# Totals a simulation counts, in sectors but for the last.
TOTALS = (
    "load_sectors",
    "load_hits",
    "local_load_sectors",
    "local_load_hits",
    "store_sectors",
    "store_hits",
    "local_store_sectors",
    "local_store_hits",
    "reads_asked",
    "l2_read_sectors",
    "l2_read_hits",
    "l2_write_sectors",
    "l2_atomic_sectors",
    "l2_atomic_hits",
    "dram_read_sectors",
    "dram_fill_sectors",
    "dram_write_sectors",
    "cycles",
)
(
    LOADS, LOAD_HITS, LOCAL_LOADS, LOCAL_LOAD_HITS, STORES, STORE_HITS, LOCAL_STORES,
    LOCAL_STORE_HITS, ASKED, L2_READS, L2_READ_HITS, L2_WRITES, L2_ATOMICS, L2_ATOMIC_HITS,
    DRAM_READS, DRAM_FILLS, DRAM_WRITES, CYCLES,
) = (constant(n) for n in range(len(TOTALS)))  # fmt: skip
USES, QUEUED = constant(0), constant(1)  # places in ``clock``
LOCAL = constant(2)  # from a global count to the same of local memory

# What is kept of a unit of a resident block: the place of its block and their SM; the last and next
# round of its stream, and the next item; what its work takes (see Work); cycles of work that wait
# for the SM, since when; when all that it asked for is there; 1: what was asked for last is needed
# after the work, and when it is there; the first instruction that waits for the batch, the last
# one of it (none: the batch is out); 1: the heap has the end of its work, or what was to be that.
UNIT_COLUMNS = 16
(
    PLACE, SM, END, ROUND, ITEM, BUSY, ALONE, JITTER, LEFT, SINCE, READY, AHEAD, DUE, NEEDED, LAST,
    COMES,
) = (constant(n) for n in range(UNIT_COLUMNS))  # fmt: skip


class Work(NamedTuple):
    """What a launch asks (see ``streams.Streams``), by unit: a block, or a warp of it.

    Unit ``u`` of a block with template ``t`` follows stream ``t * units + u``. ``waits`` has, for
    every instruction, the first later one that needs its result, ``ahead`` 1 where a batch's work
    comes before that. Between two batches of loads a
    unit keeps its SM busy for ``busy`` cycles and takes ``alone`` at least on average, by stream,
    which has so many ``batches``; times ``shares`` by the instruction that a batch ends with. The
    square of how much that is more or less at most is ``varies``: by its cycles, always, and by
    their square.
    """

    base: Ints
    info: NDArray[np.uint32]
    words: NDArray[np.uint32]
    shift: NDArray[np.int32]
    rounds: Ints
    first_round: Ints
    shifts: Ints
    template: Ints
    steps: Ints
    waits: Ints
    ahead: Ints
    busy: Ints
    alone: Ints
    shares: NDArray[np.float64]
    varies: NDArray[np.float64]
    batches: Ints


class Limits(NamedTuple):
    """The model's numbers; cycles but where said."""

    l1_lines: int
    l2_sets: int  # of each partition
    l2_parts: int  # partitions of L2; a line is at home in one of them
    l2_far: int  # cycles that the other one is farther, there and back
    l2_ways: int
    dirty_ways: int
    unfinished_lines: int  # that wait for other words of sectors stored in part; 0: any number
    mapped: int  # 1: L2 holds everything, one map entry a line; 0: least recently used
    global_lines: int
    lines: int  # of global and local memory
    merge_most: int  # requests that one read serves
    merge_lead: int  # of a read's time: from an SM to its coalescer and back
    merge_turn: int  # after a request for other sectors, in which none joins
    refresh_period: int  # of DRAM; 0: never
    refresh_busy: int  # cycles that each of its parts is, one after the other
    refresh_parts: int
    refresh_phase: int  # when the first of them has its first turn
    seed: int  # of what varies by chance
    l1_latency: int
    l2_latency: int
    l2_spread: int
    request_gap: int
    launch_block: int  # 1/256 cycles between the starts of two blocks of the chip
    launch_warp: int  # 1/256 cycles
    relaunch: int
    local_stride: int  # bytes of local memory a resident block
    units: int  # of a block
    warps: int  # of a block


class State(NamedTuple):
    """The caches, the coalescers and the resident blocks.

    ``l2`` are entries as in ``lru`` that stay in their way, and when each was used, by ``clock``;
    ``dirty`` and ``written`` (words stored to sectors not valid) go with them. Where everything
    fits, ``map`` (valid bits of a line and its copy) and ``map_written`` (a sector) stand for them.
    ``queue`` has the lines that wait for the other words of sectors stored in part, which
    ``unfinished`` says, by entry of the map; so many have come as ``clock`` has it.
    ``asked`` are the coalescers' entries, by group of SMs: line and mask, cycle of the read, from
    and until when others may join, cycle served, how many asked. ``flight`` remembers lines on
    their way from DRAM, ``coming`` those on their way to an SM.
    """

    l1: Entries  # see l1
    l1_counts: Ints  # of each SM, see l1
    l2: Entries
    clock: Ints
    where: NDArray[np.int32]  # the way that a line had last, by partition and line
    dirty: NDArray[np.uint8]
    written: NDArray[np.uint8]
    map: NDArray[np.uint8]
    map_written: NDArray[np.uint8]
    unfinished: NDArray[np.uint8]
    queue: Ints
    windows: Ints  # cycles from a coalescer to DRAM and back: [1: far, hash of 4 KiB, of the line]
    asked: Ints  # [group, slot, column]: one cache line an entry
    flight: Ints  # [slot, LINE and AT]
    coming: Ints  # [SM, slot, LINE and AT]
    group: Ints  # of each SM
    side: Ints  # the partition of L2 that each group is at
    distance: Ints  # cycles from L2 and back, of each SM, beside the mean
    late: Ints  # cycles by which each SM's first blocks begin late
    sm_until: Ints  # at work for a unit until
    sm_serves: Ints  # the slot it works for
    left: Ints  # units of a resident block that go on, by place (SM * places + place)
    block: Ints  # resident at a place
    waits: Ints  # a bit for each unit of a place that waits for its SM
    slots: Ints  # [place * units + unit, column]: see above
    shifted: Ints  # [place, shift]: bytes
    heap: Ints  # see heap
