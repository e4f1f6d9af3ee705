"""Sectors that were stored in part and that L2 does not have otherwise.

L2 keeps the words of some lines of them; for more it fetches what is missing of those that have
waited longest. Measured on an NVIDIA H200: stores to every second, third, fourth or eighth word
have all but some 7 MB of the buffer read from DRAM, those to one sector of each line all but a
quarter of that. What is completed before 2 MB of others have come is not fetched, of what
comes behind 4 MB a sixteenth is, behind 12 MB nearly all (masked.cu, h200_masked.json).
"""

from __future__ import annotations

from simulator.jit import inlined, int64, step
from simulator.memory.caches.homes import home_of, map_index
from simulator.memory.caches.lru import ENTRY, VALID_BITS
from simulator.memory.caches.state import DRAM_FILLS, QUEUED, Ints, Limits, State
from simulator.memory.vector import popcount


@step
def leave_unfinished(state: State, limits: Limits, line: int, sectors: int, totals: Ints) -> None:
    """Note sectors of a line that were stored in part; fetch those of the line that has waited for
    its other words for longest, if too many do."""
    index = map_index(limits, line)
    waits = int64(state.unfinished[index])
    state.unfinished[index] = waits | sectors
    if waits or limits.unfinished_lines == 0:
        return
    place = state.clock[QUEUED] % limits.unfinished_lines
    if state.clock[QUEUED] >= limits.unfinished_lines:
        _finish(state, limits, int64(state.queue[place]), totals)
    state.queue[place] = line
    state.clock[QUEUED] += 1


@inlined
def _finish(state: State, limits: Limits, line: int, totals: Ints) -> None:
    """Fetch what sectors of a line lack that were stored in part, if L2 still has it."""
    index = map_index(limits, line)
    sectors = int64(state.unfinished[index])
    state.unfinished[index] = 0
    if limits.mapped:
        fetched = sectors & ~int64(state.map[index])
        state.map[index] |= fetched
        totals[DRAM_FILLS] += popcount(fetched)
        return
    way = int64(state.where[home_of(limits, line) * limits.lines + index])
    if state.l2[way, ENTRY] >> VALID_BITS == line:
        fetched = sectors & ~int64(state.l2[way, ENTRY])
        state.l2[way, ENTRY] |= fetched
        totals[DRAM_FILLS] += popcount(fetched)
