"""Loads, stores and atomics of an SM through its L1."""

from __future__ import annotations

from simulator.jit import Int, inlined, int64
from simulator.memory.caches.coalescer import AT, LINE, arrival, ask, await_line
from simulator.memory.caches.items import (
    ATOMIC,
    FULL_SHIFT,
    GOES_ON,
    INSTRUCTION_SHIFT,
    KIND_MASK,
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
    state: State, limits: Limits, sm: int, line: int, mask: int, local: int, totals: Ints
) -> Int:
    """A load through L1: the sectors that it lacks."""
    first = (sm * limits.l1_sets + set_of(line, limits.l1_sets)) * limits.l1_ways
    missing = mask & ~bring(state.l1, first, limits.l1_ways, line)
    fill(state.l1, first, missing)
    totals[LOADS + local] += popcount(mask)
    totals[LOAD_HITS + local] += popcount(mask & ~missing)
    return missing


@inlined
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


@inlined
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
    kind = (info >> KIND_SHIFT) & KIND_MASK
    instruction = info >> INSTRUCTION_SHIFT
    by_instruction[instruction, 0] += popcount(mask)
    if kind == STORE:
        hits = _store(state, limits, sm, line, mask, full, stored, local, totals)
        by_instruction[instruction, 1] += hits
        return now
    if kind == ATOMIC:
        update_l2(state, limits, line, mask, totals)
        return now
    missing = mask
    if kind == LOAD:
        missing = _load(state, limits, sm, line, mask, local, totals)
        by_instruction[instruction, 1] += popcount(mask & ~missing)
        if missing == 0:
            return arrival(state, limits, now, sm, line)
    else:
        totals[LOADS] += popcount(mask)  # not kept in L1
    ready = ask(state, limits, now, sm, line, missing, totals)
    if kind == LOAD:
        await_line(state, sm, line, ready)
    return ready


@inlined
def make_items(
    work: Work, state: State, limits: Limits, now: int, sm: int, place_of: int, start: int,
    end: int, by_instruction: Ints, totals: Ints,
) -> int:  # fmt: skip
    """Some items of one round; when the last load is there.

    Parts of a request that fall into one line but into two items are one request for it.
    """
    ready = now
    left, left_full, left_stored = 0, 0, 0
    for item in range(start, end):
        place = work.base[item]
        shift = int64(work.shift[item])
        local = 0
        if shift < 0:
            place += place_of * limits.local_stride
            local = LOCAL
        else:
            place += state.shifted[place_of, shift]
        info, stored = int64(work.info[item]), int64(work.stored[item])
        line, offset = place >> 7, (place >> 5) & 3
        mask, full = (info & 15) << offset, ((info >> FULL_SHIFT) & 15) << offset
        stored <<= 8 * offset
        mask, full, stored = mask | left, full | left_full, stored | left_stored
        left, left_full, left_stored = 0, 0, 0
        after = -1  # the line that the request goes on with
        if item + 1 < end and work.info[item + 1] & GOES_ON:
            after = (place + work.base[item + 1] - work.base[item]) >> 7
        while mask:  # the rest of the sectors may be in the next line
            if line == after:
                left, left_full, left_stored = mask, full, stored
                break
            if mask & 15:
                ready = max(ready, _touch(
                    state, limits, now, sm, line, mask & 15, info, full & 15,
                    stored & 0xFFFFFFFF, local, by_instruction, totals,
                ))  # fmt: skip
            mask, full, stored, line = mask >> 4, full >> 4, stored >> 32, line + 1
        now += limits.request_gap
    return ready
