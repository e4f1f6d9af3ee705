"""The composition root: kernel, device, emulator and models meet here, and a Run comes out."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.checks.access import access_findings
from simulator.dataflow import follows_loaded_data
from simulator.derived import LaunchShape
from simulator.device import load_device
from simulator.device.limits import check_code, check_launch
from simulator.emulator.launch import Fault, Launch
from simulator.emulator.program import build_program
from simulator.errors import ArgumentError
from simulator.events import EventSink
from simulator.intensity import find_intensity
from simulator.isa.kernel import Kernel
from simulator.memory.counters import MemoryCounter
from simulator.memory.first_addresses import FirstAddresses
from simulator.occupancy import BlockResources, find_occupancy
from simulator.records import (
    EXACT_COLUMNS,
    bank_pressure_of,
    counters_of,
    instruction_records,
)
from simulator.results import Counter, Occupancy, Run, Sampling, SharedExample, Status
from simulator.roofline import find_roofline
from simulator.sampling import (
    SMALL_LAUNCH,
    extrapolate,
    find_period,
    judge,
    neighbours,
    sample_blocks,
    spread_blocks,
)  # fmt: skip

Dim3 = tuple[int, int, int]
Counts = NDArray[np.int64]
MOST_BLOCKS = 10**12  # of a launch: sums of more leave 64 bits
MOST_REPLAYED = 10**8  # blocks one by one


@dataclass(frozen=True)
class Tally:
    """What some blocks did: int64[instruction, records.FIELDS], worst requests, faults.

    Where the banks are counted too, their units stand in 32 more columns.
    """

    counts: Counts
    examples: tuple[SharedExample, ...]
    faults: tuple[Fault, ...]
    first_addresses: Mapping[int, int] = field(default_factory=dict, repr=False)


def replay(
    kernel: Kernel,
    grid: Sequence[int],
    block: Sequence[int],
    args: Sequence[Any],
    shared_bytes: int = 0,
    device: str = "rtx4090",
    blocks: str | int = "auto",
    caches: bool = False,
    time: bool = False,
    bank_pressure: bool = False,
    timeline: int = 0,
) -> Run:
    """Replay a launch and count what it does to shared and global memory.

    ``args`` are numpy scalars (by value) and arrays (device buffers), in parameter order; arrays
    are not changed. ``blocks`` is ``"all"``, ``"auto"`` (a sample where it stands for the launch,
    else all) or a number of blocks to sample. ``run.outputs`` holds the buffers after a replay of
    all blocks, by argument position. With ``caches`` the addresses of all blocks also go through
    a model of L1, L2 and DRAM (bounded counters). With ``time`` the launch's time is predicted
    too (``run.time``), with what the warps of one SM do in ``timeline`` cycles. With
    ``bank_pressure`` the units of every bank are counted (``run.bank_pressure``).

    Raises:
        ArgumentError: arguments, dimensions or ``blocks`` that cannot be launched.
        UnsupportedError: machine code the emulator does not implement.
        ReplayError: a deadlock.
    """
    started = perf_counter()
    grid3, block3 = _dim3(grid, "grid"), _dim3(block, "block")
    shared = kernel.static_shared_bytes + shared_bytes
    check_code(load_device(device), kernel.architecture)
    check_launch(load_device(device), grid3, block3, shared, kernel.registers)
    launch = Launch(build_program(kernel), grid3, block3, shared_bytes, args)
    tally, sampling = _replay_blocks(launch, blocks, bank_pressure)
    run = _assemble(launch, tally, sampling, device, shared_bytes)
    if caches:
        found = _cache_counters(run, launch, device, shared_bytes, args)
        run = replace(run, counters={**run.counters, **found})
    if time:
        from simulator.timing.predict import predict_time  # most replays do without it

        fresh = Launch(launch.program, grid3, block3, shared_bytes, args)
        run = replace(run, time=predict_time(fresh, device, window=timeline))
    run = replace(run, intensity=find_intensity(run))
    run = replace(run, roofline=find_roofline(run))
    return replace(run, seconds=perf_counter() - started)


def _dim3(values: Sequence[int], name: str) -> Dim3:
    numbers = tuple(int(v) for v in values)
    if not 1 <= len(numbers) <= 3 or min(numbers) < 1:
        raise ArgumentError(f"{name} {tuple(values)} must be one to three positive numbers")
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def _replay_blocks(launch: Launch, blocks: str | int, banks: bool) -> tuple[Tally, Sampling]:
    total = launch.grid[0] * launch.grid[1] * launch.grid[2]
    if total > MOST_BLOCKS:
        raise ArgumentError(f"a grid of {total:,} blocks; counts hold for {MOST_BLOCKS:,} at most")
    if blocks == "auto":
        return _replay_auto(launch, total, banks)
    if blocks == "all":
        return _replay_all(launch, total, "every block was asked for", banks)
    if not isinstance(blocks, int) or blocks < 1:
        raise ArgumentError(f"blocks {blocks!r} must be 'auto', 'all' or a positive number")
    if blocks >= total:
        return _replay_all(launch, total, "as many blocks were asked for", banks)
    chosen = spread_blocks(total, blocks)
    tally = _run_together(launch, chosen, banks=banks)
    scaled = np.rint(tally.counts * (total / len(chosen))).astype(np.int64)
    reason = f"{len(chosen)} spread blocks, scaled to {total}: an estimate"
    return replace(tally, counts=scaled), Sampling(total, len(chosen), "sampled", reason)


def _replay_all(launch: Launch, total: int, reason: str, banks: bool) -> tuple[Tally, Sampling]:
    _require_few(total, reason)
    tally = _run_together(launch, np.arange(total, dtype=np.int64), banks=banks)
    return tally, Sampling(total, total, "all blocks", reason)


def _require_few(total: int, reason: str) -> None:
    if total > MOST_REPLAYED:
        raise ArgumentError(
            f"{total:,} blocks would have to be replayed ({reason}), which takes hours; for an "
            "estimate give --blocks 1000, or else a smaller grid"
        )


def _replay_auto(launch: Launch, total: int, banks: bool) -> tuple[Tally, Sampling]:
    sample = sample_blocks(launch.grid)
    if len(sample) * 2 >= total:
        return _replay_all(launch, total, "the launch is small", banks)
    steered = follows_loaded_data(launch.program.kernel)
    if steered is not None:
        return _replay_all(launch, total, f"loaded data steers {steered.text}", banks)
    tallies = _run_apart(launch, sample, banks)
    work = sum(int(t.counts[:, 0].sum()) for t in tallies.values()) / len(sample) * total
    if work <= SMALL_LAUNCH:
        return _replay_rest(launch, total, tallies, banks, "the launch is small")
    periods = _find_periods(launch, tallies)
    wanted = sample_blocks(launch.grid, periods)
    if len(wanted) * 2 >= total:
        return _replay_rest(
            launch, total, tallies, banks, "too few blocks lie alike in 128-byte lines"
        )
    tallies |= _run_apart(launch, np.setdiff1d(wanted, list(tallies)), banks)
    exact = {b: t.counts[:, EXACT_COLUMNS] for b, t in tallies.items()}
    verdict = judge(launch.grid, exact, None, periods)
    if not verdict.holds:
        return _replay_rest(launch, total, tallies, banks, verdict.reason)
    tally = _merged(list(tallies.values()))
    counts = extrapolate(launch.grid, {b: t.counts for b, t in tallies.items()}, periods)
    sampling = Sampling(total, len(tallies), "checked", verdict.reason)
    return replace(tally, counts=counts), sampling


def _find_periods(launch: Launch, tallies: dict[int, Tally]) -> Dim3:
    """The period of line offsets on each axis, from the sample's neighbours."""
    home, others = neighbours(launch.grid)
    here = tallies[home].first_addresses
    x, y, z = (
        1 if block is None else find_period(here, tallies[block].first_addresses)
        for block in others
    )
    return x, y, z


def _replay_rest(
    launch: Launch, total: int, tallies: dict[int, Tally], banks: bool, reason: str
) -> tuple[Tally, Sampling]:
    _require_few(total, reason)
    rest = np.setdiff1d(np.arange(total, dtype=np.int64), list(tallies))
    tally = _merged([*tallies.values(), _run_together(launch, rest, banks=banks)])
    return tally, Sampling(total, total, "all blocks", reason)


def _workers() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _run_together(
    launch: Launch,
    blocks: NDArray[np.int64],
    workers: int | None = None,
    readers: Sequence[EventSink] = (),
    banks: bool = False,
) -> Tally:
    """Run and count blocks, and their banks if asked to.

    ``readers`` also see the events (of all workers).
    """
    kernel = launch.program.kernel
    counters: list[MemoryCounter] = []
    pressures: list[Any] = []

    def make_sinks() -> list[EventSink]:
        counters.append(MemoryCounter(kernel))
        sinks: list[EventSink] = [counters[-1], *readers]
        if banks:
            from simulator.memory.bank_pressure import BankPressure  # compiled code few ask for

            pressures.append(BankPressure(kernel))
            sinks.append(pressures[-1])
        return sinks

    execution = launch.run(blocks, make_sinks, workers or _workers())
    memory = counters[0]
    for other in counters[1:]:
        memory.merge(other)
    executed = [execution.executed, execution.thread_executed, execution.predicated_on]
    units = [sum(pressure.totals() for pressure in pressures)] if banks else []
    counts = np.column_stack([*executed, memory.totals(), *units])
    return Tally(counts, memory.examples(), execution.faults)


def _run_apart(launch: Launch, blocks: NDArray[np.int64], banks: bool) -> dict[int, Tally]:
    """Each block counted by itself, several at a time."""

    def run_one(block: int) -> Tally:
        first = FirstAddresses(launch.program.kernel)
        tally = _run_together(launch, np.array([block]), 1, [first], banks)
        return replace(tally, first_addresses=first.addresses)

    with ThreadPoolExecutor(_workers()) as pool:
        found = pool.map(run_one, blocks)
        return dict(zip(blocks.tolist(), found, strict=True))


def _merged(tallies: Sequence[Tally]) -> Tally:
    counts = np.asarray(sum(t.counts for t in tallies))
    worst: dict[int, SharedExample] = {}
    faults: dict[int, Fault] = {}
    for tally in tallies:
        for example in tally.examples:
            known = worst.get(example.instruction)
            if known is None or example.wavefronts > known.wavefronts:
                worst[example.instruction] = example
        for fault in tally.faults:
            old = faults.get(fault.instruction)
            count = fault.count + (old.count if old else 0)
            earlier = old if old and old.block <= fault.block else fault
            faults[fault.instruction] = replace(earlier, count=count)
    examples = tuple(worst[n] for n in sorted(worst))
    return Tally(counts, examples, tuple(faults[n] for n in sorted(faults)))


def _assemble(
    launch: Launch, tally: Tally, sampling: Sampling, device: str, shared_bytes: int
) -> Run:
    kernel = launch.program.kernel
    status = Status.BOUNDED if sampling.argument == "sampled" else Status.EXACT
    records = instruction_records(kernel, tally.counts)
    shape = LaunchShape(launch.grid, launch.block, shared_bytes)
    whole = sampling.blocks_replayed == sampling.blocks_total
    return Run(
        kernel=kernel.name,
        device=load_device(device).name,
        architecture=kernel.architecture,
        program_hash=kernel.program_hash,
        compiler=kernel.compiler,
        grid=launch.grid,
        block=launch.block,
        dynamic_shared_bytes=shared_bytes,
        static_shared_bytes=kernel.static_shared_bytes,
        registers=kernel.registers,
        spill_store_bytes=kernel.spills.store_bytes if kernel.spills else None,
        spill_load_bytes=kernel.spills.load_bytes if kernel.spills else None,
        sampling=sampling,
        instructions=records,
        counters=counters_of(kernel, shape, tally.counts, status),
        examples=tally.examples,
        bank_pressure=bank_pressure_of(records, tally.counts),
        findings=access_findings(kernel, launch.grid, launch.block, tally.faults),
        source_text=kernel.source_text,
        outputs=launch.outputs() if whole else {},
        occupancy=_occupancy(launch, device, kernel.static_shared_bytes + shared_bytes),
    )


def _cache_counters(
    run: Run, launch: Launch, device: str, shared_bytes: int, args: Sequence[Any]
) -> dict[str, Counter]:
    from simulator import caching  # compiled code that a replay without caches need not load

    gpu, total = load_device(device), run.sampling.blocks_total
    instructions = sum(i.executed for i in run.instructions) / total
    tags = sum(i.global_tags for i in run.instructions) / total
    wavefronts = sum(i.shared_wavefronts_hardware for i in run.instructions) / total + tags
    warps = -(-math.prod(launch.block) // 32)
    executed = [i.executed for i in run.instructions]
    assert run.occupancy is not None  # _assemble fills it in
    wanted = caching.CacheLaunch(
        fresh=lambda: Launch(launch.program, launch.grid, launch.block, shared_bytes, args),
        device=gpu,
        occupancy=run.occupancy,
        block_cycles=caching.block_work(instructions, wavefronts, gpu),
        warp_cycles=caching.warp_time(launch.program.kernel, executed, warps * total),
        ahead=caching.fetched_ahead(launch.program.kernel, executed),
        workers=_workers(),
    )
    return caching.cache_counters(caching.cache_counts(wanted))


def _occupancy(launch: Launch, device: str, shared_bytes: int) -> Occupancy:
    kernel = launch.program.kernel
    threads = math.prod(launch.block)
    resources = BlockResources(threads, kernel.registers, shared_bytes, kernel.barriers)
    return find_occupancy(load_device(device), resources, math.prod(launch.grid))
