"""Stores of all SMs to the same few lines: their slices of L2 take one packet after the other.

Packets to a line whose slice many SMs share (``crowding``) wait for that slice alone. While a
store waits for it, the SM's next stores of that line join it, whichever warps they come from, until
a load goes to L2. That load goes when the stores before it have gone.
"""

from __future__ import annotations

from simulator.jit import inlined, int64
from simulator.timing.rates import Rates
from simulator.timing.requests import R_FIRST, R_LINES
from simulator.timing.state import HOT_FREE, HOT_LINE, HOT_UNTIL, Sm, Streams, cost_of

_CROWDED = 2.0  # lines whose slices are less busy than this beside the mean are none of these


@inlined
def is_hot(streams: Streams, line: int) -> bool:
    """Whether a line's slice is much busier than the others."""
    return bool(streams.crowd[line] > _CROWDED)


@inlined
def joins_hot(sm: Sm, line: int, now: int) -> bool:
    """Whether a store to a line joins the SM's last one there, which still waits for its slice."""
    return bool(sm.clock[HOT_LINE] == line and now < sm.clock[HOT_UNTIL])


@inlined
def needs_no_room(sm: Sm, streams: Streams, request: int, now: int) -> bool:
    """Whether all of a store joins the one before it."""
    if request < 0 or cost_of(streams, request, R_LINES) != 1:
        return False
    line = streams.line[streams.requests[request, R_FIRST]]
    return is_hot(streams, line) and joins_hot(sm, line, now)


@inlined
def send_hot(sm: Sm, streams: Streams, rates: Rates, line: int, packets: int, now: int) -> None:
    """Send packets to the slice of a hot line, where they wait for those before."""
    begin = max(sm.flows[HOT_FREE], float(now))
    sm.clock[HOT_LINE] = line
    sm.clock[HOT_UNTIL] = int64(begin)
    sm.flows[HOT_FREE] = begin + rates.l2_write * packets * streams.crowd[line]


@inlined
def wait_behind_hot(sm: Sm, now: float) -> float:
    """When a load may go to L2: after the stores that wait. No later store joins those."""
    sm.clock[HOT_LINE] = -1
    return max(now, float(sm.flows[HOT_FREE]))
