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
LOCAL = constant(2)  # from a global count to the same of local memory


class Work(NamedTuple):
    """What a launch asks (see ``streams.Streams``).

    ``waits`` has, for every instruction, the first later one that needs its result.
    ``between`` are the cycles an SM works for a block between two batches of loads, by template.
    """

    base: Ints
    info: NDArray[np.uint32]
    stored: NDArray[np.uint32]
    shift: NDArray[np.int32]
    rounds: Ints
    first_round: Ints
    shifts: Ints
    template: Ints
    steps: Ints
    waits: Ints
    between: Ints


class Limits(NamedTuple):
    """The model's numbers; cycles but where said."""

    l1_sets: int
    l1_ways: int
    l2_sets: int
    l2_ways: int
    dirty_ways: int
    mapped: int  # 1: L2 holds everything, one map entry a line; 0: least recently used
    global_lines: int
    merge_most: int  # requests a coalesced one serves
    merge_window: int
    merge_long_window: int
    merge_long_percent: int  # of sectors have the long window
    miss_short_window: int  # sectors that miss in L2
    miss_short_percent: int
    miss_window_from: int
    miss_window_to: int
    l1_latency: int
    l2_latency: int
    l2_spread: int
    dram_latency: int
    request_gap: int
    start_gap: int
    lateness: int
    lateness_share: int  # of the work between loads, in 1/256
    local_stride: int  # bytes of local memory a resident block


class State(NamedTuple):
    """The caches, the coalescers and the resident blocks.

    ``l2`` are entries as in ``lru``, but stay in their way; ``used`` (when, by ``clock``),
    ``dirty`` and ``written`` (bytes stored to sectors not valid) go with them. Where everything
    fits, ``map`` (valid and dirty bits a line) and ``map_written`` (a sector) stand for them.
    Coalescer entries, per group of SMs: line and mask, cycle asked, cycles in which others may
    join, cycle served, how many asked. ``flight`` remembers lines on their way from DRAM.
    """

    l1: Entries
    l2: Entries
    used: Ints
    clock: Ints
    dirty: NDArray[np.uint8]
    written: NDArray[np.uint8]
    map: NDArray[np.uint8]
    map_written: NDArray[np.uint8]
    asked_key: Ints
    asked_at: Ints
    window_at: Ints
    served_at: Ints
    asked_count: Ints
    flight_line: Ints
    flight_until: Ints
    group: Ints  # of each SM
    sm_free: Ints  # 0 idle, 1 at work for a block
    slot_block: Ints  # resident block by place (SM * places + place), -1: none
    slot_round: Ints
    slot_waits: Ints
    shifted: Ints  # [place, shift]: sectors
    heap_time: Ints
    heap_slot: Ints
