"""Fetching ahead what the caches' tables have on the items that come next.

The tables of a whole chip do not stay in a core's own caches, and each item looks up several
entries of them. Asked for some items at once, the entries come together, not one by one. Nothing is
counted here, and a wrong guess only costs time.
"""

from __future__ import annotations

from simulator.jit import Int, inlined, int64
from simulator.memory.caches.heap import ENTRY
from simulator.memory.caches.homes import map_index
from simulator.memory.caches.l1 import fetch_last, row_of
from simulator.memory.caches.lru import slot_of
from simulator.memory.caches.state import ITEM, ROUND, UNIT_COLUMNS, Limits, State, Work
from simulator.memory.prefetching import prefetch


@inlined
def line_of(work: Work, state: State, limits: Limits, place: int, item: int) -> Int:
    """The first line that an item of a unit touches."""
    shift = int64(work.shift[item])
    if shift < 0:
        return (work.base[item] + place * limits.local_stride) >> 7
    return (work.base[item] + state.shifted[place, shift]) >> 7


@inlined
def fetch_ahead(
    work: Work, state: State, limits: Limits, sm: int, place: int, start: int, end: int
) -> None:
    """Fetch the entries of the lines of some items."""
    fetch_last(state.l1_counts, sm, limits.l1_lines)
    group, coming = state.group[sm], state.coming.shape[1]
    side = state.side[group]
    asked, columns = state.asked.shape[1], state.asked.shape[2]
    for item in range(start, end):
        line = line_of(work, state, limits, place, item)
        prefetch(state.l1, row_of(sm, line))
        if limits.merge_most > 1:
            prefetch(state.asked, (group * asked + slot_of(line, asked)) * columns)
        prefetch(state.coming, (sm * coming + slot_of(line, coming)) * 2)
        prefetch(state.flight, slot_of(2 * line + side, len(state.flight)) * 2)
        if limits.mapped:
            prefetch(state.map, map_index(limits, line))
        else:
            prefetch(state.where, side * limits.lines + map_index(limits, line))
    if limits.mapped == 0:
        for item in range(start, end):
            line = line_of(work, state, limits, place, item)
            way = int64(state.where[side * limits.lines + map_index(limits, line)])
            prefetch(state.l2, 2 * way)


@inlined
def _slot_of(state: State, entry: int) -> int:
    """The slot of a heap's entry."""
    slots = len(state.slots)
    return entry if entry < slots else entry - slots


@inlined
def fetch_next(work: Work, state: State, count: int) -> None:
    """Fetch what the heap's first unit will do next, and the rows of those behind it."""
    if count > 2:
        slot = _slot_of(state, state.heap[0] & ENTRY)
        prefetch(work.rounds, state.slots[slot, ROUND])
        item = state.slots[slot, ITEM]
        prefetch(work.base, item)
        prefetch(work.info, item)
        prefetch(work.words, item)
        prefetch(work.shift, item)
        for behind in range(1, 3):
            slot = _slot_of(state, state.heap[behind] & ENTRY)
            prefetch(state.slots, slot * UNIT_COLUMNS)
            prefetch(state.slots, slot * UNIT_COLUMNS + 8)
