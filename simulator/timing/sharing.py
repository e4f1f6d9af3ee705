"""Which blocks of a launch read the same lines: found by replaying a block's neighbours.

What the lines of one load instruction share along a grid axis decides who fetches them from DRAM:
blocks that run at the same time share the first fetch, later ones find the lines in L2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.emulator.launch import Launch
from simulator.isa.kernel import Kernel
from simulator.timing.distinct import find_places
from simulator.timing.pieces import pieces_of, stores_of
from simulator.timing.progress import LINE_MASK, LINE_NUMBER_BITS
from simulator.timing.touches import Touches, own_touches, touched_lines
from simulator.timing.trace import Trace

_AXES = 3
_MOSTLY = 0.5  # an instruction shares an axis when more than this part of its lines is shared


@dataclass(frozen=True)
class Sharing:
    """``axes`` int8[instructions]: bit a is set when blocks along axis a read the same lines;
    ``ordered`` bool[instructions]: they come to most of them in the same round of loads;
    ``covered`` bool[instructions]: most of its lines a neighbour fetches with another instruction,
    as the lines of a halo; ``paired`` bool[instructions]: of most of its lines a neighbour asks for
    other sectors at the same time, as blocks that are half a line wide do; ``pieces``
    float32[instructions]: runs of lines for each of its lines (``pieces_of``), none if paired."""

    grid: tuple[int, int, int]
    axes: NDArray[np.int8]
    ordered: NDArray[np.bool_]
    covered: NDArray[np.bool_]
    paired: NDArray[np.bool_]
    pieces: NDArray[np.float32]

    @property
    def in_step(self) -> NDArray[np.bool_]:
        """bool[instructions]: blocks that read the same lines do so in the same round of loads."""
        found: NDArray[np.bool_] = (self.axes != 0) & self.ordered
        return found


def find_sharing(launch: Launch, trace: Trace, window: int) -> Sharing:
    """Compare the lines of a block of the trace with those of two others on each axis: its
    neighbour and one far away, since neighbours that overlap do not make all blocks share.

    ``window`` blocks run at the same time.
    """
    place = len(trace.blocks) // 2
    own, block = own_touches(trace, place), int(trace.blocks[place])
    kernel = launch.program.kernel
    neighbours = _neighbours(launch.grid, block)
    adjacent = [(axis, n) for axis, n in blocks_beside(launch.grid, block) if n - block < window]
    touched = touched_lines(launch, [n for _, n in (*neighbours, *adjacent)])
    by = _Counter(own, len(kernel.instructions))
    axes, ordered = _shared(by, [(axis, touched[n]) for axis, n in neighbours])
    before = [(touched[n], block - n >= window) for _, n in adjacent]
    beside = [(axis, touched[n]) for axis, n in adjacent if block - n < window]
    halves = by.mostly(_met(own, beside, axes))
    pieces = _pieces(kernel, own, [touched[n] for _, n in adjacent if abs(n - block) == 1])
    pieces[halves] = 0  # what blocks beside ask for goes on with those beside them
    covered = _mostly_covered(by, before, kernel)
    return Sharing(launch.grid, axes, ordered, covered, halves, pieces)


class _Counter:
    """Counts what a block touches by instruction."""

    def __init__(self, own: Touches, instructions: int) -> None:
        self.own, self._instructions = own, instructions

    def count(
        self,
        touched: NDArray[np.int64] | NDArray[np.bool_],
        weights: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.float64]:
        """How much of what is touched each instruction touches."""
        found = self.own.instruction[touched]
        return np.bincount(found, weights, self._instructions).astype(np.float64)

    def mostly(self, touched: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which instructions touch that with most of their touches."""
        whole = np.maximum(1, self.count(np.ones(len(touched), np.bool_)))
        found: NDArray[np.bool_] = self.count(touched) / whole > _MOSTLY
        return found


def _shared(
    by: _Counter, neighbours: Iterable[tuple[int, Touches]]
) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """``axes`` and ``ordered`` of ``Sharing``, from blocks beside or far away on the axes."""
    own, lines = by.own, by.own.by_line
    shares: dict[int, NDArray[np.bool_]] = {}
    together = in_order = by.count(np.empty(0, np.int64))
    for axis, theirs in neighbours:
        known = theirs.by_line
        places = find_places(known.numbers, lines.numbers)
        is_shared = places >= 0
        mostly = by.mostly(is_shared[lines.which])
        shares[axis] = shares.get(axis, True) & mostly
        mine, other = lines.first[is_shared], known.first[places[is_shared]]
        together = together + by.count(mine)
        in_order = in_order + by.count(mine, own.rounds[mine] == theirs.rounds[other])
    axes = np.zeros(len(together), np.int8)
    for axis, found in shares.items():
        axes[found] |= 1 << axis
    return axes, in_order > _MOSTLY * together


def _pieces(kernel: Kernel, own: Touches, beside: Sequence[Touches]) -> NDArray[np.float32]:
    pairs = np.sort(np.concatenate([np.empty(0, np.int64), *(other.pairs for other in beside)]))
    others = pairs >> LINE_NUMBER_BITS, pairs & LINE_MASK
    return pieces_of((own.instruction, own.lines), others, stores_of(kernel))


def _met(
    own: Touches, beside: Iterable[tuple[int, Touches]], axes: NDArray[np.int8]
) -> NDArray[np.bool_]:
    """Which lines a block next to this one, on an axis along which blocks do not all read the same
    ones, asks for with the same instruction in the same round of loads."""
    found = np.zeros(len(own.pairs), np.bool_)
    for axis, theirs in beside:
        places = find_places(theirs.pairs, own.pairs)
        mine = np.flatnonzero(places >= 0)
        met = mine[own.rounds[mine] == theirs.rounds[places[mine]]]
        found[met] |= axes[own.instruction[met]] >> axis & 1 == 0
    return found


def _mostly_covered(
    by: _Counter, neighbours: Iterable[tuple[Touches, bool]], kernel: Kernel
) -> NDArray[np.bool_]:
    """Of which instructions neighbours fetch most lines (``_covered``)."""
    new = by.own.earliest  # a line that the block has touched before is known anyway
    covered = new[_covered(by.own, neighbours, _awaited(kernel))[new]]
    found: NDArray[np.bool_] = by.count(covered) > _MOSTLY * by.count(new)
    return found


def _awaited(kernel: Kernel) -> NDArray[np.int64]:
    """For each instruction the next one that waits for its result; past the end if none does."""
    found = np.full(len(kernel.instructions), len(kernel.instructions), np.int64)
    open_loads: dict[int, list[int]] = {}
    for i in kernel.instructions:
        if i.control is None:
            continue
        for board in [b for b in open_loads if i.control.wait_mask >> b & 1]:
            found[open_loads.pop(board)] = i.index
        if i.control.write_scoreboard is not None:
            open_loads.setdefault(i.control.write_scoreboard, []).append(i.index)
    return found


def _covered(
    own: Touches, neighbours: Iterable[tuple[Touches, bool]], awaited: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which of the lines that a block touches a neighbour fetches: one that runs at the same time
    and has had them, as far as it is on its way, when this block asks; or one that ran before
    (True beside it). ``awaited`` is the instruction that waits for each one's result."""
    found, lines = np.zeros(len(own.pairs), np.bool_), own.by_line
    for theirs, ran_before in neighbours:
        if not len(theirs.pairs):
            continue
        place = find_places(theirs.by_line.numbers, lines.numbers)[lines.which]
        loads = theirs.earliest[place]
        by, rounds = theirs.instruction[loads], theirs.rounds[loads]
        earlier = (rounds == own.rounds) & (awaited[by] <= own.instruction)
        earlier |= rounds < own.rounds
        found |= (place >= 0) & (earlier | ran_before)
    return found


def blocks_beside(grid: tuple[int, int, int], block: int) -> list[tuple[int, int]]:
    """The blocks next to one on every axis, with the axis."""
    found = []
    stride = 1
    for axis, size in enumerate(grid):
        place = block // stride % size
        found += [(axis, block + step * stride) for step in (-1, 1) if 0 <= place + step < size]
        stride *= size
    return found


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
