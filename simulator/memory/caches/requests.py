"""Loads, stores and atomics of an SM through its L1."""

from __future__ import annotations

from simulator.jit import Int, inlined, int64
from simulator.memory.caches.coalescer import arrival, ask, await_line
from simulator.memory.caches.items import (
    ATOMIC,
    GOES_ON,
    KIND_MASK,
    KIND_SHIFT,
    LOAD,
    STORE,
)  # fmt: skip
from simulator.memory.caches.l1 import WORDS, bring
from simulator.memory.caches.l2 import update_l2, write_l2
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
def _sectors_of(words: int) -> int:
    """The sectors of a line that hold some of its words."""
    some = words | words >> 4
    some |= some >> 2
    some = (some | some >> 1) & 0x01010101
    return (some | some >> 7 | some >> 14 | some >> 21) & 15


@inlined
def _words_of(sectors: int) -> int:
    """All words of some sectors of a line."""
    low = sectors & 1 | (sectors & 2) << 7 | (sectors & 4) << 14 | (sectors & 8) << 21
    return low * 0xFF


@inlined
def _load(
    state: State, limits: Limits, sm: int, line: int, mask: int, words: int, local: int,
    totals: Ints,
) -> Int:  # fmt: skip
    """A load through L1: the sectors of which it lacks words, which it fetches whole."""
    place = bring(state.l1, state.l1_counts, sm, line, limits.l1_lines)
    missing = _sectors_of(words & ~int64(state.l1[place]))
    state.l1[place] |= _words_of(missing)
    totals[LOADS + local] += popcount(mask)
    totals[LOAD_HITS + local] += popcount(mask & ~missing)
    return missing


@inlined
def _store(
    state: State, limits: Limits, sm: int, line: int, mask: int, words: int, local: int,
    totals: Ints,
) -> int:  # fmt: skip
    """A store through L1 to L2; what it stored can be read from L1 afterwards."""
    place = bring(state.l1, state.l1_counts, sm, line, limits.l1_lines)
    hits = popcount(mask & _sectors_of(int64(state.l1[place]) & WORDS))
    state.l1[place] |= words
    totals[STORES + local] += popcount(mask)
    totals[STORE_HITS + local] += hits
    write_l2(state, limits, state.side[state.group[sm]], line, mask, words, totals)
    return hits


@inlined
def _touch(
    state: State, limits: Limits, now: int, sm: int, line: int, mask: int, info: int, words: int,
    local: int, totals: Ints,
) -> Int:  # fmt: skip
    """One line of an item; when a load of it is there."""
    kind = (info >> KIND_SHIFT) & KIND_MASK
    if kind == STORE:
        _store(state, limits, sm, line, mask, words, local, totals)
        return now
    if kind == ATOMIC:
        update_l2(state, limits, line, mask, totals)
        return now
    missing = mask
    if kind == LOAD:
        missing = _load(state, limits, sm, line, mask, words, local, totals)
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
    end: int, totals: Ints,
) -> int:  # fmt: skip
    """Some items of one round; when the last load is there.

    Parts of a request that fall into one line but into two items are one request for it.
    """
    ready = now
    left, left_words = 0, 0
    for item in range(start, end):
        place = work.base[item]
        shift = int64(work.shift[item])
        local = 0
        if shift < 0:
            place += place_of * limits.local_stride
            local = LOCAL
        else:
            place += state.shifted[place_of, shift]
        info, line = int64(work.info[item]), place >> 7
        mask = (info & 15) << ((place >> 5) & 3) | left
        words = int64(work.words[item]) << ((place >> 2) & 31) | left_words
        left, left_words = 0, 0
        after = -1  # the line that the request goes on with
        if item + 1 < end and work.info[item + 1] & GOES_ON:
            after = (place + work.base[item + 1] - work.base[item]) >> 7
        while mask:  # the rest of the sectors may be in the next line
            if line == after:
                left, left_words = mask, words
                break
            if mask & 15:
                ready = max(ready, _touch(
                    state, limits, now, sm, line, mask & 15, info, words & WORDS, local, totals
                ))  # fmt: skip
            mask, words, line = mask >> 4, words >> 32, line + 1
        now += limits.request_gap
    return ready
