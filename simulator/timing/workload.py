"""Everything about a launch that does not depend on its caches: one SM's blocks as streams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simulator.emulator.launch import Launch
from simulator.isa.kernel import Kernel
from simulator.memory.lower import SHARED
from simulator.slicing import dispensable
from simulator.timing import opcodes as op
from simulator.timing.channels import pages_of, places_of
from simulator.timing.crowding import by_chance, crowd_of, merged_of, part_fetched, repeats_of
from simulator.timing.lower import lower_code
from simulator.timing.parameters import Parameters
from simulator.timing.pieces import halves_of, stores_of
from simulator.timing.placement import Placement, is_uneven, place_blocks, place_by_work
from simulator.timing.requests import LINE_SHIFT, R_COST, R_INSTRUCTION, R_SPACE
from simulator.timing.sharing import Sharing, find_sharing, first_touch
from simulator.timing.state import Streams
from simulator.timing.trace import Trace, trace_blocks

SECTORS, PAIRS = (1, 2, 4, 8), (3, 12)  # of a line; DRAM brings pairs
MANY_REQUESTS = 10_000  # to shared memory, of a block


@dataclass(frozen=True)
class Workload:
    """Everything about a launch that does not depend on cold or warm caches. The trace may lack
    later blocks of the placement (``trace_blocks``)."""

    placement: Placement
    trace: Trace
    streams: Streams
    is_first: NDArray[np.bool_]  # by line: L2 cannot have it before this SM or its peers ask
    touched: int  # bytes of all buffers
    lines: NDArray[np.int64]  # number of each line of the streams


def prepare(
    parameters: Parameters,
    launch: Launch,
    registers: float | None = None,
    blocks: NDArray[np.int64] | None = None,
) -> Workload:
    """Trace the SM's blocks and make streams of them; ``registers`` as ``place_blocks`` takes
    them, ``blocks`` instead of those that it finds."""
    launch = launch.without(dispensable(launch.program.kernel))  # only addresses are asked for
    placement = place_blocks(parameters.device, launch, registers)
    if blocks is not None:
        placement = replace(placement, blocks=blocks)
    trace = trace_blocks(launch, placement.blocks, placement.resident)
    if blocks is None and is_uneven(launch.grid, trace.blocks, trace.work):
        dealt, placement = placement, place_by_work(parameters.device, launch.fresh(), placement)
        if placement is not dealt:
            launch = launch.fresh()
            trace = trace_blocks(launch, placement.blocks, placement.resident)
    lines, owner = trace.lines, trace.owners()
    numbers, first, inverse = np.unique(lines >> LINE_SHIFT, return_index=True, return_inverse=True)
    request = owner[first]
    instruction = trace.costs[trace.requests[request, R_COST], R_INSTRUCTION]
    home = trace.blocks[trace.home(request)]
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
        **places_of(numbers, parameters.spread, users)._asdict(),
        page=pages_of(numbers, launch.arena.spans, parameters.spread.page),
        share=share,
        paired=sharing.paired[instruction],
        fetch=(
            1.0 + parameters["timing_dram_read_run_share"] * sharing.pieces[instruction]
        ).astype(np.float32),
        put=_put(parameters, launch.program.kernel, trace, sharing, inverse.reshape(-1), owner),
        users=users,
        times=np.where(sharing.in_step[instruction], np.float32(1), users),
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
    passes, slices = parameters.atomic_repeat, parameters.slices
    again = [
        repeats_of(sectors[row], numbers[row], slices, passes) if op.adds_floats(i) else 1.0
        for i, row in zip(code, touched, strict=True)
    ]
    return crowd_of(
        numbers, kind.reshape(-1).astype(np.int32), touched, is_atomic, np.array(again),
        shared, parameters.slices,
    )  # fmt: skip


def _put(
    parameters: Parameters,
    kernel: Kernel,
    trace: Trace,
    sharing: Sharing,
    line: NDArray[np.int64],
    owner: NDArray[np.int32],
) -> NDArray[np.float32]:
    """What writing a sector of each line to DRAM takes, 1 in long runs of whole lines."""
    by = trace.costs[trace.requests[owner, R_COST], R_INSTRUCTION]
    stored = stores_of(kernel)[by]
    count = int(line.max(initial=-1)) + 1
    runs, alone = np.zeros(count, np.float32), np.zeros(count, np.float32)
    runs[line[stored]] = sharing.pieces[by[stored]]
    halves = halves_of(line[stored], trace.lines[stored], count)
    alone[line[stored]] = ~sharing.paired[by[stored]]
    further = parameters["timing_dram_half_store_share"] - 1.0
    cost = (1.0 + parameters["timing_dram_write_run_share"] * runs) * (
        1.0 + further * halves * alone
    )
    return cost.astype(np.float32)


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
