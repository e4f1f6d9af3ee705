"""Stores on their way to L2, and what of them goes on to DRAM."""

from __future__ import annotations

from simulator.jit import inlined, int64
from simulator.memory.vector import popcount
from simulator.timing.caches import find_in_l2, keep_line
from simulator.timing.hot import is_hot, joins_hot, send_hot
from simulator.timing.rates import Rates
from simulator.timing.requests import R_FIRST, R_LINES
from simulator.timing.shares import take_dram, take_l2, take_sends, wait_for_l2
from simulator.timing.state import (
    DRAM_BUSY,
    DRAM_WRITTEN,
    FILLED,
    HOT_UNTIL,
    LAST_COMES,
    LINES_STORED,
    SENDS_FREE,
    STORE_BUSY,
    STORE_FREE,
    STORED,
    STORED_ALL,
    STORED_AT,
    STORED_SENT,
    UNFINISHED,
    Sm,
    Streams,
    cost_of,
)


@inlined
def can_join(sm: Sm, streams: Streams, rates: Rates, slot: int, request: int, now: int) -> bool:
    """Whether a store finds its warp's last one still waiting, and few enough lines stored by the
    SM from there on, both included."""
    between = sm.clock[LINES_STORED] - sm.slots[slot, STORED_AT]
    lines = between + cost_of(streams, request, R_LINES)
    return bool(sm.slots[slot, STORED_SENT] > now and lines <= rates.store_join)


@inlined
def waiting_sectors(sm: Sm, streams: Streams, slot: int, index: int, place: int) -> int:
    """Which sectors of a line the warp's last store left waiting: another store of them joins it
    there. ``index`` is the line's, ``place`` its number in the request."""
    before = sm.slots[slot, STORED]
    first = streams.requests[before, R_FIRST]
    end = first + cost_of(streams, before, R_LINES)
    for other in range(max(first, first + place - 1), min(end, first + place + 2)):
        if streams.line[other] == streams.line[index]:
            return int64(streams.bits[other]) & 15
    return int64(0)


@inlined
def line_packets(
    sm: Sm, streams: Streams, slot: int, index: int, place: int, joins: bool, now: int
) -> int:
    """Packets that a store sends to L2 for one of its lines: one a sector, and one for the byte
    mask of a line that is not written in whole sectors; none for what joins a store before."""
    bits = int64(streams.bits[index])
    if is_hot(streams, streams.line[index]) and joins_hot(sm, streams.line[index], now):
        return int64(0)
    waiting = waiting_sectors(sm, streams, slot, index, place) if joins else int64(0)
    packets = int64(popcount(bits & 15 & ~waiting))
    if waiting == 0 and (bits & 15) != (bits >> 4):
        packets += 1
    return packets


@inlined
def store_packets(sm: Sm, streams: Streams, rates: Rates, slot: int, request: int, now: int) -> int:
    """Packets a store sends to L2, those to hot lines on their way."""
    total = int64(0)
    joins = can_join(sm, streams, rates, slot, request, now)
    first = streams.requests[request, R_FIRST]
    for index in range(first, first + cost_of(streams, request, R_LINES)):
        packets = line_packets(sm, streams, slot, index, index - first, joins, now)
        if packets and is_hot(streams, streams.line[index]):
            send_hot(sm, streams, rates, streams.line[index], packets, now)
        total += packets
    return total


@inlined
def finish_sectors(
    sm: Sm, streams: Streams, rates: Rates, line: int, sectors: int, now: int
) -> None:
    """Have DRAM bring what sectors of a line lack that are stored in part, if L2 does not have them
    and already keeps as many lines as it can of such. Stores wait for it but for what is on its
    way at any time (masked.cu)."""
    missing = int64(0)
    for sector in range(4):
        missing += int64((sectors >> sector) & 1 and sm.l2_ready[line, sector] < 0)
    if missing == 0:
        return
    part = float(streams.rest[line])
    if sm.dirty[line] == 0:
        sm.flows[UNFINISHED] += 4 * rates.dram_read * part
    if sm.flows[UNFINISHED] > rates.unfinished_turnover:
        cost = rates.dram_read * missing * part
        done = take_dram(sm, rates, cost, float(now)) - float(rates.dram_latency)
        sm.flows[DRAM_BUSY] += cost
        sm.flows[STORE_FREE] = max(sm.flows[STORE_FREE], done)


@inlined
def new_sectors(
    sm: Sm, streams: Streams, rates: Rates, request: int, now: int
) -> tuple[int, float]:
    """Sectors of a store that L2 does not hold from an earlier one: those it will write back; and
    what that takes of DRAM, in sectors of long runs of lines.

    What was written whole is then in L1 and L2: nobody need fetch it.
    """
    found = int64(0)
    cost = 0.0
    first = streams.requests[request, R_FIRST]
    for index in range(first, first + cost_of(streams, request, R_LINES)):
        line, touched = streams.line[index], int64(streams.bits[index]) & 15
        find_in_l2(sm, streams, rates, line)
        if streams.rest[line] > 0:
            finish_sectors(sm, streams, rates, line, touched & ~int64(sm.dirty[line]), now)
        new = popcount(touched & ~int64(sm.dirty[line]))
        found += new
        cost += new * streams.put[line]
        sm.dirty[line] |= touched
        if streams.bits[index] >> 4:
            keep_line(sm, line, int64(streams.bits[index]) >> 4, now)
    return found, cost


@inlined
def is_coming(sm: Sm, streams: Streams, index: int, now: int) -> bool:
    """Whether sectors that a store touches, of one of its lines, are still on their way to L2."""
    ready = sm.l2_ready[streams.line[index]]
    bits = int64(streams.bits[index])
    coming = False
    for sector in range(4):
        coming |= bool((bits >> sector) & 1 and ready[sector] > now)
    return coming


@inlined
def hold_slices(sm: Sm, streams: Streams, rates: Rates, request: int, now: int) -> None:
    """A store to sectors that are on their way to L2 waits there, and its slice for it. Where one
    SM does so the others do, too, and keep most slices waiting: nothing goes to L2 before what has
    been asked for is there."""
    first = streams.requests[request, R_FIRST]
    for index in range(first, first + cost_of(streams, request, R_LINES)):
        if rates.holds and is_coming(sm, streams, index, now):
            there = float(sm.clock[LAST_COMES] - rates.l2_latency)
            sm.flows[SENDS_FREE] = max(sm.flows[SENDS_FREE], there)


@inlined
def store_lines(sm: Sm, streams: Streams, rates: Rates, slot: int, request: int, now: int) -> int:
    """Send a store's sectors to L2; returns when the last is on its way."""
    hold_slices(sm, streams, rates, request, now)
    packets = store_packets(sm, streams, rates, slot, request, now)
    sm.flows[STORE_BUSY] += rates.l2_write * packets
    sent = max(sm.flows[STORE_FREE], float(now)) + rates.port_write * packets
    cost = rates.l2_write * packets
    taken = max(take_sends(sm, rates, cost, float(now)), take_l2(sm, rates, cost, float(now)))
    if packets:
        sm.slots[slot, STORED] = request
        waits = max(taken + wait_for_l2(sm, rates, float(now)), sent)
        sm.slots[slot, STORED_SENT] = int64(waits)
        sm.slots[slot, STORED_AT] = sm.clock[LINES_STORED]
    sm.clock[LINES_STORED] += cost_of(streams, request, R_LINES)
    sm.flows[STORE_FREE] = max(sent, taken, float(sm.clock[HOT_UNTIL]))
    stored, cost = new_sectors(sm, streams, rates, request, now)
    if stored:
        write_back(sm, rates, stored, cost, now)
    return int64(sm.flows[STORE_FREE])


@inlined
def write_back(sm: Sm, rates: Rates, sectors: int, cost: float, now: int) -> None:
    """Sectors are stored that L2 did not have from a store before: if it is full, or full of what
    was stored, as many go to DRAM."""
    sm.flows[FILLED] += rates.dram_read * sectors
    sm.flows[STORED_ALL] += rates.dram_read * sectors
    if sm.flows[FILLED] > rates.l2_turnover or sm.flows[STORED_ALL] > rates.dirty_turnover:
        written = rates.dram_write * cost
        sm.flows[DRAM_WRITTEN] += written
        take_dram(sm, rates, written, float(now))
