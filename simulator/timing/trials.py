"""Runs of the SM: at several times of DRAM's refresh, and as several SMs."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from simulator.errors import ReplayError
from simulator.jit import pack
from simulator.timing.channels import places_of
from simulator.timing.core import run_sm
from simulator.timing.fetching import make_code
from simulator.timing.lower import INTERVAL, PIPE
from simulator.timing.opcodes import NO_PIPE, XU
from simulator.timing.parameters import Parameters
from simulator.timing.rates import Rates
from simulator.timing.rating import make_rates
from simulator.timing.recorder import make_recorder
from simulator.timing.stalls import SELECTED
from simulator.timing.state import (
    FILLED,
    ISSUED,
    LAST_END,
    SERVERS,
    UNFINISHED,
    Sm,
    Streams,
    make_sm,
)
from simulator.timing.steady import go_on
from simulator.timing.variants import vary_rates, vary_streams
from simulator.timing.workload import Workload

COLD, WARM = "cold", "warm"
# How many times of refresh and how many SMs are tried at most, and how many warp-instructions they
# may execute together.
MOST_PHASES, MOST_SMS, MOST_INSTRUCTIONS = 8, 3, 1_000_000


def simulate(
    parameters: Parameters,
    work: Workload,
    state: str,
    changes: Mapping[str, float] | None = None,
    window: tuple[int, int] = (0, 0),
) -> Sm:
    """Run the SM with cold or warm caches; ``window``: record so many cycles from this issue on.

    Where DRAM is read, some SMs are tried (``trials_of``): the cycles are the mean over when DRAM
    is refreshed of the slowest SM's, all else that of the SM nearest to it. Blocks that were not
    traced go on as the last ones (``steady``).

    Raises:
        ReplayError: its warps wait for ever.
    """
    changes = changes or {}
    too_large = work.touched > parameters.l2_capacity
    ready = np.zeros((len(work.is_first), 4), np.int64)
    if state == COLD or too_large:
        ready[work.is_first] = -1
    instructions = len(work.streams.code)
    rates = make_rates(parameters, work.placement.sms, state == COLD, instructions)
    rates = vary_rates(rates, changes)
    streams = vary_streams(work.streams, changes)
    phases, others = trials_of(work) if (ready < 0).any() else (1, 1)
    places = (
        places_of(work.lines, parameters.spread, work.streams.users, n) for n in range(others)
    )
    of_sms = [pack(streams._replace(**place._asdict())) for place in places]
    slowest = []
    for phase in range(phases):
        begun = rates._replace(refresh_phase=rates.refresh_every * (phase + 0.5) / phases)
        tried = []
        for own in of_sms:
            sm = _empty_sm(parameters, rates, work, ready.copy(), state == COLD, window)
            _run(sm, own, begun, work, "waits" in changes)
            _count_issues(sm, streams.code)
            tried.append(sm)
        slowest.append(max(tried, key=cycles))
    mean = round(fmean(map(cycles, slowest)))
    found = min(slowest, key=lambda sm: abs(cycles(sm) - mean))
    found.clock[LAST_END] = mean
    go_on(found, len(work.placement.blocks), work.placement.resident)
    return found


def _run(sm: Sm, streams: Streams, rates: Rates, work: Workload, waits_for_all: bool) -> None:
    if run_sm(sm, streams, rates, work.placement.resident):
        raise ReplayError("the model's warps wait for each other for ever; please report this")
    if waits_for_all:  # warps that wait for nothing may end before the units have done all
        sm.clock[LAST_END] = max(sm.clock[LAST_END], int(sm.flows[list(SERVERS)].max()))


def _count_issues(sm: Sm, code: NDArray[np.int32]) -> None:
    """Sum up what follows from how often each instruction was issued."""
    issues, is_piped = sm.stalls[:, SELECTED], code[:, PIPE] != NO_PIPE
    taken = (issues * code[:, INTERVAL])[is_piped]
    pipes = np.bincount(code[is_piped, PIPE], taken, len(sm.pipe_cycles))
    sm.pipe_cycles[:] += pipes.astype(np.int64)
    sm.clock[ISSUED] = issues.sum()


def trials_of(work: Workload) -> tuple[int, int]:
    """How many times of refresh to try, and with each how many SMs that wait differently for DRAM:
    several where each has but its first blocks, as no other takes what the slowest leaves. Fewer
    of both for more work, which evens them out."""
    place, most = work.placement, MOST_INSTRUCTIONS // max(1, work.trace.instructions)
    others = min(MOST_SMS, place.sms) if len(place.blocks) <= place.resident else 1
    phases = max(1, min(MOST_PHASES, most))
    return phases, max(1, min(others, most // phases))


def _empty_sm(
    parameters: Parameters, rates: Rates, work: Workload, ready: NDArray[np.int64], is_cold: bool,
    window: tuple[int, int],
) -> Sm:  # fmt: skip
    place = work.placement
    slots = min(place.resident, len(place.blocks)) * work.trace.warps
    recorder = make_recorder(*window, slots) if window[0] else None
    passes = int(parameters["timing_atomic_passes"])
    code = make_code(rates.fetch, parameters.first_code(is_cold))
    sm = make_sm(
        len(work.streams.code), slots, len(work.trace.blocks), place.l1_bytes, passes, ready, code,
        int(work.streams.page.max(initial=0)) + 1, int(parameters["timing_copy_queue_copies"]),
        recorder,
    )  # fmt: skip
    if not is_cold and (ready < 0).any():  # L2 is full of what the launch before has left
        sm.flows[FILLED] = rates.l2_turnover
        sm.flows[UNFINISHED] = rates.unfinished_turnover
    sm.constants[:] = -int(parameters["timing_constant_miss_cycles"])
    sm.pipes[:, XU] = -rates.xu_queue  # nothing waits for it
    return sm


def cycles(sm: Sm) -> int:
    """Cycles from the first block's launch to the last block's end."""
    return int(sm.clock[LAST_END])
