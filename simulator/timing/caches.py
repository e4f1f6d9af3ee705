"""L1 of one SM, and what it sees of L2 and DRAM: when a line's sectors are there.

L1 is sectored, set-associative with the least recently used way replaced. L2 and DRAM are servers
with a rate and a latency; a sector that L2 has not seen costs a DRAM access the first time.
"""

from __future__ import annotations

import math

from simulator.jit import inlined, int64
from simulator.memory.vector import popcount
from simulator.timing.hot import wait_behind_hot
from simulator.timing.parameters import Rates
from simulator.timing.state import (
    DRAM_ASKED,
    DRAM_BUSY,
    DRAM_FREE,
    DRAM_WRITTEN,
    L1_WAYS,
    L2_ASKED,
    L2_BUSY,
    L2_FREE,
    NEVER,
    PAGES_SEEN,
    READ_FREE,
    Sm,
    Streams,
)

FULLEST = 0.92  # DRAM is not taken to be busier, where the wait for it has no end


@inlined
def find_way(sm: Sm, place: int, line: int) -> int:
    """The way that holds a line, after making room for it if none does."""
    oldest = 0
    for way in range(L1_WAYS):
        if sm.l1_line[place, way] == line:
            return way
        if sm.l1_used[place, way] < sm.l1_used[place, oldest]:
            oldest = way
    sm.l1_line[place, oldest] = line
    for sector in range(4):
        sm.l1_ready[place, oldest, sector] = NEVER
    return oldest


@inlined
def keep_line(sm: Sm, line: int, whole: int, now: int) -> None:
    """Sectors that a store has written whole are in L1 and in L2."""
    place = line % sm.l1_line.shape[0]
    way = find_way(sm, place, line)
    sm.l1_used[place, way] = now
    for sector in range(4):
        if (whole >> sector) & 1:
            sm.l1_ready[place, way, sector] = min(sm.l1_ready[place, way, sector], now)
            if sm.l2_ready[line, sector] < 0:
                sm.l2_ready[line, sector] = now


@inlined
def forget_line(sm: Sm, line: int, now: int) -> None:
    """A load that goes past L1 finds nothing there but what is on its way."""
    place = line % sm.l1_line.shape[0]
    way = find_way(sm, place, line)
    for sector in range(4):
        if sm.l1_ready[place, way, sector] <= now:
            sm.l1_ready[place, way, sector] = NEVER


@inlined
def take_share(sm: Sm, rates: Rates, free: int, asked: int, cost: float, now: float) -> float:
    """Take time of something that all SMs share; returns when it is done.

    ``cost`` is what it takes while all SMs ask. They run out of step, as their ways to L2 differ,
    so at most times some do not: the others are taken to ask as often as this one has so far, and
    it gets what they leave. One that always asks ends up with its share. ``free`` and ``asked``
    are places in ``flows``.
    """
    others = (rates.sms - 1.0) / rates.sms
    busy = min(1.0, sm.flows[asked] / max(1.0, now))
    sm.flows[asked] += cost
    taken = cost / rates.sms / (1.0 - busy * others)
    sm.flows[free] = max(sm.flows[free], now) + taken
    return float(sm.flows[free])


@inlined
def take_l2(sm: Sm, rates: Rates, cost: float, now: float) -> float:
    """Take time of the slices of L2, which loads, stores and fills from DRAM have in common."""
    return take_share(sm, rates, L2_FREE, L2_ASKED, cost, now)


@inlined
def part_busy(sm: Sm, asked: int, now: float, latency: float) -> float:
    """The part of the time so far that something all SMs share has been busy; what is asked for
    together in the beginning stands for the time that it takes, ``latency``."""
    return float(min(FULLEST, sm.flows[asked] / (now + latency)))


@inlined
def wait_for_l2(sm: Sm, rates: Rates, now: float) -> float:
    """Cycles a request waits before the slices of L2 beyond what the fluid of ``take_share`` makes
    it wait: those of all SMs come at random."""
    busy = part_busy(sm, L2_ASKED, now, float(rates.l2_latency))
    return float(rates.l2_queue * busy / math.sqrt(1.0 - busy))


@inlined
def wait_for_dram(sm: Sm, rates: Rates, now: float) -> float:
    """The same for a read of DRAM, where stores turn the bus round. Where all caches were flushed,
    reads take longer until L2 is full."""
    asked = sm.flows[DRAM_ASKED]
    busy = part_busy(sm, DRAM_ASKED, now, float(rates.l2_latency + rates.dram_latency))
    turns = 1.0 + rates.dram_turn * sm.flows[DRAM_WRITTEN] / max(1.0, asked)
    flushed = rates.dram_flushed if sm.flows[DRAM_BUSY] < rates.l2_turnover else 0.0
    return float(flushed + rates.dram_queue * busy / (1.0 - busy) * turns)


@inlined
def wait_for_channel(sm: Sm, streams: Streams, rates: Rates, line: int, now: float) -> float:
    """Cycles that the channel of a line has more to do than the others of what waits for DRAM: by
    chance, as the root of it."""
    waits = max(0.0, sm.flows[DRAM_FREE] - now)
    return float(streams.uneven[line] * math.sqrt(rates.channel_access * waits))


@inlined
def wait_for_refresh(streams: Streams, rates: Rates, line: int, now: float) -> float:
    """Cycles until the part of DRAM that has a line has been refreshed, if it is just then."""
    begun = (now + rates.refresh_phase + rates.refresh * streams.part[line]) % rates.refresh_every
    return float(max(0.0, rates.refresh - begun))


@inlined
def pair_cost(sm: Sm, rates: Rates, line: int, sector: int, lone: bool, now: float) -> float:
    """What an access of DRAM costs beside one of many in a row: the half of a line that is fetched
    for itself takes nearly the time of the line, unless the other half is on its way."""
    if not lone:
        return 1.0
    other = sm.l2_ready[line, sector ^ 2]
    return float(2.0 - rates.dram_lone if other > now else rates.dram_lone)


@inlined
def is_gone(sm: Sm, rates: Rates, line: int, users: float) -> bool:
    """Whether L2 has been filled with other lines since one of a line's ``users`` used it last, as
    often as this SM; notes its use."""
    filled = sm.flows[DRAM_BUSY] + sm.flows[DRAM_WRITTEN]
    gone = filled - sm.l2_used[line] > rates.l2_turnover * users
    sm.l2_used[line] = filled
    return bool(gone)


@inlined
def fetch_from_dram(
    sm: Sm, streams: Streams, rates: Rates, line: int, sector: int, lone: bool, now: float
) -> float:
    """When a sector that is not in L2 arrives; the sector beside it comes along."""
    pair = sector ^ 1
    count = 2 if sm.l2_ready[line, pair] < 0 else 1
    cost = count * rates.dram_read * streams.share[line]
    cost *= pair_cost(sm, rates, line, sector, lone, now)
    take_share(sm, rates, DRAM_FREE, DRAM_ASKED, cost, now)
    sm.flows[DRAM_BUSY] += cost
    take_l2(sm, rates, count * rates.l2_fill * streams.share[line], now)
    arrival = sm.flows[DRAM_FREE] + rates.l2_latency + rates.dram_latency
    arrival += wait_for_dram(sm, rates, now) + streams.far[line]
    arrival += wait_for_channel(sm, streams, rates, line, now)
    arrival += wait_for_refresh(streams, rates, line, sm.flows[DRAM_FREE])
    arrival += streams.distance[line] - streams.lead[line]
    sm.l2_ready[line, sector] = int64(arrival)
    if count == 2:
        sm.l2_ready[line, pair] = int64(arrival)
    return float(arrival)


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
    """Forget what L2 held of a line if that has made room for others."""
    if is_gone(sm, rates, line, float(streams.users[line])):
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
        sm.pages[page] = int64(now + (rates.page_miss if sm.clock[PAGES_SEEN] else 0.0))
        sm.clock[PAGES_SEEN] += 1
    return max(now, float(sm.pages[page]))


@inlined
def ask_l2(
    sm: Sm, streams: Streams, rates: Rates, line: int, sectors: float, cost: float, now: float
) -> float:
    """When L2 and the way into the SM have room for sectors of a line, whose reads take ``cost``
    of the slices."""
    cost *= streams.crowd[line] / streams.merged[line]
    sm.flows[L2_BUSY] += cost
    sm.flows[READ_FREE] = max(sm.flows[READ_FREE], now) + rates.port_read * sectors
    return float(max(sm.flows[READ_FREE], take_l2(sm, rates, cost, now)))


@inlined
def copy_line(
    sm: Sm, streams: Streams, rates: Rates, line: int, bits: int, again: int, now: float
) -> int:
    """When the sectors of one line are there for a copy past L1; so many come ``again``."""
    once = popcount(bits)
    wanted = float(once + again)
    requests = (once + again + once - 1) // once
    cost = max(rates.l2_line * requests, rates.l2_read * wanted)
    there = find_page(sm, streams, rates, line, now)
    there = ask_l2(sm, streams, rates, line, wanted, cost, there)
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
    place = line % sm.l1_line.shape[0]
    way = find_way(sm, place, line)
    sm.l1_used[place, way] = int64(now) + 1
    last = int64(0)
    there = now
    wait = int64(0)
    missing = 0
    for sector in range(4):
        if (bits >> sector) & 1 and sm.l1_ready[place, way, sector] == NEVER:
            missing += 1
    if missing:
        cost = max(rates.l2_line, rates.l2_read * missing)
        there = find_page(sm, streams, rates, line, wait_behind_hot(sm, now))
        there = ask_l2(sm, streams, rates, line, float(missing), cost, there)
        wait = int64(wait_for_l2(sm, rates, now))
        find_in_l2(sm, streams, rates, line)
    lone = is_lone(bits)
    for sector in range(4):
        if (bits >> sector) & 1:
            ready = sm.l1_ready[place, way, sector]
            if ready == NEVER:
                ready = fetch_sector(sm, streams, rates, line, sector, lone, there) + wait
                sm.l1_ready[place, way, sector] = ready
            last = max(last, ready)
    return last
