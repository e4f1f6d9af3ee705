"""Launches with some more blocks than there is room for at once: which SM ends last.

An SM whose first blocks end early gets more of the blocks that are left than others; if its blocks
end together, it gets as many at once. When they end is known once one SM has been simulated.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simulator.emulator.launch import Launch
from simulator.timing.dealing import deal_by_time
from simulator.timing.parameters import Parameters
from simulator.timing.state import ENDED
from simulator.timing.trials import WARM, simulate
from simulator.timing.workload import Workload, prepare

# Rounds of blocks beyond which it evens out how many an SM gets (ends.cu: 2.8 and 5.7 rounds), and
# the part of the second round that must be missing.
MOST_ROUNDS, NEARLY_FULL = 2, 0.75
# From how much of each other's time on that blocks of an SM take they do not end together, but the
# older ones much earlier: each SM gets as many as in turn. An assumption; latencies leave less.
SATURATED = 0.6


def deal_rest(
    parameters: Parameters, launch: Launch, work: Workload, registers: float | None
) -> Workload:
    """The workload of the SM that ends last; ``work``, of one that gets its blocks in turn, if that
    is as many."""
    total = launch.grid[0] * launch.grid[1] * launch.grid[2]
    if not in_doubt(total, work):
        return work
    ends = simulate(parameters, work, WARM).blocks[: work.placement.resident, ENDED]
    alone = simulate(parameters, _first_block(work), WARM).blocks[0, ENDED]
    if ends.mean() > SATURATED * len(ends) * alone:
        return work
    deviation = parameters["timing_sm_pace_deviation"]
    blocks = deal_by_time(ends, int(alone), total, work.placement.sms, deviation)
    if len(blocks) == len(work.placement.blocks):
        return work
    return prepare(parameters, launch.fresh(), registers, blocks)


def in_doubt(total: int, work: Workload) -> bool:
    """Whether SMs may get other numbers of a launch's ``total`` blocks than in turn; not if those
    have unequal work, and so have been dealt out already."""
    place = work.placement
    rounds = total / (place.sms * place.resident)
    in_turn = bool((np.diff(place.blocks) == place.sms).all())
    return in_turn and 1 < rounds <= MOST_ROUNDS and rounds % 1 < NEARLY_FULL


def _first_block(work: Workload) -> Workload:
    placement = replace(work.placement, blocks=work.placement.blocks[:1])
    trace = replace(work.trace, blocks=work.trace.blocks[:1])
    streams = work.streams._replace(starts=work.streams.starts[: work.trace.warps + 1])
    return replace(work, placement=placement, trace=trace, streams=streams)
