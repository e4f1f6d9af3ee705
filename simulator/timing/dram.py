"""Reads of DRAM: when a sector that L2 does not have arrives there."""

from __future__ import annotations

import math

from simulator.jit import inlined, int64
from simulator.timing.rates import Rates
from simulator.timing.shares import part_busy, take_dram, take_l2
from simulator.timing.state import (
    DRAM_ASKED,
    DRAM_BUSY,
    DRAM_FREE,
    DRAM_WRITTEN,
    FILLED,
    Sm,
    Streams,
)


@inlined
def wait_for_dram(
    sm: Sm, streams: Streams, rates: Rates, line: int, now: float, backlog: float
) -> float:
    """Cycles a read waits in DRAM's queues beyond the ``backlog`` that all reads wait for: more for
    some than for others, as reads of all SMs come at random, and more where stores turn the bus
    round."""
    asked = sm.flows[DRAM_ASKED]
    busy = part_busy(sm, rates, DRAM_ASKED, now, float(rates.l2_latency + rates.dram_latency))
    turns = 1.0 + rates.dram_turn * sm.flows[DRAM_WRITTEN] / max(1.0, asked)
    mean = rates.dram_queue * busy / math.sqrt(1.0 - busy) * turns
    return float(streams.luck[line] * max(0.0, mean - backlog))


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
def pair_cost(
    sm: Sm, streams: Streams, rates: Rates, line: int, sector: int, lone: bool, now: float
) -> float:
    """What an access of DRAM costs beside one of many in a row: the half of a line that is fetched
    for itself takes nearly the time of the line, unless the other half is on its way; less if
    another SM asks for that."""
    if not lone:
        return 1.0
    if streams.paired[line]:
        return rates.dram_paired
    other = sm.l2_ready[line, sector ^ 2]
    return float(2.0 - rates.dram_lone if other > now else rates.dram_lone)


@inlined
def is_gone(sm: Sm, rates: Rates, line: int, times: float) -> bool:
    """Whether L2 has been filled with other lines since a line was used last, which happens so many
    ``times`` for once that this SM uses it; notes its use."""
    filled = sm.flows[FILLED]
    gone = filled - sm.l2_used[line] > rates.l2_turnover * times
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
    cost *= pair_cost(sm, streams, rates, line, sector, lone, now) * streams.fetch[line]
    done = take_dram(sm, rates, cost, now)
    sm.flows[DRAM_BUSY] += cost
    sm.flows[FILLED] += count * rates.dram_read * streams.share[line]
    take_l2(sm, rates, count * rates.l2_fill * streams.share[line], now)
    arrival = done + rates.l2_latency + rates.dram_latency
    arrival += (
        wait_for_dram(sm, streams, rates, line, now, max(0.0, done - now)) + streams.far[line]
    )
    arrival += wait_for_channel(sm, streams, rates, line, now)
    arrival += wait_for_refresh(streams, rates, line, done)
    arrival += streams.distance[line] + (0.0 if lone else rates.dram_line)
    sm.l2_ready[line, sector] = int64(arrival)
    if count == 2:
        sm.l2_ready[line, pair] = int64(arrival)
    return float(arrival)
