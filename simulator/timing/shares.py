"""What all SMs share, L2 and DRAM: servers of which an SM gets its part."""

from __future__ import annotations

import math

from simulator.jit import inlined
from simulator.timing.rates import Rates
from simulator.timing.state import (
    DRAM_ASKED,
    DRAM_FREE,
    DRAM_STEP,
    L2_ASKED,
    L2_FREE,
    L2_STEP,
    READS_ASKED,
    READS_FREE,
    READS_STEP,
    SENDS_ASKED,
    SENDS_FREE,
    SENDS_STEP,
    Sm,
)


@inlined
def take_share(
    sm: Sm, rates: Rates, free: int, asked: int, step: int, cost: float, now: float
) -> float:
    """Take time of something that all SMs share; returns when it is done.

    ``cost`` is what it takes while all SMs ask. They run out of step, as their ways to L2 differ,
    so at most times some do not: the others are taken to ask as often as this one has so far, and
    it gets what they leave. One that always asks ends up with its share. But they begin together,
    and what one asks for at once the others ask for, too: beyond the cycles that they are apart,
    more as time goes on, an SM gets no more than its share. ``free``, ``asked`` and ``step`` are
    places in ``flows``.
    """
    others = (rates.sms - 1.0) / rates.sms
    busy = min(1.0, sm.flows[asked] / max(1.0, now))
    sm.flows[asked] += cost
    taken = cost / rates.sms / (1.0 - busy * others)
    sm.flows[free] = max(sm.flows[free], now) + taken
    sm.flows[step] = max(sm.flows[step], now - rates.apart - rates.drift * now) + cost
    return float(max(sm.flows[free], sm.flows[step]))


@inlined
def take_l2(sm: Sm, rates: Rates, cost: float, now: float) -> float:
    """Take time of writing into the slices of L2, which stores and fills from DRAM share."""
    return take_share(sm, rates, L2_FREE, L2_ASKED, L2_STEP, cost, now)


@inlined
def take_reads(sm: Sm, rates: Rates, cost: float, now: float) -> float:
    """Take time of the ways from L2 to the SMs."""
    return take_share(sm, rates, READS_FREE, READS_ASKED, READS_STEP, cost, now)


@inlined
def take_sends(sm: Sm, rates: Rates, cost: float, now: float) -> float:
    """Take time of the ways from the SMs to L2, which stores and requests of loads share."""
    return take_share(sm, rates, SENDS_FREE, SENDS_ASKED, SENDS_STEP, cost, now)


@inlined
def take_dram(sm: Sm, rates: Rates, cost: float, now: float) -> float:
    """Take time of DRAM."""
    return take_share(sm, rates, DRAM_FREE, DRAM_ASKED, DRAM_STEP, cost, now)


@inlined
def part_busy(sm: Sm, rates: Rates, asked: int, now: float, latency: float) -> float:
    """The part of the time so far that something all SMs share has been busy; what is asked for
    together in the beginning stands for the time that it takes, ``latency``."""
    return float(min(rates.fullest, sm.flows[asked] / (now + latency)))


@inlined
def wait_for_l2(sm: Sm, rates: Rates, now: float) -> float:
    """Cycles a request waits before the slices of L2 beyond what the fluid of ``take_share`` makes
    it wait: those of all SMs come at random."""
    latency = float(rates.l2_latency)
    sends = part_busy(sm, rates, SENDS_ASKED, now, latency)
    busy = max(sends, part_busy(sm, rates, READS_ASKED, now, latency))
    return float(rates.l2_queue * busy / math.sqrt(1.0 - busy))
