"""L2 and DRAM: sectors read and written, what hits, what goes to memory.

L2 has two partitions, and every line, by its 4 KiB, is at home in one of them. An SM reads through
the partition it is at, which keeps a copy of what it has to fetch from the other one; what is
stored goes to the line's home and stays where it came by. Measured on an NVIDIA H200: of a
stream's reads and stores half cross from one partition to the other, of sectors that all SMs read
each one does once (lts__t_sectors_op_read less those of SMs); of lines that all SMs stored a
quarter is far (sides.cu); 40 MiB last where one SM reads a line, not quite 30 MiB where all do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.jit import inlined, int64, step
from simulator.memory.caches.homes import home_of, map_index
from simulator.memory.caches.l1 import WORDS
from simulator.memory.caches.lru import ENTRY, USED, VALID_BITS, set_of
from simulator.memory.caches.state import (
    DRAM_FILLS,
    DRAM_READS,
    DRAM_WRITES,
    L2_ATOMIC_HITS,
    L2_ATOMICS,
    L2_READ_HITS,
    L2_READS,
    L2_WRITES,
    USES,
    Ints,
    Limits,
    State,
)  # fmt: skip
from simulator.memory.caches.unfinished import leave_unfinished
from simulator.memory.vector import popcount


@step
def _write_back(state: State, at: int, totals: Ints) -> None:
    """Count what a line costs that leaves L2, and make it clean."""
    dirty = int64(state.dirty[at])
    if dirty == 0:
        return
    totals[DRAM_WRITES] += popcount(dirty)
    totals[DRAM_FILLS] += popcount(dirty & ~(state.l2[at, ENTRY] & 15))
    state.dirty[at] = np.uint8(0)
    state.l2[at, ENTRY] |= dirty


@inlined
def _bring_l2(state: State, limits: Limits, part: int, line: int, totals: Ints) -> int:
    """Make a line the latest of its set in a partition; its way."""
    index = part * limits.lines + map_index(limits, line)
    state.clock[USES] += 1
    way = int64(state.where[index])
    if state.l2[way, ENTRY] >> VALID_BITS == line:
        state.l2[way, USED] = state.clock[USES]
        return way
    first = (part * limits.l2_sets + set_of(line, limits.l2_sets)) * limits.l2_ways
    oldest = first
    for way in range(first + 1, first + limits.l2_ways):
        if state.l2[way, USED] < state.l2[oldest, USED]:
            oldest = way
    state.where[index] = np.int32(oldest)
    _write_back(state, oldest, totals)
    for sector in range(4):
        state.written[oldest * 4 + sector] = np.uint8(0)
    state.l2[oldest, ENTRY] = line << VALID_BITS
    state.l2[oldest, USED] = state.clock[USES]
    return oldest


@inlined
def _limit_dirty(state: State, limits: Limits, way: int, totals: Ints) -> None:
    """Write the oldest dirty line of a way's set back when there are more than allowed."""
    first = way - way % limits.l2_ways
    count, oldest = 0, way
    for at in range(first, first + limits.l2_ways):
        if state.dirty[at]:
            count += 1
            if state.l2[at, USED] < state.l2[oldest, USED]:
                oldest = at
    if count > limits.dirty_ways:
        _write_back(state, oldest, totals)


@inlined
def in_pairs(mask: int) -> int:
    """Sectors with the other half of their 64 bytes, which is what DRAM delivers.

    Measured on an NVIDIA H200: a million random words of 16.8 MB bring 16.5 MB, as 64 bytes at a
    time would; sectors alone would be 14.5 MB.
    """
    return mask | (mask & 5) << 1 | (mask & 10) >> 1


@inlined
def _read_mapped(state: State, at: int, mask: int, crosses: int, totals: Ints) -> int:
    """Read sectors of a line where all fits: those the reader's partition lacks, and its home."""
    entry = int64(state.map[at])
    lacking = mask & ~(entry >> (4 * crosses))
    missing = lacking & ~entry & 15
    if lacking:
        fetched = in_pairs(missing) & ~entry & 15
        totals[DRAM_READS] += popcount(fetched)
        entry |= fetched
        if crosses:
            entry |= (lacking | fetched) << 4
        state.map[at] = np.uint8(entry)
    return lacking | missing << 4


@inlined
def _read_ways(
    state: State, limits: Limits, side: int, home: int, line: int, mask: int, totals: Ints
) -> int:
    """The same where lines have to make room for others."""
    way = _bring_l2(state, limits, side, line, totals)
    lacking = mask & ~int64(state.l2[way, ENTRY])
    if lacking == 0:
        return 0
    there = way if home == side else _bring_l2(state, limits, home, line, totals)
    missing = lacking & ~int64(state.l2[there, ENTRY])
    fetched = in_pairs(missing) & ~int64(state.l2[there, ENTRY]) & 15
    totals[DRAM_READS] += popcount(fetched)
    state.l2[there, ENTRY] |= fetched
    state.l2[way, ENTRY] |= lacking | fetched
    return int64(lacking | missing << 4)


@inlined
def read_l2(state: State, limits: Limits, side: int, line: int, mask: int, totals: Ints) -> int:
    """Read sectors of a line from an SM at a side; those that its partition has to fetch, and
    behind them, four bits on, those that have to come from DRAM."""
    home = home_of(limits, line)
    if limits.mapped:
        at = map_index(limits, line)
        found = _read_mapped(state, at, mask, int64(home != side), totals)
    else:
        found = _read_ways(state, limits, side, home, line, mask, totals)
    totals[L2_READS] += popcount(mask)
    totals[L2_READ_HITS] += popcount(mask & ~found)
    return found


@inlined
def _completed(written: NDArray[np.uint8], at: int, left: int, words: int) -> int:
    """Sectors of ``left`` that have all their words now; ``at`` is the line's first sector."""
    done = 0
    for sector in range(4):
        if left >> sector & 1:
            have = int64(written[at + sector]) | ((words >> (sector * 8)) & 0xFF)
            written[at + sector] = np.uint8(have)
            if have == 0xFF:
                done |= 1 << sector
    return done


@inlined
def _store_copy(state: State, limits: Limits, part: int, line: int, drop: int, keep: int) -> None:
    """Forget sectors of the copy in a partition, and have it hold others."""
    way = int64(state.where[part * limits.lines + map_index(limits, line)])
    if state.l2[way, ENTRY] >> VALID_BITS == line:
        state.l2[way, ENTRY] = state.l2[way, ENTRY] & ~drop | keep


@inlined
def write_l2(
    state: State, limits: Limits, side: int, line: int, mask: int, words: int, totals: Ints
) -> None:  # fmt: skip
    """Store to sectors of a line, ``words`` of it whole, from an SM at a side.

    They go to the line's home, and stay in the storing SM's partition on their way.
    """
    totals[L2_WRITES] += popcount(mask)
    home = home_of(limits, line)
    crosses = int64(home != side)
    if limits.mapped:
        at = map_index(limits, line)
        entry = int64(state.map[at])
        valid = entry & 15
        if mask & ~valid:
            valid |= _completed(state.map_written, at * 4, mask & ~valid, words)
        copied = entry >> 4 & ~mask | (mask & valid) * crosses
        state.map[at] = np.uint8(copied << 4 | valid)
        if mask & ~valid:
            leave_unfinished(state, limits, line, mask & ~valid, totals)
        return
    way = _bring_l2(state, limits, home, line, totals)
    valid = state.l2[way, ENTRY] & 15
    if mask & ~valid:
        valid |= _completed(state.written, way * 4, mask & ~valid, words)
    state.l2[way, ENTRY] |= valid
    if limits.l2_parts > 1:
        if crosses:
            _bring_l2(state, limits, side, line, totals)
        _store_copy(state, limits, 1 - home, line, mask, mask & valid * crosses)
    was = state.dirty[way]
    state.dirty[way] |= np.uint8(mask)
    if was == 0:
        _limit_dirty(state, limits, way, totals)
    if mask & ~valid:
        leave_unfinished(state, limits, line, mask & ~valid, totals)


@step
def update_l2(state: State, limits: Limits, line: int, mask: int, totals: Ints) -> None:
    """Atomics and reductions: read, change and keep sectors, where the line is at home."""
    home = home_of(limits, line)
    reads, hits = totals[L2_READS], totals[L2_READ_HITS]
    writes = totals[L2_WRITES]
    read_l2(state, limits, home, line, mask, totals)
    write_l2(state, limits, home, line, mask, WORDS, totals)
    totals[L2_ATOMICS] += totals[L2_READS] - reads
    totals[L2_ATOMIC_HITS] += totals[L2_READ_HITS] - hits
    totals[L2_READS], totals[L2_READ_HITS], totals[L2_WRITES] = reads, hits, writes
