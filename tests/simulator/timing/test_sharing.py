"""Is it known which lines a block finds fetched by others?"""

from __future__ import annotations

import numpy as np
import pytest
from sources import program

from simulator.emulator.launch import Launch
from simulator.timing.requests import R_COST, R_INSTRUCTION
from simulator.timing.sharing import find_sharing
from simulator.timing.trace import Trace, trace_blocks

GRID, THREADS = 16, 128
N = GRID * THREADS + THREADS


def launch_of(loops: int) -> Launch:
    arguments = [np.zeros(2 * N, np.float32), np.int32(N), np.int32(loops)]
    return Launch(program("halo"), (GRID, 1, 1), (THREADS, 1, 1), 0, arguments)


def loads_of(launch: Launch, trace: Trace) -> list[int]:
    """Load instructions that ran, in order."""
    code = launch.program.kernel.instructions
    used = np.unique(trace.costs[trace.requests[:, R_COST], R_INSTRUCTION])
    return [int(i) for i in used if code[i].opcode == "LDG"]


def test_a_halo_is_fetched_by_the_neighbour_that_needs_it_first() -> None:
    launch = launch_of(0)
    trace = trace_blocks(launch, np.array([6, 7, 8], np.int64))
    own, halo = loads_of(launch, trace)
    covered = find_sharing(launch, trace, GRID).covered
    assert (covered[own], covered[halo]) == (False, True)


def test_a_later_neighbour_fetches_nothing() -> None:
    launch = launch_of(0)
    trace = trace_blocks(launch, np.array([6, 7, 8], np.int64))
    assert not find_sharing(launch, trace, 1).covered.any()


@pytest.mark.parametrize(
    ("threads", "pitch", "paired"), [(16, 1, True), (32, 1, False), (16, 2, False)]
)
def test_neighbours_of_half_a_line_ask_for_the_other_half(
    threads: int, pitch: int, paired: bool
) -> None:
    arguments = [np.zeros(2 * N, np.float32), np.int32(N), np.int32(pitch)]
    launch = Launch(program("copy"), (GRID, 1, 1), (threads, 1, 1), 0, arguments)
    trace = trace_blocks(launch, np.array([6, 7, 8], np.int64))
    (load,) = loads_of(launch, trace)
    assert find_sharing(launch, trace, GRID).paired[load] == paired
    assert not find_sharing(launch, trace, 1).paired[load]


@pytest.mark.parametrize(("shift", "in_step"), [(0, True), (1, False)])
def test_blocks_come_to_a_table_in_step(shift: int, in_step: bool) -> None:
    launch = Launch(
        program("table"), (GRID, 1, 1), (32, 1, 1), 0,
        [np.zeros(2 * N, np.float32), np.int32(GRID), np.int32(shift)],
    )  # fmt: skip
    trace = trace_blocks(launch, np.array([6, 7, 8], np.int64))
    sharing = find_sharing(launch, trace, GRID)
    for load in loads_of(launch, trace):
        assert sharing.axes[load] != 0
        assert sharing.in_step[load] == in_step


def test_lines_that_only_a_block_reads_are_not_read_in_step() -> None:
    arguments = [np.zeros(2 * N, np.float32), np.int32(N), np.int32(1)]
    launch = Launch(program("copy"), (GRID, 1, 1), (32, 1, 1), 0, arguments)
    trace = trace_blocks(launch, np.array([6, 7, 8], np.int64))
    assert not find_sharing(launch, trace, GRID).in_step.any()
