"""Predict a launch: trace one SM's blocks, run them through the model, add what surrounds them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.emulator.launch import Launch
from simulator.errors import ReplayError
from simulator.sampling import class_of, sample_blocks
from simulator.timing.core import run_sm
from simulator.timing.lower import lower_code
from simulator.timing.parameters import Parameters
from simulator.timing.requests import LINE_SHIFT, R_INSTRUCTION
from simulator.timing.residency import resident_blocks
from simulator.timing.sharing import find_sharing, first_touch, lines_of
from simulator.timing.state import LAST_END, Sm, Streams, make_sm
from simulator.timing.trace import Trace, trace_blocks

COLD, WARM = "cold", "warm"


@dataclass(frozen=True)
class Placement:
    """Which blocks one SM gets: ``blocks`` in order, ``resident`` at a time, ``sms`` busy SMs."""

    blocks: NDArray[np.int64]
    resident: int
    sms: int
    l1_bytes: int


@dataclass(frozen=True)
class Workload:
    """Everything about a launch that does not depend on cold or warm caches."""

    placement: Placement
    trace: Trace
    streams: Streams
    is_first: NDArray[np.bool_]  # by line: L2 cannot have it before this SM or its peers ask
    touched: int  # bytes of all buffers


def place_blocks(parameters: Parameters, launch: Launch) -> Placement:
    """The blocks of the busiest SM: dealt out in turn."""
    device, kernel = parameters.device, launch.program.kernel
    total = launch.grid[0] * launch.grid[1] * launch.grid[2]
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    shared = launch.shared_span[1] - launch.shared_span[0]
    resident, l1_bytes = resident_blocks(device, threads, kernel.registers, shared)
    sms = min(total, device.sm_count)
    rest = total % device.sm_count
    first = (rest if rest else sms) // 2
    blocks = np.arange(first, total, device.sm_count, dtype=np.int64)
    if total <= device.sm_count:
        blocks = np.array([longest_block(launch)], np.int64)
    return Placement(blocks, resident, sms, l1_bytes)


def longest_block(launch: Launch) -> int:
    """The block that executes most, among one of each kind (first, between, last on each axis)."""
    kinds: dict[tuple[int, int, int], int] = {}
    for block in sample_blocks(launch.grid).tolist():
        kinds.setdefault(class_of(block, launch.grid), block)
    work = {b: int(launch.run(np.array([b])).executed.sum()) for b in kinds.values()}
    return max(work, key=lambda block: work[block])


def prepare(parameters: Parameters, launch: Launch) -> Workload:
    """Trace the SM's blocks and make streams of them."""
    placement = place_blocks(parameters, launch)
    trace = trace_blocks(launch, placement.blocks)
    lines, owner = lines_of(trace)
    numbers, first, inverse = np.unique(lines >> LINE_SHIFT, return_index=True, return_inverse=True)
    sharing = find_sharing(launch, int(placement.blocks[len(placement.blocks) // 2]))
    request = owner[first]
    is_first, share = first_touch(
        sharing,
        trace.requests[request, R_INSTRUCTION],
        placement.blocks[trace.home[request]],
        placement.resident * placement.sms,
        placement.sms,
    )
    streams = Streams(
        code=lower_code(launch.program.kernel, parameters),
        bounds=trace.basic_blocks,
        steps=trace.steps,
        starts=trace.starts,
        requests=trace.requests,
        line=inverse.astype(np.int32).reshape(-1),
        bits=(lines & 0xFF).astype(np.int32),
        distance=_distances(numbers, int(parameters["timing_l2_slice_spread_cycles"])),
        share=share,
    )
    touched = sum(a.nbytes for a in launch.arguments if isinstance(a, np.ndarray))
    return Workload(placement, trace, streams, is_first, touched)


def _distances(lines: NDArray[np.int64], spread: int) -> NDArray[np.int32]:
    """How far each line's L2 slice is, in cycles from the mean: spread evenly by a hash."""
    mixed = (lines.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)
    return (mixed % np.uint64(2 * spread + 1)).astype(np.int32) - np.int32(spread)


def simulate(parameters: Parameters, work: Workload, state: str) -> Sm:
    """Run the SM with cold or warm caches; raises ReplayError when its warps wait for ever."""
    too_large = work.touched > parameters.device.l2_bytes
    is_cold = state == COLD or too_large
    ready = np.zeros((len(work.is_first), 4), np.int64)
    if is_cold:
        ready[work.is_first] = -1
    place = work.placement
    slots = min(place.resident, len(place.blocks)) * work.trace.warps
    sm = make_sm(len(work.streams.code), slots, len(place.blocks), place.l1_bytes, ready)
    if run_sm(sm, work.streams, parameters.rates(place.sms, too_large), place.resident):
        raise ReplayError("the model's warps wait for each other for ever; please report this")
    return sm


def cycles(sm: Sm) -> int:
    """Cycles from the first block's launch to the last block's end."""
    return int(sm.clock[LAST_END])
