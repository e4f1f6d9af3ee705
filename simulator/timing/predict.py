"""Predict a launch: trace one SM's blocks, run them through the model, add what surrounds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from simulator.emulator.launch import Launch
from simulator.errors import ReplayError
from simulator.isa.kernel import Kernel
from simulator.memory.lower import SHARED
from simulator.results import LaunchTime
from simulator.slicing import dispensable
from simulator.timing import opcodes as op
from simulator.timing.changes import check_changes
from simulator.timing.channels import pages_of, places_of
from simulator.timing.core import run_sm
from simulator.timing.crowding import by_chance, crowd_of, merged_of, part_fetched, repeats_of
from simulator.timing.drift import leads_of
from simulator.timing.fetching import make_code
from simulator.timing.lower import lower_code
from simulator.timing.parameters import Parameters, Rates, load_parameters
from simulator.timing.placement import Placement, is_uneven, place_blocks, place_by_work
from simulator.timing.recorder import OPENS_BEHIND, make_recorder, read_timeline
from simulator.timing.report import describe
from simulator.timing.requests import LINE_SHIFT, R_COST, R_INSTRUCTION, R_SPACE
from simulator.timing.sharing import find_sharing, first_touch
from simulator.timing.state import LAST_END, SERVERS, Sm, Streams, make_sm
from simulator.timing.trace import Trace, trace_blocks
from simulator.timing.variants import vary_rates, vary_streams

COLD, WARM = "cold", "warm"
SECTORS, PAIRS = (1, 2, 4, 8), (3, 12)  # of a line; DRAM brings pairs
# How many times of refresh and how many SMs are tried at most, and how many warp-instructions they
# may execute together.
MOST_PHASES, MOST_SMS, MOST_INSTRUCTIONS = 8, 3, 1_000_000
MANY_REQUESTS = 10_000  # to shared memory, of a block


@dataclass(frozen=True)
class Workload:
    """Everything about a launch that does not depend on cold or warm caches."""

    placement: Placement
    trace: Trace
    streams: Streams
    is_first: NDArray[np.bool_]  # by line: L2 cannot have it before this SM or its peers ask
    touched: int  # bytes of all buffers
    lines: NDArray[np.int64]  # number of each line of the streams


def predict_time(
    launch: Launch, device: str, changes: Mapping[str, float] | None = None, window: int = 0
) -> LaunchTime:
    """Times of a launch that has not run yet, with cold and with warm caches.

    ``changes`` are what-ifs (``timing.changes``). ``window`` asks for a timeline of so many cycles
    with warm caches. Blocks are replayed, so the launch's memory is used up.

    Raises:
        ArgumentError: a change that cannot be made.
        ReplayError: warps that wait for each other for ever.
    """
    return predict_variants(launch, device, [changes or {}], window)[0]


def predict_variants(
    launch: Launch, device: str, variants: Sequence[Mapping[str, float]], window: int = 0
) -> list[LaunchTime]:
    """Times of one launch under several sets of what-ifs; its blocks are replayed once.

    All sets must have the same number of ``registers``, if any; ``window`` as above.

    Raises:
        ArgumentError: a change that cannot be made.
        ReplayError: warps that wait for each other for ever.
    """
    for changes in variants:
        check_changes(changes)
    parameters = load_parameters(device).for_code(launch.program.kernel)
    work = prepare(parameters, launch, variants[0].get("registers"))
    return [_predict(parameters, work, changes, window) for changes in variants]


def _predict(
    parameters: Parameters, work: Workload, changes: Mapping[str, float], window: int
) -> LaunchTime:
    numbers = {k: v for k, v in changes.items() if k in parameters.values or k == "clock_hz"}
    parameters = parameters.changed(**numbers)
    run = partial(simulate, parameters, work, changes=changes)
    if window:  # where the timeline begins depends on the time with cold caches
        cold = run(COLD)
        opens_at = int(OPENS_BEHIND * work.trace.instructions) if cycles(cold) > 2 * window else 0
        warm = run(WARM, window=(window, opens_at))
    else:
        with ThreadPoolExecutor(2) as pool:
            cold, warm = pool.map(run, (COLD, WARM))
    return LaunchTime(
        describe(parameters, work, cold, COLD),
        describe(parameters, work, warm, WARM),
        parameters.borrowed,
        dict(changes),
        read_timeline(warm, work.streams.code, work.placement.blocks.tolist()) if window else None,
    )


def prepare(parameters: Parameters, launch: Launch, registers: float | None = None) -> Workload:
    """Trace the SM's blocks and make streams of them; ``registers`` as ``place_blocks`` takes
    them."""
    launch = launch.without(dispensable(launch.program.kernel))  # only addresses are asked for
    placement = place_blocks(parameters.device, launch, registers)
    trace = trace_blocks(launch, placement.blocks)
    if is_uneven(launch.grid, placement, trace.work):
        dealt, placement = placement, place_by_work(launch.fresh(), placement)
        if placement is not dealt:
            launch = launch.fresh()
            trace = trace_blocks(launch, placement.blocks)
    lines, owner = trace.lines, trace.owners()
    numbers, first, inverse = np.unique(lines >> LINE_SHIFT, return_index=True, return_inverse=True)
    request = owner[first]
    instruction = trace.costs[trace.requests[request, R_COST], R_INSTRUCTION]
    home = placement.blocks[trace.home(request)]
    window = placement.resident * placement.sms
    sharing = find_sharing(_for_lines(launch, trace), trace, window)
    is_first, share = first_touch(sharing, instruction, home, window, placement.sms)
    sectors = _touched(lines, inverse.reshape(-1), len(numbers), SECTORS)
    brought = 2 * _touched(lines, inverse.reshape(-1), len(numbers), PAIRS)
    paid = np.where(sharing.covered[instruction], np.float32(0), share)
    held, fetched = part_fetched(
        numbers, brought, paid, launch.arena.spans, placement.sms, parameters.l2_capacity
    )
    is_first &= by_chance(numbers, fetched)
    users = np.minimum(placement.sms, 1.0 / (share * held)).astype(np.float32)
    apart = parameters.apart(trace, request, placement)
    streams = Streams(
        code=lower_code(launch.program.kernel, parameters),
        bounds=trace.basic_blocks,
        steps=trace.steps,
        starts=trace.starts,
        requests=trace.requests,
        costs=trace.costs,
        line=inverse.astype(np.int32).reshape(-1),
        bits=(lines & 0xFF).astype(np.int32),
        distance=_distances(numbers, int(parameters["l2_latency_spread_cycles"])),
        **places_of(numbers, int(parameters["dram_far_cycles"]))._asdict(),
        page=pages_of(numbers, launch.arena.spans),
        share=share,
        users=users,
        lead=leads_of(apart, share),
        crowd=_crowd(parameters, launch.program.kernel, trace, numbers, inverse.reshape(-1), owner,
                     instruction, sectors, users / placement.sms),
        merged=merged_of(
            parameters.merging, sharing.ordered[instruction],
            apart + parameters.skew(placement.sms), share,
        ),
    )  # fmt: skip
    touched = sum(a.nbytes for a in launch.arguments if isinstance(a, np.ndarray))
    return Workload(placement, trace, streams, is_first, touched, numbers)


def _for_lines(launch: Launch, trace: Trace) -> Launch:
    """A launch to find the lines of global memory that a block touches: without its accesses to
    shared memory, if it makes so many that another translation of the kernel is worth its price."""
    made = np.bincount(trace.requests[:, R_COST], minlength=len(trace.costs))
    shared = int(made[trace.costs[:, R_SPACE] == SHARED].sum())
    if shared < MANY_REQUESTS * len(trace.blocks):
        return launch
    return launch.without(dispensable(launch.program.kernel, shared=False))


def _crowd(
    parameters: Parameters,
    kernel: Kernel,
    trace: Trace,
    numbers: NDArray[np.int64],
    line: NDArray[np.int64],
    owner: NDArray[np.int32],
    instruction: NDArray[np.int32],
    sectors: NDArray[np.int64],
    shared: NDArray[np.float32],
) -> NDArray[np.float32]:
    """How crowded the slices of each line are (``crowding.crowd_of``); ``line`` and ``owner`` are
    the place among ``numbers`` and the request of every line that a request touches."""
    kinds, kind = np.unique(instruction, return_inverse=True)
    place = np.full(len(kernel.instructions), -1, np.int64)
    place[kinds] = np.arange(len(kinds))
    by = place[trace.costs[trace.requests[owner, R_COST], R_INSTRUCTION]]
    touched = np.zeros((len(kinds), len(numbers)), np.bool_)
    touched[by[by >= 0], line[by >= 0]] = True
    code = [kernel.instructions[k] for k in kinds]
    is_atomic = np.array([op.kind_of(i) == op.ATOMIC for i in code], np.bool_)
    passes, count = parameters.atomic_repeat, parameters.slices.number
    again = [
        repeats_of(sectors[row], numbers[row], count, passes) if op.adds_floats(i) else 1.0
        for i, row in zip(code, touched, strict=True)
    ]
    return crowd_of(
        numbers, kind.reshape(-1).astype(np.int32), touched, is_atomic, np.array(again),
        shared, parameters.slices,
    )  # fmt: skip


def _touched(
    lines: NDArray[np.int64], numbers: NDArray[np.int64], count: int, parts: Sequence[int]
) -> NDArray[np.int64]:
    """How many of some parts of each distinct line are touched; ``parts``: a bit a sector."""
    found = np.zeros(count, np.int64)
    for part in parts:
        touched = np.zeros(count, np.bool_)
        touched[numbers[(lines & part).astype(np.bool_)]] = True
        found += touched
    return found


def _distances(lines: NDArray[np.int64], spread: int) -> NDArray[np.int32]:
    """How far each line's L2 slice is, in cycles from the mean: spread evenly by a hash."""
    mixed = (lines.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)
    return (mixed % np.uint64(2 * spread + 1)).astype(np.int32) - np.int32(spread)


def simulate(
    parameters: Parameters,
    work: Workload,
    state: str,
    changes: Mapping[str, float] | None = None,
    window: tuple[int, int] = (0, 0),
) -> Sm:
    """Run the SM with cold or warm caches; ``window``: record so many cycles from this issue on.

    Where DRAM is read, some SMs are tried (``trials_of``): the cycles are the mean over when DRAM
    is refreshed of the slowest SM's, all else that of the SM nearest to it.

    Raises:
        ReplayError: its warps wait for ever.
    """
    changes = changes or {}
    too_large = work.touched > parameters.l2_capacity
    ready = np.zeros((len(work.is_first), 4), np.int64)
    if state == COLD or too_large:
        ready[work.is_first] = -1
    instructions = len(work.streams.code)
    rates = parameters.rates(work.placement.sms, state == COLD, too_large, instructions)
    rates = vary_rates(rates, changes)
    streams = vary_streams(work.streams, changes)
    phases, others = trials_of(work) if (ready < 0).any() else (1, 1)
    places = [places_of(work.lines, int(parameters["dram_far_cycles"]), n) for n in range(others)]
    slowest = []
    for phase in range(phases):
        begun = rates._replace(refresh_phase=rates.refresh_every * (phase + 0.5) / phases)
        tried = []
        for place in places:
            sm = _empty_sm(parameters, rates, work, ready.copy(), state == COLD, window)
            _run(sm, streams._replace(**place._asdict()), begun, work, "waits" in changes)
            tried.append(sm)
        slowest.append(max(tried, key=cycles))
    mean = round(fmean(map(cycles, slowest)))
    found = min(slowest, key=lambda sm: abs(cycles(sm) - mean))
    found.clock[LAST_END] = mean
    return found


def _run(sm: Sm, streams: Streams, rates: Rates, work: Workload, waits_for_all: bool) -> None:
    if run_sm(sm, streams, rates, work.placement.resident):
        raise ReplayError("the model's warps wait for each other for ever; please report this")
    if waits_for_all:  # warps that wait for nothing may end before the units have done all
        sm.clock[LAST_END] = max(sm.clock[LAST_END], int(sm.flows[list(SERVERS)].max()))


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
        len(work.streams.code), slots, len(place.blocks), place.l1_bytes, passes, ready, code,
        int(work.streams.page.max(initial=0)) + 1, recorder,
    )  # fmt: skip
    sm.constants[:] = -int(parameters["timing_constant_miss_cycles"])
    return sm


def cycles(sm: Sm) -> int:
    """Cycles from the first block's launch to the last block's end."""
    return int(sm.clock[LAST_END])
