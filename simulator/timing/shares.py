"""What all SMs share, L2 and DRAM: servers of which an SM gets its part."""

from __future__ import annotations

import math

from simulator.jit import inlined
from simulator.timing.rates import Rates
from simulator.timing.state import L2_ASKED, L2_FREE, Sm

FULLEST = 0.92  # what is shared is not taken to be busier, where the wait for it has no end


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
