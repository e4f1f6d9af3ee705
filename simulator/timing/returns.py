"""What shared memory sends back to a sub-core that issues instruction after instruction.

A load of 16 bytes a lane writes four registers, two at a time. Where its sub-core issues in most
cycles the writes wait for each other, and with them the data stage, which serves all four sub-cores
(``validation/microbench/beside.cu``: with 8 multiply-adds a load four sub-cores together take a
quarter longer than the data stage or the issue of instructions alone, one sub-core 7 percent).
"""

from __future__ import annotations

from simulator.jit import inlined, int64
from simulator.timing.rates import Rates
from simulator.timing.state import DENSITY, ISSUES, ISSUES_THEN, LOOKED_AT, WHOLE, Sm


@inlined
def density_of(sm: Sm, rates: Rates, subcore: int, now: int) -> float:
    """The part of the last cycles in which a sub-core issued."""
    row = sm.queued[subcore]
    passed = now - row[LOOKED_AT]
    if passed >= rates.wide_window:
        row[DENSITY] = int64(WHOLE) * (row[ISSUES] - row[ISSUES_THEN]) // passed
        row[ISSUES_THEN], row[LOOKED_AT] = row[ISSUES], now
    return float(row[DENSITY]) / WHOLE


@inlined
def wide_return(sm: Sm, rates: Rates, subcore: int, now: int) -> float:
    """Cycles of the data stage until a load of 16 bytes a lane is written."""
    beyond = max(0.0, density_of(sm, rates, subcore, now) - rates.wide_from)
    return float(min(rates.wide_busy, rates.wide_idle + rates.wide_slope * beyond))
