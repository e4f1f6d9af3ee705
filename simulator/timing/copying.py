"""Asynchronous copies between the load/store unit and their requests to L1 and L2.

A copy makes a request for each line of its target, and each way in which its halves of sectors move
(``memory.copy_requests``); one through L1 for each line of its source. Requests are made one after
the other, in the order in which copies leave the unit. Other instructions that come behind many
copies wait until no more than some are left, and so do the registers of a copy to be read.
"""

from __future__ import annotations

from simulator.jit import inlined, int64
from simulator.timing.lower import READ, RELEASE
from simulator.timing.rates import Rates
from simulator.timing.scoreboards import find_ready
from simulator.timing.state import COPIED, COPY_FREE, STATUS, WAITS_RESULT, Sm, Streams


@inlined
def room_for_copy(sm: Sm) -> int:
    """When no more copies are left than may be before what comes now."""
    return int64(sm.copied[sm.clock[COPIED]])


@inlined
def begin_copy(sm: Sm, rates: Rates, requests: int, now: int) -> float:
    """When a copy that leaves the load/store unit begins with its requests."""
    begin = max(sm.flows[COPY_FREE], float(now))
    sm.flows[COPY_FREE] = begin + rates.copy_request * requests
    sm.copied[sm.clock[COPIED]] = int64(sm.flows[COPY_FREE])
    sm.clock[COPIED] = (sm.clock[COPIED] + 1) % len(sm.copied)
    return float(begin)


@inlined
def free_operands(sm: Sm, streams: Streams, rates: Rates, slot: int, pc: int, now: int) -> None:
    """Tell the scoreboard of a copy's operands that they are being read ``now``."""
    board = streams.code[pc, READ]
    if board < 0:
        return
    sm.pending[slot, board] = max(0, sm.pending[slot, board] - 1)
    until = now + streams.code[pc, RELEASE] - rates.enter
    if until >= sm.done[slot, board]:
        sm.done[slot, board] = until
        sm.is_long[slot, board] = 1
    if sm.slots[slot, STATUS] == WAITS_RESULT:
        find_ready(sm, streams, slot)
