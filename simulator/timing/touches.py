"""Which lines the loads and stores of a block touch, and how far it has come when it first does."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simulator.emulator.launch import Launch
from simulator.events import Events
from simulator.jit import pack
from simulator.memory.lower import lower_accesses
from simulator.memory.memo import EVENT_WORDS
from simulator.occupancy import warps_of
from simulator.timing.distinct import Distinct, distinct
from simulator.timing.progress import (
    HOME,
    LINE_MASK,
    LINE_NUMBER_BITS,
    MARKS,
    PLACE,
    ROUND,
    find_touches,
    make_progress,
)
from simulator.timing.request_lines import LINE_SHIFT, MOST_LINES
from simulator.timing.trace import Trace


@dataclass(frozen=True)
class Touches:
    """The lines that each load or store of a block touches.

    ``pairs`` int64[n], ascending, each once: instruction and line as one number. ``rounds``
    int32[n]: how often its warp had executed the instruction when it first touched the line;
    ``places`` int32[n]: how many requests of global and local memory the warp had made.
    """

    pairs: NDArray[np.int64]
    rounds: NDArray[np.int32]
    places: NDArray[np.int32]

    @cached_property
    def instruction(self) -> NDArray[np.int64]:
        """Of each pair."""
        return self.pairs >> LINE_NUMBER_BITS

    @cached_property
    def lines(self) -> NDArray[np.int64]:
        """The line of each pair."""
        return self.pairs & LINE_MASK

    @cached_property
    def by_line(self) -> Distinct:
        """The distinct lines."""
        return distinct(self.lines)

    @cached_property
    def earliest(self) -> NDArray[np.int64]:
        """Which pair touches each distinct line first."""
        return self.by_line.first_by(self.places)


def own_touches(trace: Trace, place: int) -> Touches:
    """What the block at a place of a trace touches."""
    first, end = np.searchsorted(trace.owner, trace.first_request[place : place + 2])
    owner = trace.owner[first:end]
    instruction = trace.instruction_of(owner).astype(np.int64)
    pairs = instruction << LINE_NUMBER_BITS | trace.lines[first:end] >> LINE_SHIFT
    return _first_touches(pairs, trace.rounds[owner], trace.places[owner])


def touched_lines(launch: Launch, blocks: Iterable[int]) -> dict[int, Touches]:
    """What some blocks touch, by their linear index."""
    found = np.array(list(dict.fromkeys(blocks)), np.int64)
    sink = _TouchSink(launch)
    launch.run(found, lambda: [sink])
    none = np.empty(0, np.int32)
    nothing = Touches(np.empty(0, np.int64), none, none)
    return dict.fromkeys(found.tolist(), nothing) | sink.touched()


def _first_touches(
    pairs: NDArray[np.int64], rounds: NDArray[np.int32], places: NDArray[np.int32]
) -> Touches:
    found = distinct(pairs)
    first = found.first
    return Touches(found.numbers, rounds[first], places[first])


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

    def touched(self) -> dict[int, Touches]:
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
