"""Predict a launch: trace one SM's blocks, run them through the model, add what surrounds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from simulator.emulator.launch import Launch
from simulator.results import LaunchTime
from simulator.timing.changes import check_changes, check_registers
from simulator.timing.parameters import Parameters, load_parameters
from simulator.timing.recorder import OPENS_BEHIND, read_timeline
from simulator.timing.report import describe
from simulator.timing.tails import deal_rest
from simulator.timing.trials import COLD, WARM, cycles, simulate
from simulator.timing.workload import Workload, prepare


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
    check_registers(variants[0], parameters.device, launch.block)
    registers = variants[0].get("registers")
    work = deal_rest(parameters, launch, prepare(parameters, launch, registers), registers)
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
        len(work.trace.blocks),
        len(work.placement.blocks),
    )
