"""Which blocks of a launch read the same lines: found by replaying a block's neighbours.

What the lines of one load instruction share along a grid axis decides who fetches them from DRAM:
blocks that run at the same time share the first fetch, later ones find the lines in L2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.emulator.launch import Launch
from simulator.timing.drift import count_before, rounds_of, warps_of
from simulator.timing.requests import LINE_SHIFT, R_COST, R_FIRST, R_INSTRUCTION, R_LINES
from simulator.timing.trace import Trace, trace_blocks

_AXES = 3
_LINE_BITS = 44  # of a line's number, local memory's too
_LINE_MASK = (1 << _LINE_BITS) - 1
_MOSTLY = 0.5  # an instruction shares an axis when more than this part of its lines is shared


@dataclass(frozen=True)
class Sharing:
    """``axes`` int8[instructions]: bit a is set when blocks along axis a read the same lines;
    ``ordered`` bool[instructions]: they come to most of them in the same round of loads;
    ``covered`` bool[instructions]: most of its lines a neighbour fetches with another instruction,
    as the lines of a halo."""

    grid: tuple[int, int, int]
    axes: NDArray[np.int8]
    ordered: NDArray[np.bool_]
    covered: NDArray[np.bool_]


class _Touched(NamedTuple):
    """The lines that each load or store of a block touches: both as one number, in order; how
    often its warp had executed the instruction when it first touched the line, and how many
    requests it had made."""

    pairs: NDArray[np.int64]
    rounds: NDArray[np.int32]
    places: NDArray[np.int32]

    @property
    def instruction(self) -> NDArray[np.int64]:
        return self.pairs >> _LINE_BITS

    @property
    def lines(self) -> NDArray[np.int64]:
        return self.pairs & _LINE_MASK


def lines_of(trace: Trace) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Line number and request of every line of a trace."""
    counts = trace.costs[trace.requests[:, R_COST], R_LINES]
    owner = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    starts = np.cumsum(counts) - counts
    offset = np.arange(len(owner)) - starts[owner]
    places = trace.requests[owner, R_FIRST] + offset
    return trace.lines[places], owner


def find_sharing(launch: Launch, trace: Trace, window: int) -> Sharing:
    """Compare the lines of a block of the trace with those of two others on each axis: its
    neighbour and one far away, since neighbours that overlap do not make all blocks share.

    ``window`` blocks run at the same time.
    """
    place = len(trace.blocks) // 2
    own = _touched(trace, place)
    count = len(launch.program.kernel.instructions)
    of_each = np.maximum(1, np.bincount(own.instruction, minlength=count))
    shares = np.ones((_AXES, count), np.bool_)
    seen, together, in_order = set(), np.zeros(count), np.zeros(count)
    for axis, neighbour in _neighbours(launch.grid, int(trace.blocks[place])):
        seen.add(axis)
        theirs = _touched(trace_blocks(launch, np.array([neighbour], np.int64)), 0)
        shared, mine, other = np.intersect1d(own.lines, theirs.lines, return_indices=True)
        found = np.isin(own.lines, shared, kind="sort")
        part = np.bincount(own.instruction[found], minlength=count)
        shares[axis] &= part / of_each > _MOSTLY
        same = own.rounds[mine] == theirs.rounds[other]
        together += np.bincount(own.instruction[mine], minlength=count)
        in_order += np.bincount(own.instruction[mine], same, minlength=count)
    axes = np.zeros(count, np.int8)
    for axis in seen:
        axes[shares[axis]] |= 1 << axis
    covered = _covered(launch, own, int(trace.blocks[place]), window)
    return Sharing(launch.grid, axes, in_order > _MOSTLY * together, covered > _MOSTLY * of_each)


def _covered(launch: Launch, own: _Touched, block: int, window: int) -> NDArray[np.int64]:
    """How many of the lines that each instruction of a block touches a neighbour fetches: one that
    runs at the same time and asks for them earlier on its way, or one that ran before."""
    count = len(launch.program.kernel.instructions)
    found = np.zeros(len(own.pairs), np.bool_)
    for neighbour in _adjacent(launch.grid, block):
        if neighbour - block >= window:
            continue
        theirs = _touched(trace_blocks(launch, np.array([neighbour], np.int64)), 0)
        order = np.lexsort((theirs.places, theirs.lines))
        known, first = np.unique(theirs.lines[order], return_index=True)
        place = np.searchsorted(known[:-1], own.lines)
        earlier = theirs.places[order[first]][place] < own.places
        found |= (known[place] == own.lines) & (earlier | (block - neighbour >= window))
    return np.bincount(own.instruction[found], minlength=count)


def _adjacent(grid: tuple[int, int, int], block: int) -> list[int]:
    """The blocks next to one on every axis."""
    found = []
    stride = 1
    for size in grid:
        place = block // stride % size
        found += [block + step * stride for step in (-1, 1) if 0 <= place + step < size]
        stride *= size
    return found


def _touched(trace: Trace, place: int) -> _Touched:
    lines, owner = lines_of(trace)
    mine = trace.home[owner] == place
    lines, owner = lines[mine], owner[mine]
    instruction = trace.costs[trace.requests[owner, R_COST], R_INSTRUCTION]
    pairs = instruction.astype(np.int64) << _LINE_BITS | lines >> LINE_SHIFT
    found, first = np.unique(pairs, return_index=True)
    places = count_before(warps_of(trace))
    return _Touched(found, rounds_of(trace)[owner[first]], places[owner[first]])


def _neighbours(grid: tuple[int, int, int], block: int) -> list[tuple[int, int]]:
    """Axes with blocks to compare with."""
    found = []
    stride = 1
    for axis in range(_AXES):
        size = grid[axis]
        place = block // stride % size
        for distance in {1, size // 2} - {0}:
            if size > 1:
                other = place + distance if place + distance < size else place - distance
                found.append((axis, block + (other - place) * stride))
        stride *= size
    return found


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
    is_first = (first > block - window) & ~sharing.covered[instruction]
    return is_first, (1.0 / np.minimum(together, sms)).astype(np.float32)
