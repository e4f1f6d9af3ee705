"""Predict a launch: trace one SM's blocks, run them through the model, add what surrounds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

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
from simulator.timing.core import run_sm
from simulator.timing.crowding import by_chance, crowd_of, merged_of, part_held, repeats_of
from simulator.timing.drift import leads_of
from simulator.timing.fetching import make_code
from simulator.timing.lower import lower_code
from simulator.timing.parameters import Parameters, load_parameters
from simulator.timing.placement import Placement, is_uneven, place_blocks, place_by_work
from simulator.timing.recorder import OPENS_BEHIND, make_recorder, read_timeline
from simulator.timing.report import describe
from simulator.timing.requests import LINE_SHIFT, R_COST, R_INSTRUCTION, R_SPACE
from simulator.timing.sharing import find_sharing, first_touch
from simulator.timing.state import LAST_END, SERVERS, Sm, Streams, make_sm
from simulator.timing.trace import Trace, trace_blocks
from simulator.timing.variants import vary_rates, vary_streams

COLD, WARM = "cold", "warm"
MANY_REQUESTS = 10_000  # to shared memory, of a block


@dataclass(frozen=True)
class Workload:
    """Everything about a launch that does not depend on cold or warm caches."""

    placement: Placement
    trace: Trace
    streams: Streams
    is_first: NDArray[np.bool_]  # by line: L2 cannot have it before this SM or its peers ask
    touched: int  # bytes of all buffers


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
    sectors = _sectors(lines, inverse.reshape(-1), len(numbers))
    paid = np.where(sharing.covered[instruction], np.float32(0), share)
    held = part_held(numbers, sectors, paid, launch.arena.spans, placement.sms)
    is_first &= by_chance(numbers, held)
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
        bank=_distances(numbers * 7 + 3, int(parameters["dram_latency_spread_cycles"])),
        share=share,
        lead=leads_of(apart, share),
        crowd=_crowd(parameters, launch.program.kernel, trace, numbers, inverse.reshape(-1), owner,
                     instruction, sectors, np.minimum(1.0, 1.0 / (share * held) / placement.sms)),
        merged=merged_of(
            parameters.merging, sharing.ordered[instruction],
            apart + parameters.skew(placement.sms), share,
        ),
    )  # fmt: skip
    touched = sum(a.nbytes for a in launch.arguments if isinstance(a, np.ndarray))
    return Workload(placement, trace, streams, is_first, touched)


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


def _sectors(lines: NDArray[np.int64], numbers: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """How many sectors of each distinct line are touched."""
    found = np.zeros(count, np.int64)
    for sector in range(4):
        touched = np.zeros(count, np.bool_)
        touched[numbers[(lines >> sector & 1).astype(np.bool_)]] = True
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

    Raises:
        ReplayError: its warps wait for ever.
    """
    too_large = work.touched > parameters.l2_capacity
    ready = np.zeros((len(work.is_first), 4), np.int64)
    if state == COLD or too_large:
        ready[work.is_first] = -1
    place = work.placement
    changes = changes or {}
    instructions = len(work.streams.code)
    rates = parameters.rates(place.sms, state == COLD, too_large, instructions)
    rates = vary_rates(rates, changes)
    streams = vary_streams(work.streams, changes)
    slots = min(place.resident, len(place.blocks)) * work.trace.warps
    recorder = make_recorder(*window, slots) if window[0] else None
    passes = int(parameters["timing_atomic_passes"])
    code = make_code(rates.fetch, parameters.first_code(state == COLD))
    sm = make_sm(
        instructions, slots, len(place.blocks), place.l1_bytes, passes, ready, code, recorder
    )
    sm.constants[:] = -int(parameters["timing_constant_miss_cycles"])
    if run_sm(sm, streams, rates, place.resident):
        raise ReplayError("the model's warps wait for each other for ever; please report this")
    if "waits" in changes:  # warps that wait for nothing may end before the units have done all
        sm.clock[LAST_END] = max(sm.clock[LAST_END], int(sm.flows[list(SERVERS)].max()))
    return sm


def cycles(sm: Sm) -> int:
    """Cycles from the first block's launch to the last block's end."""
    return int(sm.clock[LAST_END])
