"""Loads, stores and atomics of an SM through its L1."""

from __future__ import annotations

from simulator.jit import Int, inlined, int64, step
from simulator.memory.caches.coalescer import AT, LINE, arrival, ask, await_line
from simulator.memory.caches.items import (
    ATOMIC,
    FULL_SHIFT,
    INSTRUCTION_SHIFT,
    KIND_SHIFT,
    LOAD,
    STORE,
)  # fmt: skip
from simulator.memory.caches.l2 import SECTOR_BYTES, update_l2, write_l2
from simulator.memory.caches.lru import bring, fill, set_of, slot_of
from simulator.memory.caches.state import (
    LOAD_HITS,
    LOADS,
    LOCAL,
    STORE_HITS,
    STORES,
    Ints,
    Limits,
    State,
    Work,
)  # fmt: skip
from simulator.memory.vector import popcount


@inlined
def _load(
    state: State, limits: Limits, now: int, sm: int, line: int, mask: int, local: int,
    totals: Ints,
) -> tuple[int, int]:  # fmt: skip
    """A load through L1: how many sectors hit, when all are there."""
    first = (sm * limits.l1_sets + set_of(line, limits.l1_sets)) * limits.l1_ways
    missing = mask & ~bring(state.l1, first, limits.l1_ways, line)
    count = popcount(mask)
    totals[LOADS + local] += count
    if missing == 0:
        totals[LOAD_HITS + local] += count
        return count, arrival(state, limits, now, sm, line)
    fill(state.l1, first, missing)
    hits = count - popcount(missing)
    totals[LOAD_HITS + local] += hits
    ready = ask(state, limits, now, sm, line, missing, totals)
    await_line(state, sm, line, ready)
    return hits, ready


@step
def _completed(state: State, sm: int, line: int, part: int, stored: int) -> Int:
    """Sectors of ``part`` whose last bytes are stored now; ``stored`` has the bytes of each."""
    done = 0
    for sector in range(4):
        if part >> sector & 1:
            key = line * 4 + sector
            slot = slot_of(key, state.partial.shape[1])
            have = (stored >> (8 * sector)) & 0xFF
            if state.partial[sm, slot, LINE] == key:
                have += state.partial[sm, slot, AT]
            state.partial[sm, slot, LINE], state.partial[sm, slot, AT] = key, have
            if have >= SECTOR_BYTES:
                done |= 1 << sector
    return done


@step
def _store(
    state: State, limits: Limits, sm: int, line: int, mask: int, full: int, stored: int,
    local: int, totals: Ints,
) -> int:  # fmt: skip
    """A store through L1 to L2; sectors with all bytes stored can be read from L1 afterwards."""
    first = (sm * limits.l1_sets + set_of(line, limits.l1_sets)) * limits.l1_ways
    hits = popcount(mask & bring(state.l1, first, limits.l1_ways, line))
    # A thread reads no local word that it has not stored, so what part is there does not matter.
    whole = mask if local else full | _completed(state, sm, line, mask & ~full, stored)
    fill(state.l1, first, whole)
    totals[STORES + local] += popcount(mask)
    totals[STORE_HITS + local] += hits
    write_l2(state, limits, line, mask, full, stored, totals)
    return hits


@inlined
def _touch(
    state: State, limits: Limits, now: int, sm: int, line: int, mask: int, info: int, full: int,
    stored: int, local: int, by_instruction: Ints, totals: Ints,
) -> Int:  # fmt: skip
    """One line of an item; when a load of it is there."""
    kind = (info >> KIND_SHIFT) & 15
    instruction = info >> INSTRUCTION_SHIFT
    by_instruction[instruction, 0] += popcount(mask)
    if kind == LOAD:
        hits, ready = _load(state, limits, now, sm, line, mask, local, totals)
        by_instruction[instruction, 1] += hits
        return ready
    if kind == STORE:
        hits = _store(state, limits, sm, line, mask, full, stored, local, totals)
        by_instruction[instruction, 1] += hits
        return now
    if kind == ATOMIC:
        update_l2(state, limits, line, mask, totals)
        return now
    totals[LOADS] += popcount(mask)  # not kept in L1
    return ask(state, limits, now, sm, line, mask, totals)


@step
def make_items(
    work: Work, state: State, limits: Limits, now: int, sm: int, slot: int, start: int, end: int,
    by_instruction: Ints, totals: Ints,
) -> int:  # fmt: skip
    """Some items of one round; when the last load is there."""
    ready = now
    when = now
    place_of = slot // limits.units
    for item in range(start, end):
        place = work.base[item]
        shift = int64(work.shift[item])
        local = 0
        if shift < 0:
            place += place_of * limits.local_stride
            local = LOCAL
        else:
            place += state.shifted[place_of, shift]
        info = int64(work.info[item])
        mask, full = info & 15, (info >> FULL_SHIFT) & 15
        stored = int64(work.stored[item])
        line, offset = place >> 7, (place >> 5) & 3
        here = (mask << offset) & 15
        if here:
            ready = max(ready, _touch(
                state, limits, when, sm, line, here, info, (full << offset) & 15,
                (stored << (8 * offset)) & 0xFFFFFFFF, local, by_instruction, totals,
            ))  # fmt: skip
        beyond = mask >> (4 - offset)
        if beyond:
            ready = max(ready, _touch(
                state, limits, when, sm, line + 1, beyond, info, full >> (4 - offset),
                stored >> (8 * (4 - offset)), local, by_instruction, totals,
            ))  # fmt: skip
        when += limits.request_gap
    return ready
