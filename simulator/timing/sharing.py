"""Which blocks of a launch read the same lines: found by replaying a block's neighbours.

What the lines of one load instruction share along a grid axis decides who fetches them from DRAM:
blocks that run at the same time share the first fetch, later ones find the lines in L2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.emulator.launch import Launch
from simulator.events import Events
from simulator.isa.kernel import Kernel
from simulator.jit import pack
from simulator.memory.lower import lower_accesses
from simulator.memory.memo import EVENT_WORDS
from simulator.occupancy import warps_of
from simulator.timing.pieces import pieces_of, stores_of
from simulator.timing.progress import (
    HOME,
    LINE_NUMBER_BITS,
    MARKS,
    PLACE,
    ROUND,
    find_touches,
    make_progress,
)
from simulator.timing.requests import (
    LINE_SHIFT,
    MOST_LINES,
    R_COST,
    R_FIRST,
    R_INSTRUCTION,
    R_LINES,
)
from simulator.timing.trace import Trace

_AXES = 3
_LINE_BITS = LINE_NUMBER_BITS
_LINE_MASK = (1 << _LINE_BITS) - 1
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


class _Touched(NamedTuple):
    """The lines that each load or store of a block touches: both as one number, in order; how
    often its warp had executed the instruction when it first touched the line, and how many
    requests of global and local memory it had made."""

    pairs: NDArray[np.int64]
    rounds: NDArray[np.int32]
    places: NDArray[np.int32]

    @property
    def instruction(self) -> NDArray[np.int64]:
        return self.pairs >> _LINE_BITS

    @property
    def lines(self) -> NDArray[np.int64]:
        return self.pairs & _LINE_MASK


def find_sharing(launch: Launch, trace: Trace, window: int) -> Sharing:
    """Compare the lines of a block of the trace with those of two others on each axis: its
    neighbour and one far away, since neighbours that overlap do not make all blocks share.

    ``window`` blocks run at the same time.
    """
    place = len(trace.blocks) // 2
    own, block = _own(trace, place), int(trace.blocks[place])
    neighbours = _neighbours(launch.grid, block)
    adjacent = [(axis, n) for axis, n in _adjacent(launch.grid, block) if n - block < window]
    touched = touched_lines(launch, [n for _, n in (*neighbours, *adjacent)])
    count = len(launch.program.kernel.instructions)
    of_each = np.maximum(1, np.bincount(own.instruction, minlength=count))
    shares = np.ones((_AXES, count), np.bool_)
    seen, together, in_order = set(), np.zeros(count), np.zeros(count)
    for axis, neighbour in neighbours:
        seen.add(axis)
        theirs = touched[neighbour]
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
    before = [(touched[n], block - n >= window) for _, n in adjacent]
    new = _earliest(own)  # a line that the block has touched before is known anyway
    covers = new[_covered(own, before, _awaited(launch.program.kernel))[new]]
    parts = [np.bincount(own.instruction[found], minlength=count) for found in (covers, new)]
    covered = parts[0] > _MOSTLY * parts[1]
    beside = [(axis, touched[n]) for axis, n in adjacent if block - n < window]
    paired = np.bincount(own.instruction[_met(own, beside, axes)], minlength=count)
    order = in_order > _MOSTLY * together
    next_to = [touched[n] for _, n in adjacent if abs(n - block) == 1]
    halves = paired / of_each > _MOSTLY
    pieces = _pieces(launch.program.kernel, own, next_to)
    pieces[halves] = 0  # what blocks beside ask for goes on with those beside them
    return Sharing(launch.grid, axes, order, covered, halves, pieces)


def _pieces(kernel: Kernel, own: _Touched, beside: Sequence[_Touched]) -> NDArray[np.float32]:
    none = np.empty(0, np.int64)
    instructions = np.concatenate([none, *(other.instruction for other in beside)])
    lines = np.concatenate([none, *(other.lines for other in beside)])
    return pieces_of((own.instruction, own.lines), (instructions, lines), stores_of(kernel))


def _met(
    own: _Touched, beside: Iterable[tuple[int, _Touched]], axes: NDArray[np.int8]
) -> NDArray[np.bool_]:
    """Which lines a block next to this one, on an axis along which blocks do not all read the same
    ones, asks for with the same instruction in the same round of loads."""
    found = np.zeros(len(own.pairs), np.bool_)
    for axis, theirs in beside:
        _, mine, other = np.intersect1d(own.pairs, theirs.pairs, True, return_indices=True)
        met = mine[own.rounds[mine] == theirs.rounds[other]]
        found[met] |= axes[own.instruction[met]] >> axis & 1 == 0
    return found


def _earliest(touched: _Touched) -> NDArray[np.int64]:
    """Where each line, in order, is touched first."""
    order = np.lexsort((touched.places, touched.lines))
    _, first = np.unique(touched.lines[order], return_index=True)
    return order[first]


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
    own: _Touched, neighbours: Iterable[tuple[_Touched, bool]], awaited: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which of the lines that a block touches a neighbour fetches: one that runs at the same time
    and has had them, as far as it is on its way, when this block asks; or one that ran before
    (True beside it). ``awaited`` is the instruction that waits for each one's result."""
    found = np.zeros(len(own.pairs), np.bool_)
    for theirs, ran_before in neighbours:
        if not len(theirs.pairs):
            continue
        first = _earliest(theirs)
        known = theirs.lines[first]
        place = np.searchsorted(known[:-1], own.lines)
        loads = first[place]
        by, rounds = theirs.instruction[loads], theirs.rounds[loads]
        earlier = (rounds == own.rounds) & (awaited[by] <= own.instruction)
        earlier |= rounds < own.rounds
        found |= (known[place] == own.lines) & (earlier | ran_before)
    return found


def _adjacent(grid: tuple[int, int, int], block: int) -> list[tuple[int, int]]:
    """The blocks next to one on every axis, with the axis."""
    found = []
    stride = 1
    for axis, size in enumerate(grid):
        place = block // stride % size
        found += [(axis, block + step * stride) for step in (-1, 1) if 0 <= place + step < size]
        stride *= size
    return found


def _own(trace: Trace, place: int) -> _Touched:
    """What the block at a place of a trace touches."""
    first, end = trace.first_request[place : place + 2]
    requests = trace.requests[first:end]
    costs = trace.costs[requests[:, R_COST]]
    owner = np.repeat(np.arange(len(requests)), costs[:, R_LINES])
    start = requests[0, R_FIRST] if len(requests) else 0
    lines = trace.lines[start : start + len(owner)] >> LINE_SHIFT
    pairs = costs[owner, R_INSTRUCTION].astype(np.int64) << _LINE_BITS | lines
    rounds, places = trace.rounds[first:end][owner], trace.places[first:end][owner]
    return _first_touches(pairs, rounds, places)


def _first_touches(
    pairs: NDArray[np.int64], rounds: NDArray[np.int32], places: NDArray[np.int32]
) -> _Touched:
    found, first = np.unique(pairs, return_index=True)
    return _Touched(found, rounds[first], places[first])


class _TouchSink:
    """Collects the lines that blocks touch."""

    def __init__(self, launch: Launch) -> None:
        kernel = launch.program.kernel
        warps = warps_of(math.prod(launch.block))
        self._table = lower_accesses(kernel)
        self._progress = pack(make_progress(warps, len(kernel.instructions)))
        self._frame = launch.local_bytes // 4
        self._pairs: list[NDArray[np.int64]] = []
        self._marks: list[NDArray[np.int32]] = []
        self._lines = np.empty(MOST_LINES + 1, np.int64)
        self._room = (np.empty(0, np.int64), np.empty((0, MARKS), np.int32))

    def consume(self, events: Events) -> None:
        """Keep the lines that events touch."""
        words = np.ascontiguousarray(events).view(np.uint32).reshape(-1, EVENT_WORDS)
        most = len(words) * MOST_LINES
        if len(self._room[0]) < most:
            self._room = (np.empty(most, np.int64), np.empty((most, MARKS), np.int32))
        pairs, marks = self._room
        used = find_touches(
            words, self._table, self._progress, self._frame, pairs, marks, self._lines
        )
        if used:
            self._pairs.append(pairs[:used].copy())
            self._marks.append(marks[:used].copy())

    def touched(self) -> dict[int, _Touched]:
        """What each block touches, by its linear index."""
        if not self._pairs:
            return {}
        pairs, marks = np.concatenate(self._pairs), np.concatenate(self._marks)
        edges = np.flatnonzero(np.diff(marks[:, HOME])) + 1
        parts = zip(np.split(pairs, edges), np.split(marks, edges), strict=True)
        return {
            int(mark[0, HOME]): _first_touches(pair, mark[:, ROUND], mark[:, PLACE])
            for pair, mark in parts
        }


def touched_lines(launch: Launch, blocks: Iterable[int]) -> dict[int, _Touched]:
    """What some blocks touch, by their linear index."""
    found = np.array(list(dict.fromkeys(blocks)), np.int64)
    sink = _TouchSink(launch)
    launch.run(found, lambda: [sink])
    none = np.empty(0, np.int32)
    nothing = _Touched(np.empty(0, np.int64), none, none)
    return dict.fromkeys(found.tolist(), nothing) | sink.touched()


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
