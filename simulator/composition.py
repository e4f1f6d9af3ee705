"""The composition root: kernel, device, emulator and models meet here, and a Run comes out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

from simulator.chance import follows_order
from simulator.checks.access import access_findings
from simulator.coverage import Steered, count_blocks
from simulator.derived import LaunchShape
from simulator.detours import find_steering
from simulator.device import load_device
from simulator.device.limits import check_code, check_launch
from simulator.device.structure import LEAST_REGISTERS
from simulator.emulator.launch import Launch
from simulator.emulator.program import build_program
from simulator.given import check_kernel, dimensions, launch_arguments, whole
from simulator.intensity import find_intensity
from simulator.isa.kernel import Kernel
from simulator.occupancy import BlockResources, find_occupancy
from simulator.records import (
    bank_pressure_of,
    counters_of,
    instruction_records,
)
from simulator.results import Counter, Occupancy, Run, Sampling
from simulator.roofline import find_roofline
from simulator.tallies import Counting, Tally, worker_count
from simulator.timing.changes import given_changes

if TYPE_CHECKING:
    from simulator.recording import Recording


def replay(
    kernel: Kernel,
    grid: int | Sequence[int],
    block: int | Sequence[int],
    args: Sequence[Any],
    shared_bytes: int = 0,
    device: str = "rtx4090",
    blocks: str | int = "auto",
    caches: bool = False,
    time: bool = False,
    bank_pressure: bool = False,
    timeline: int = 0,
    what_if: Mapping[str, float] | None = None,
) -> Run:
    """Replay a launch and count what it does to shared and global memory.

    ``args`` are numpy scalars (by value; structs as scalars of a structured type) and arrays
    (device buffers), in parameter order, None for a null pointer; arrays are not changed.
    ``blocks`` is ``"all"``, ``"auto"`` (a sample where it stands for the launch, else all) or a
    number of blocks to sample. ``run.outputs`` holds the buffers after a replay of all blocks, by
    argument position. With ``caches`` the addresses of all blocks also go through
    a model of L1, L2 and DRAM (bounded counters). With ``time`` the launch's time is predicted
    too (``run.time``), with what the warps of one SM do in ``timeline`` cycles; ``what_if`` changes
    something for it, as ``--what-if`` does: ``{"bank_conflicts": 0}``. With ``bank_pressure`` the
    units of every bank are counted (``run.bank_pressure``).

    Raises:
        ArgumentError: arguments, dimensions or ``blocks`` that cannot be launched.
        UnsupportedError: machine code the emulator does not implement.
        ReplayError: a deadlock.
    """
    started = perf_counter()
    check_kernel(kernel)
    grid3, block3 = dimensions(grid, "grid"), dimensions(block, "block")
    shared_bytes, timeline = whole(shared_bytes, "shared_bytes"), whole(timeline, "timeline")
    args, changes = launch_arguments(args), given_changes(what_if, time)
    shared = kernel.static_shared_bytes + shared_bytes
    check_code(load_device(device), kernel.architecture)
    check_launch(load_device(device), grid3, block3, shared, kernel.registers)
    launch = Launch(build_program(kernel), grid3, block3, shared_bytes, args)
    launch.resident = _resident(launch, device, shared)
    steered = cache(lambda: find_steering(kernel))
    recording = _recording(launch, device, steered) if caches else None
    counting = Counting(launch, bank_pressure, recording)
    tally, sampling = count_blocks(counting, blocks, steered)
    run = _assemble(launch, tally, sampling, device, shared_bytes)
    if recording is not None:
        found = _cache_counters(run, launch, device, recording)
        run = replace(run, counters={**run.counters, **found})
    if time:
        from simulator.timing.predict import predict_time  # most replays do without it

        run = replace(run, time=predict_time(launch.fresh(), device, changes, timeline))
    run = replace(run, intensity=find_intensity(run))
    run = replace(run, roofline=find_roofline(run))
    return replace(run, seconds=perf_counter() - started)


def _recording(launch: Launch, device: str, steered: Steered) -> Recording:
    from simulator import caching  # compiled code that a replay without caches need not load

    gpu = load_device(device)
    return caching.make_recording(launch, gpu, lambda: steered().where is not None)


def _resident(launch: Launch, device: str, shared: int) -> int:
    """Blocks that the GPU has room for at once."""
    places = _occupancy(launch, device, shared).blocks_per_sm
    return max(1, places * load_device(device).sm_count)


def _assemble(
    launch: Launch, tally: Tally, sampling: Sampling, device: str, shared_bytes: int
) -> Run:
    kernel = launch.program.kernel
    sampling = replace(sampling, chance=sampling.chance or _chance(launch, tally))
    records = instruction_records(kernel, tally.counts, sampling.status)
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
        counters=counters_of(kernel, shape, tally.counts, sampling.status),
        examples=tally.examples,
        bank_pressure=bank_pressure_of(records, tally.counts),
        findings=access_findings(kernel, launch.grid, launch.block, tally.faults),
        source_text=kernel.source_text,
        outputs=launch.outputs() if whole else {},
        occupancy=_occupancy(launch, device, kernel.static_shared_bytes + shared_bytes),
        stack_bytes=kernel.stack_bytes,
    )


def _chance(launch: Launch, tally: Tally) -> str:
    """Why counts differ from launch to launch, empty if they do not."""
    if tally.waited:
        return "blocks wait for each other in loops that go round as often as chance has it"
    blocks, threads = math.prod(launch.grid), math.prod(launch.block)
    where = follows_order(launch.program.kernel, blocks, threads)
    return f"the order of warps steers {where.text}, through what atomics find" if where else ""


def _cache_counters(
    run: Run, launch: Launch, device: str, recording: Recording
) -> dict[str, Counter]:
    from simulator import caching  # as above

    gpu, total = load_device(device), run.sampling.blocks_total
    instructions = sum(i.executed for i in run.instructions) / total
    tags = sum(i.global_tags for i in run.instructions) / total
    wavefronts = sum(i.shared_wavefronts_hardware for i in run.instructions) / total + tags
    warps = -(-math.prod(launch.block) // 32)
    executed = [i.executed for i in run.instructions]
    code = caching.code_of(launch.program.kernel, executed)
    assert run.occupancy is not None  # _assemble fills it in
    wanted = caching.CacheLaunch(
        launch=launch,
        recording=recording,
        device=gpu,
        occupancy=run.occupancy,
        block_cycles=caching.block_work(instructions, wavefronts, gpu),
        warp_cycles=caching.warp_time(launch.program.kernel, executed, warps * total),
        ahead=caching.fetched_ahead(launch.program.kernel, code),
        code=code,
        workers=worker_count(),
    )
    return caching.cache_counters(caching.cache_counts(wanted))


def _occupancy(launch: Launch, device: str, shared_bytes: int) -> Occupancy:
    kernel = launch.program.kernel
    threads = math.prod(launch.block)
    registers = max(kernel.registers, LEAST_REGISTERS)
    resources = BlockResources(threads, registers, shared_bytes, kernel.barriers)
    return find_occupancy(load_device(device), resources, math.prod(launch.grid))
