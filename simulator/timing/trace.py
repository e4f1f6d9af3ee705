"""What the warps of some blocks did, in a few bytes an instruction."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.emulator.launch import Launch
from simulator.events import Events, Steps
from simulator.isa.kernel import Kernel
from simulator.jit import pack
from simulator.memory.lower import lower_accesses
from simulator.memory.memo import EVENT_WORDS
from simulator.occupancy import warps_of
from simulator.timing.progress import count_events, make_progress
from simulator.timing.requests import (
    COST,
    MOST_LINES,
    R_COST,
    R_FIRST,
    R_LINES,
    REQUEST,
    Known,
    make_known,
    make_requests,
)


@dataclass(frozen=True)
class Trace:
    """Streams of some blocks, in the order given.

    ``steps`` int32[n, 3] are basic block, first and past-the-end request, warp after warp; warp w
    of the k-th block owns ``steps[starts[k * warps + w] : starts[k * warps + w + 1]]``.
    ``requests``, ``costs`` and ``lines`` are as ``timing.requests`` has them, in the order in which
    the blocks ran, those of the k-th block from ``first_request[k]`` on; ``rounds`` and ``places``
    say how often a request's warp had executed its instruction before, and how many requests it
    had made. ``basic_blocks`` int32[b, 2] are first and past-the-end instruction.
    """

    blocks: NDArray[np.int64]
    warps: int
    basic_blocks: NDArray[np.int32]
    steps: NDArray[np.int32]
    starts: NDArray[np.int64]
    requests: NDArray[np.int32]
    costs: NDArray[np.int32]
    lines: NDArray[np.int64]
    rounds: NDArray[np.int32]
    places: NDArray[np.int32]
    first_request: NDArray[np.int64]

    @property
    def instructions(self) -> int:
        """Warp-instructions in the streams."""
        sizes = self.basic_blocks[:, 1] - self.basic_blocks[:, 0]
        return int(np.bincount(self.steps[:, 0], minlength=len(sizes)) @ sizes)

    def home(self, request: NDArray[np.int32]) -> NDArray[np.int64]:
        """Positions in ``blocks`` of the blocks that made some requests."""
        found: NDArray[np.int64] = np.searchsorted(self.first_request, request, side="right") - 1
        return found

    def owners(self) -> NDArray[np.int32]:
        """The request of every line."""
        counts = self.costs[:, R_LINES][self.requests[:, R_COST]]
        return np.repeat(np.arange(len(counts), dtype=np.int32), counts)


class Rows:
    """Rows that are added to, in one array."""

    def __init__(self, kind: Any, *columns: int) -> None:
        self._data = np.empty((0, *columns), kind)
        self._used = 0

    def room(self, count: int) -> NDArray[Any]:
        """Place for so many rows after those kept; ``keep`` some of them."""
        if len(self._data) < self._used + count:
            more = np.empty((2 * self._used + count, *self._data.shape[1:]), self._data.dtype)
            more[: self._used] = self._data[: self._used]
            self._data = more
        return self._data[self._used : self._used + count]

    def keep(self, count: int) -> None:
        """Keep the first rows of the room."""
        self._used += count

    def all(self) -> NDArray[Any]:
        """All rows kept."""
        return self._data[: self._used]


class TraceSink:
    """Collects steps and requests of the blocks that one worker runs, one after the other."""

    def __init__(self, kernel: Kernel, warps: int, local_bytes: int) -> None:
        self._known = make_known(lower_accesses(kernel))
        self._packed: Known = pack(self._known)  # for calls of compiled functions
        self._progress = pack(make_progress(warps, len(kernel.instructions)))
        self._warps, self._frame = warps, local_bytes // 4
        self._steps, self._keys = Rows(np.int32, 3), Rows(np.int64)
        self._requests, self._lines = Rows(np.int32, REQUEST), Rows(np.int64)
        self._rounds, self._places = Rows(np.int32), Rows(np.int32)
        self._costs: list[NDArray[np.int32]] = []
        self._events = self._line_count = 0

    def consume(self, events: Events) -> None:
        """Nothing: ``consume_steps`` has had the events."""

    def consume_steps(self, steps: Steps, events: Events) -> None:
        """Keep the steps and turn their events into requests."""
        self._keep_steps(steps, len(events))
        words = np.ascontiguousarray(events).view(np.uint32).reshape(-1, EVENT_WORDS)
        count = len(words)
        requests, lines = self._requests.room(count), self._lines.room(count * MOST_LINES + 1)
        costs = np.empty((count, COST), np.int32)
        before = int(self._known.used[0])
        used = make_requests(words, self._packed, self._frame, self._warps, requests, costs, lines)
        requests[:, R_FIRST] += self._line_count
        rounds, places = self._rounds.room(count), self._places.room(count)
        count_events(words, self._progress, rounds, places)
        for rows in (self._requests, self._rounds, self._places):
            rows.keep(count)
        self._lines.keep(used)
        if self._known.used[0] > before:
            self._costs.append(costs[: int(self._known.used[0]) - before].copy())
        self._events += count
        self._line_count += used

    def _keep_steps(self, steps: Steps, events: int) -> None:
        words = steps.view(np.uint32).reshape(-1, 5)  # warp, block, basic block, lanes, event
        rows = self._steps.room(len(words))
        rows[:, 0] = words[:, 2]
        rows[:, 1] = words[:, 4]
        rows[:, 1] += self._events
        rows[:-1, 2] = rows[1:, 1]
        rows[-1:, 2] = self._events + events
        self._steps.keep(len(words))
        np.multiply(words[:, 1], self._warps, out=self._keys.room(len(words)), dtype=np.int64)
        self._keys.room(len(words))[:] += words[:, 0]
        self._keys.keep(len(words))

    def finish(self, blocks: NDArray[np.int64], basic_blocks: Any) -> Trace:
        """The streams, warp after warp in the order of ``blocks``, in which they ran."""
        steps, keys = self._steps.all(), self._keys.all()
        edges = np.flatnonzero(np.diff(keys // self._warps)) + 1
        ran = np.append(0, edges)  # the first step of each block
        first_request = np.append(steps[ran, 1], self._events).astype(np.int64)
        place = np.repeat(np.arange(len(ran)), np.diff(ran, append=len(keys)))
        number = place * self._warps + keys % self._warps
        narrow = np.uint16 if len(blocks) * self._warps <= 1 << 16 else np.int64  # sorts quicker
        sorting = np.argsort(number.astype(narrow), kind="stable")
        counts = np.bincount(number, minlength=len(blocks) * self._warps)
        bounds = np.array([(b.first, b.end) for b in basic_blocks], np.int32)
        costs = np.concatenate(self._costs) if self._costs else np.empty((0, COST), np.int32)
        return Trace(
            blocks, self._warps, bounds, steps[sorting], np.append(0, np.cumsum(counts)),
            self._requests.all(), costs, self._lines.all(), self._rounds.all(),
            self._places.all(), first_request,
        )  # fmt: skip


def trace_blocks(launch: Launch, blocks: NDArray[np.int64]) -> Trace:
    """Run blocks (linear indices, each once) and keep their streams."""
    sink = TraceSink(launch.program.kernel, warps_of(math.prod(launch.block)), launch.local_bytes)
    launch.run(blocks, lambda: [sink])
    return sink.finish(blocks, launch.program.blocks)
