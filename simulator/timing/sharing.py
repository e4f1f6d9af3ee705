"""Which blocks of a launch read the same lines: found by replaying a block's neighbours.

What the lines of one load instruction share along a grid axis decides who fetches them from DRAM:
blocks that run at the same time share the first fetch, later ones find the lines in L2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.emulator.launch import Launch
from simulator.timing.requests import LINE_SHIFT, R_FIRST, R_INSTRUCTION, R_LINES
from simulator.timing.trace import Trace, trace_blocks

_AXES = 3
_MOSTLY = 0.5  # an instruction shares an axis when more than this part of its lines is shared


@dataclass(frozen=True)
class Sharing:
    """``axes`` int8[instructions]: bit a is set when blocks along axis a read the same lines."""

    grid: tuple[int, int, int]
    axes: NDArray[np.int8]


def lines_of(trace: Trace) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Line number and request of every line of a trace."""
    counts = trace.requests[:, R_LINES]
    owner = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    starts = np.cumsum(counts) - counts
    offset = np.arange(len(owner)) - starts[owner]
    places = trace.requests[owner, R_FIRST] + offset
    return trace.lines[places], owner


def find_sharing(launch: Launch, block: int) -> Sharing:
    """Compare the lines of a block with those of its neighbour on each axis of the grid."""
    grid = launch.grid
    own = _lines_by_instruction(launch, block)
    axes = np.zeros(len(launch.program.kernel.instructions), np.int8)
    for axis, neighbour in _neighbours(grid, block):
        theirs = _lines_by_instruction(launch, neighbour).values()
        other = np.unique(np.concatenate([*theirs, _NONE]))
        for instruction, lines in own.items():
            if np.isin(lines, other).mean() > _MOSTLY:
                axes[instruction] |= 1 << axis
    return Sharing(grid, axes)


_NONE = np.empty(0, np.int64)


def _neighbours(grid: tuple[int, int, int], block: int) -> list[tuple[int, int]]:
    found = []
    stride = 1
    for axis in range(_AXES):
        place = block // stride % grid[axis]
        if grid[axis] > 1:
            found.append((axis, block + stride if place + 1 < grid[axis] else block - stride))
        stride *= grid[axis]
    return found


def _lines_by_instruction(launch: Launch, block: int) -> dict[int, NDArray[np.int64]]:
    trace = trace_blocks(launch, np.array([block], np.int64))
    lines, owner = lines_of(trace)
    instruction = trace.requests[owner, R_INSTRUCTION]
    numbers = lines >> LINE_SHIFT
    return {int(i): np.unique(numbers[instruction == i]) for i in np.unique(instruction)}


def first_touch(
    sharing: Sharing,
    instruction: NDArray[np.int32],
    block: NDArray[np.int64],
    window: int,
    sms: int,
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """For loads of some instructions by some blocks: whether L2 cannot have the line yet, and the
    part of its fetch that one SM pays.

    ``window`` blocks run at the same time on ``sms`` SMs.
    """
    axes = sharing.axes[instruction]
    first = np.zeros(len(block), np.int64)
    together = np.ones(len(block), np.float64)
    stride = 1
    for axis in range(_AXES):
        size = sharing.grid[axis]
        place = block // stride % size
        shared = (axes >> axis & 1).astype(bool)
        first += np.where(shared, 0, place * stride)
        near = max(1, min(size, window // stride))
        together *= np.where(shared, near, 1)
        stride *= size
    is_first = first > block - window
    return is_first, (1.0 / np.minimum(together, sms)).astype(np.float32)
