"""L1 of one SM, and what it sees of L2 and DRAM: when a line's sectors are there.

Which lines L1 keeps is as ``memory.caches.l1`` says. L2 and DRAM are servers with a rate and a
latency; a sector that L2 has not seen costs a DRAM access the first time.
"""

from __future__ import annotations

from simulator.jit import inlined, int64
from simulator.memory.caches.l1 import WORDS, bring
from simulator.memory.vector import popcount
from simulator.timing.dram import fetch_from_dram, is_gone
from simulator.timing.hot import wait_behind_hot
from simulator.timing.rates import Rates
from simulator.timing.shares import take_reads, take_sends, wait_for_l2
from simulator.timing.state import (
    L1_LINES,
    L2_BUSY,
    LAST_COMES,
    NEVER,
    PAGES_SEEN,
    READ_FREE,
    Sm,
    Streams,
)


@inlined
def hold_line(sm: Sm, line: int) -> None:
    """Use a line of L1, after making room for it if it is not there."""
    place = bring(sm.l1, sm.l1_counts, 0, line, sm.clock[L1_LINES])
    if sm.l1[place] & WORDS == 0:
        sm.l1[place] |= 1  # which words are there is not looked at: some
        for sector in range(4):
            sm.l1_ready[line, sector] = NEVER


@inlined
def keep_line(sm: Sm, line: int, whole: int, now: int) -> None:
    """Sectors that a store has written whole are in L1 and in L2."""
    hold_line(sm, line)
    for sector in range(4):
        if (whole >> sector) & 1:
            sm.l1_ready[line, sector] = min(sm.l1_ready[line, sector], now)
            if sm.l2_ready[line, sector] < 0:
                sm.l2_ready[line, sector] = now


@inlined
def forget_line(sm: Sm, line: int, now: int) -> None:
    """A load that goes past L1 finds nothing there but what is on its way."""
    hold_line(sm, line)
    for sector in range(4):
        if sm.l1_ready[line, sector] <= now:
            sm.l1_ready[line, sector] = NEVER


@inlined
def fetch_sector(
    sm: Sm, streams: Streams, rates: Rates, line: int, sector: int, lone: bool, now: float
) -> int:
    """When a sector that L1 asks for arrives; ``now`` is when L2 has room for it. ``lone``: nothing
    of the other half of its line is asked for."""
    arrival = now + rates.l2_latency + streams.distance[line]
    known = sm.l2_ready[line, sector]
    if known < 0:
        arrival = max(arrival, fetch_from_dram(sm, streams, rates, line, sector, lone, now))
    else:
        arrival = max(arrival, known)
    return int64(arrival)


@inlined
def find_in_l2(sm: Sm, streams: Streams, rates: Rates, line: int) -> None:
    """Use a line of L2: forget what it held of it if that has made room for others."""
    if is_gone(sm, rates, line, float(streams.times[line])):
        sm.dirty[line] = 0
        for sector in range(4):
            sm.l2_ready[line, sector] = -1


@inlined
def is_lone(bits: int) -> bool:
    """Whether sectors are all in one half of their line."""
    return bool(bits & 3 == 0 or bits & 12 == 0)


@inlined
def find_page(sm: Sm, streams: Streams, rates: Rates, line: int, now: float) -> float:
    """When the address of a line's page is known, which an SM asks for once; its first one comes
    with what every launch begins with."""
    page = streams.page[line]
    if sm.pages[page] == NEVER:
        sm.pages[page] = int64(
            now + (rates.page_miss if sm.clock[PAGES_SEEN] else rates.first_page)
        )
        sm.clock[PAGES_SEEN] += 1
    return max(now, float(sm.pages[page]))


@inlined
def ask_l2(
    sm: Sm, streams: Streams, rates: Rates, line: int, requests: int, sectors: int, now: float
) -> float:
    """When L2 and the ways into the SM have room for sectors of a line: a slice takes as long for
    a request whatever it asks for, and the sectors go out one after the other."""
    part = streams.crowd[line] / streams.merged[line]
    look, send = rates.l2_line * requests * part, rates.l2_read * sectors * part
    sm.flows[L2_BUSY] += max(look, send)
    sm.flows[READ_FREE] = max(sm.flows[READ_FREE], now) + rates.port_read * sectors
    sent = max(take_sends(sm, rates, look, now), take_reads(sm, rates, send, now))
    return float(max(sm.flows[READ_FREE], sent))


@inlined
def copy_line(
    sm: Sm, streams: Streams, rates: Rates, line: int, bits: int, again: int, now: float
) -> int:
    """When the sectors of one line are there for a copy past L1; so many come ``again``."""
    once = popcount(bits)
    wanted = once + again
    requests = (wanted + once - 1) // once
    there = find_page(sm, streams, rates, line, now)
    there = ask_l2(sm, streams, rates, line, requests, wanted, there)
    find_in_l2(sm, streams, rates, line)
    lone = is_lone(bits)
    last = int64(0)
    for sector in range(4):
        if (bits >> sector) & 1:
            last = max(last, fetch_sector(sm, streams, rates, line, sector, lone, there))
    return last + int64(wait_for_l2(sm, rates, now))


@inlined
def load_line(sm: Sm, streams: Streams, rates: Rates, line: int, bits: int, now: float) -> int:
    """When the sectors of one line are in L1, for a load that looks them up at ``now``."""
    hold_line(sm, line)
    last = int64(0)
    there = now
    wait = int64(0)
    missing = 0
    for sector in range(4):
        if (bits >> sector) & 1 and sm.l1_ready[line, sector] == NEVER:
            missing += 1
    if missing:
        there = find_page(sm, streams, rates, line, wait_behind_hot(sm, now))
        there = ask_l2(sm, streams, rates, line, 1, missing, there)
        wait = int64(wait_for_l2(sm, rates, now))
        find_in_l2(sm, streams, rates, line)
    lone = is_lone(bits)
    for sector in range(4):
        if (bits >> sector) & 1:
            ready = sm.l1_ready[line, sector]
            if ready == NEVER:
                ready = fetch_sector(sm, streams, rates, line, sector, lone, there) + wait
                sm.l1_ready[line, sector] = ready
            last = max(last, ready)
    if missing:
        sm.clock[LAST_COMES] = max(sm.clock[LAST_COMES], last)
    return last
