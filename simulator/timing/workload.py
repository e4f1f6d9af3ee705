"""Everything about a launch that does not depend on its caches: one SM's blocks as streams."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.emulator.launch import Launch
from simulator.isa.kernel import Kernel
from simulator.memory.lower import SHARED
from simulator.slicing import dispensable
from simulator.timing import opcodes as op
from simulator.timing.channels import pages_of, places_of
from simulator.timing.crowding import by_chance, crowd_of, merged_of, part_fetched, repeats_of
from simulator.timing.distinct import distinct
from simulator.timing.lower import lower_code
from simulator.timing.parameters import Parameters
from simulator.timing.pieces import halves_of, stores_of
from simulator.timing.placement import Placement, is_uneven, place_blocks, place_by_work
from simulator.timing.request_lines import LINE_SHIFT
from simulator.timing.requests import R_SPACE
from simulator.timing.sharing import Sharing, blocks_beside, find_sharing, first_touch
from simulator.timing.state import Streams
from simulator.timing.trace import Trace, trace_blocks
from simulator.timing.unfinished import unfinished_of

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
    launch, placement, trace = _trace(parameters, launch, registers, blocks)
    lines = _lines_of(trace)
    window = placement.resident * placement.sms
    for_lines = _for_lines(launch, trace)
    sharing = find_sharing(for_lines, trace, window)
    home = trace.blocks[trace.home(lines.request)]
    is_first, share = first_touch(sharing, lines.instruction, home, window, placement.sms)
    paid = np.where(sharing.covered[lines.instruction], np.float32(0), share)
    held, fetched = part_fetched(
        lines.numbers, 2 * lines.pairs, paid, launch.arena.spans, placement.sms,
        parameters.l2_capacity,
    )  # fmt: skip
    users = np.minimum(placement.sms, 1.0 / (share * held)).astype(np.float32)
    streams = _streams(parameters, for_lines, placement, trace, lines, sharing, share, users)
    is_first &= by_chance(lines.numbers, fetched)
    touched = sum(a.nbytes for a in launch.arguments if isinstance(a, np.ndarray))
    return Workload(placement, trace, streams, is_first, touched, lines.numbers)


def _trace(
    parameters: Parameters, launch: Launch, registers: float | None,
    blocks: NDArray[np.int64] | None,
) -> tuple[Launch, Placement, Trace]:  # fmt: skip
    """The blocks of the SM that decides, and their streams; the launch as it is after them."""
    placement = place_blocks(parameters.device, launch, registers)
    if blocks is not None:
        placement = replace(placement, blocks=blocks)
    trace = trace_blocks(launch, placement.blocks, placement.resident)
    if blocks is None and is_uneven(launch.grid, trace.blocks, trace.work):
        dealt, placement = placement, place_by_work(parameters.device, launch.fresh(), placement)
        if placement is not dealt:
            launch = launch.fresh()
            trace = trace_blocks(launch, placement.blocks, placement.resident)
    return launch, placement, trace


class _Lines(NamedTuple):
    """The distinct lines of a trace. ``place`` int64[n] is the place among them of every line that
    a request touches, ``by`` int32[n] the instruction that does; the rest is by distinct line."""

    numbers: NDArray[np.int64]
    place: NDArray[np.int64]
    by: NDArray[np.int32]
    request: NDArray[np.int32]  # that touches it first
    instruction: NDArray[np.int32]  # the same
    sectors: NDArray[np.int64]  # that are touched
    pairs: NDArray[np.int64]  # of sectors, of which one is


def _lines_of(trace: Trace) -> _Lines:
    found = distinct(trace.lines >> LINE_SHIFT)
    by, first = trace.instruction_of(trace.owner), found.first
    bits = found.united(trace.lines) & 15
    sectors, pairs = (
        np.array([[b & part > 0 for part in parts] for b in range(16)]).sum(axis=1)
        for parts in (SECTORS, PAIRS)
    )
    return _Lines(
        found.numbers, found.which, by, trace.owner[first], by[first], sectors[bits], pairs[bits]
    )


def _streams(
    parameters: Parameters, launch: Launch, placement: Placement, trace: Trace, lines: _Lines,
    sharing: Sharing, share: NDArray[np.float32], users: NDArray[np.float32],
) -> Streams:  # fmt: skip
    """What the SM's loop reads; ``launch`` finds lines of global memory."""
    kernel, by = launch.program.kernel, lines.instruction
    apart = parameters.apart(trace, lines.request, placement) + parameters.skew(placement.sms)
    run_share = parameters["timing_dram_read_run_share"]
    stored = stores_of(kernel)[lines.by]
    halves = _halves(parameters, trace, sharing, lines, stored)
    return Streams(
        code=lower_code(kernel, parameters),
        bounds=trace.basic_blocks,
        steps=trace.steps,
        starts=trace.starts,
        requests=trace.requests,
        costs=trace.costs,
        line=lines.place.astype(np.int32),
        bits=(trace.lines & 0xFF).astype(np.int32),
        distance=_distances(lines.numbers, int(parameters["l2_latency_spread_cycles"])),
        **places_of(lines.numbers, parameters.spread, users)._asdict(),
        page=pages_of(lines.numbers, launch.arena.spans, parameters.spread.page),
        share=share,
        paired=sharing.paired[by],
        fetch=(1.0 + run_share * sharing.pieces[by]).astype(np.float32),
        put=_put(parameters, sharing, lines, stored) * halves,
        rest=_rest(launch, trace, lines, stored) * halves,
        users=users,
        times=np.where(sharing.in_step[by], np.float32(1), users),
        crowd=_crowd(parameters, kernel, lines, (users / placement.sms).astype(np.float32)),
        merged=merged_of(parameters.merging, sharing.ordered[by], apart, share),
    )


def _for_lines(launch: Launch, trace: Trace) -> Launch:
    """A launch to find the lines of global memory that a block touches: without its accesses to
    shared memory, if it makes so many that another translation of the kernel is worth its price."""
    shared = int(trace.made[trace.costs[:, R_SPACE] == SHARED].sum())
    if shared < MANY_REQUESTS * len(trace.blocks):
        return launch
    return launch.without(dispensable(launch.program.kernel, shared=False))


def _crowd(
    parameters: Parameters, kernel: Kernel, lines: _Lines, shared: NDArray[np.float32]
) -> NDArray[np.float32]:
    """How crowded the slices of each line are (``crowding.crowd_of``)."""
    numbers = lines.numbers
    kinds, kind = np.unique(lines.instruction, return_inverse=True)
    place = np.full(len(kernel.instructions), -1, np.int64)
    place[kinds] = np.arange(len(kinds))
    by = place[lines.by]
    touched = np.zeros((len(kinds), len(numbers)), np.bool_)
    touched[by[by >= 0], lines.place[by >= 0]] = True
    code = [kernel.instructions[k] for k in kinds]
    is_atomic = np.array([op.kind_of(i) == op.ATOMIC for i in code], np.bool_)
    passes, slices = parameters.atomic_repeat, parameters.slices
    again = [
        repeats_of(lines.sectors[row], numbers[row], slices, passes) if op.adds_floats(i) else 1.0
        for i, row in zip(code, touched, strict=True)
    ]
    return crowd_of(
        numbers, kind.reshape(-1).astype(np.int32), touched, is_atomic, np.array(again),
        shared, parameters.slices,
    )  # fmt: skip


def _halves(
    parameters: Parameters, trace: Trace, sharing: Sharing, lines: _Lines,
    stored: NDArray[np.bool_],
) -> NDArray[np.float32]:  # fmt: skip
    """How much longer than half of a pair a sector of each line takes in DRAM that is ``stored``
    (bool, by line of a request): more without the other one."""
    count, line = len(lines.numbers), lines.place[stored]
    halves = halves_of(line, trace.lines[stored], count)
    alone = np.zeros(count, np.float32)
    alone[line] = ~sharing.paired[lines.by[stored]]
    further = parameters["timing_dram_half_store_share"] - 1.0
    return (1.0 + further * halves * alone).astype(np.float32)


def _put(
    parameters: Parameters, sharing: Sharing, lines: _Lines, stored: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """What writing a sector of each line to DRAM takes for its run, 1 in long ones."""
    runs = np.zeros(len(lines.numbers), np.float32)
    runs[lines.place[stored]] = sharing.pieces[lines.by[stored]]
    return (1.0 + parameters["timing_dram_write_run_share"] * runs).astype(np.float32)


def _rest(
    launch: Launch, trace: Trace, lines: _Lines, stored: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """What part of the sectors of each line that are stored to is never stored whole."""
    found = np.zeros(len(lines.numbers), np.float32)
    if bool((trace.lines >> 4 & 15 != trace.lines & 15)[stored].any()):
        block = int(trace.blocks[len(trace.blocks) // 2])
        beside = [other for _, other in blocks_beside(launch.grid, block)]
        part = unfinished_of(launch, block, beside)
        found[lines.place[stored]] = part[lines.by[stored]]
    return found


def _distances(lines: NDArray[np.int64], spread: int) -> NDArray[np.int32]:
    """How far each line's L2 slice is, in cycles from the mean: spread evenly by a hash."""
    mixed = (lines.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)
    return (mixed % np.uint64(2 * spread + 1)).astype(np.int32) - np.int32(spread)
