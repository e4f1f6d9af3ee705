"""What the warps of some blocks did, in a few bytes an instruction."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.emulator.launch import Launch
from simulator.events import Events, Steps
from simulator.isa.kernel import Kernel
from simulator.jit import compiled, int64, pack
from simulator.memory.lower import lower_accesses
from simulator.memory.memo import EVENT_WORDS, Words
from simulator.occupancy import warps_of
from simulator.timing.progress import Progress, count_events, make_progress
from simulator.timing.request_lines import MOST_LINES
from simulator.timing.requests import (
    COST,
    R_COST,
    R_FIRST,
    R_INSTRUCTION,
    REQUEST,
    Known,
    make_known,
    make_requests,
)

# Words of a STEP record.
STEP_WARP, STEP_BLOCK, BASIC_BLOCK, _, FIRST_EVENT = range(5)
STEP_WORDS = 5
_ROWS = 1 << 19  # kept at first of each kind
# Warp-instructions and lines of memory of one SM's blocks beyond which the later blocks are left
# out, but not of the first waves: some seconds of simulation and some hundred MB.
MOST_WORK, MOST_KEPT, LEAST_WAVES = 16_000_000, 8_000_000, 3


@dataclass(frozen=True)
class Trace:
    """Streams of some blocks, in the order given.

    ``steps`` int32[n, 3] are basic block, first and past-the-end request, warp after warp; warp w
    of the k-th block owns ``steps[starts[k * warps + w] : starts[k * warps + w + 1]]``.
    ``requests``, ``costs`` and ``lines`` are as ``timing.requests`` has them, in the order in which
    the blocks ran, those of the k-th block from ``first_request[k]`` on; ``owner`` is the request
    of every line. ``rounds`` and ``places`` say how often a request's warp had executed its
    instruction before, and how many requests of global and local memory it had made.
    ``basic_blocks`` int32[b, 2] are first and past-the-end instruction.
    """

    blocks: NDArray[np.int64]
    warps: int
    basic_blocks: NDArray[np.int32]
    steps: NDArray[np.int32]
    starts: NDArray[np.int64]
    requests: NDArray[np.int32]
    costs: NDArray[np.int32]
    lines: NDArray[np.int64]
    owner: NDArray[np.int32]
    rounds: NDArray[np.int32]
    places: NDArray[np.int32]
    first_request: NDArray[np.int64]

    @property
    def instructions(self) -> int:
        """Warp-instructions in the streams."""
        sizes = self.basic_blocks[:, 1] - self.basic_blocks[:, 0]
        return int(np.bincount(self.steps[:, 0], minlength=len(sizes)) @ sizes)

    @property
    def work(self) -> NDArray[np.int64]:
        """Warp-instructions of each block."""
        sizes = self.basic_blocks[:, 1] - self.basic_blocks[:, 0]
        before = np.concatenate([[0], np.cumsum(sizes[self.steps[:, 0]], dtype=np.int64)])
        return np.diff(before[self.starts[:: self.warps]])

    def home(self, request: NDArray[np.int32]) -> NDArray[np.int64]:
        """Positions in ``blocks`` of the blocks that made some requests."""
        found: NDArray[np.int64] = np.searchsorted(self.first_request, request, side="right") - 1
        return found

    def instruction_of(self, request: NDArray[np.int32]) -> NDArray[np.int32]:
        """The instructions that made some requests."""
        found: NDArray[np.int32] = self.costs[self.requests[request, R_COST], R_INSTRUCTION]
        return found

    @cached_property
    def made(self) -> NDArray[np.int64]:
        """Requests of each row of ``costs``."""
        return np.bincount(self.requests[:, R_COST], minlength=len(self.costs))


class Room(NamedTuple):
    """Where a trace is kept: one row a request, line, cost or step; ``keys`` are the warps of
    steps, and the other columns as in ``Trace``."""

    requests: NDArray[np.int32]
    rounds: NDArray[np.int32]
    places: NDArray[np.int32]
    lines: NDArray[np.int64]
    owner: NDArray[np.int32]
    costs: NDArray[np.int32]
    steps: NDArray[np.int32]
    keys: NDArray[np.int64]


def _first_room() -> Room:
    """Room that most launches need not outgrow; pages that nobody writes cost nothing."""
    requests, costs = np.empty((_ROWS, REQUEST), np.int32), np.empty((_ROWS, COST), np.int32)
    rounds, places, owner = (np.empty(_ROWS, np.int32) for _ in range(3))
    lines, keys = np.empty(_ROWS, np.int64), np.empty(_ROWS, np.int64)
    return Room(requests, rounds, places, lines, owner, costs, np.empty((_ROWS, 3), np.int32), keys)


def _grown(array: NDArray[Any], used: int, wanted: int) -> NDArray[Any]:
    """Room for so many rows, and as many again; the first ``used`` are kept."""
    if len(array) >= wanted:
        return array
    more = np.empty((2 * wanted, *array.shape[1:]), array.dtype)
    more[:used] = array[:used]
    return more


class TraceSink:
    """Collects steps and requests of the blocks that one worker runs, one after the other."""

    def __init__(self, kernel: Kernel, warps: int, local_bytes: int) -> None:
        self._known = make_known(lower_accesses(kernel))
        self._packed: Known = pack(self._known)  # for calls of compiled functions
        self._progress = pack(make_progress(warps, len(kernel.instructions)))
        self._warps, self._frame = warps, local_bytes // 4
        self._used = np.zeros(3, np.int64)  # requests, lines, steps
        self._room = _first_room()
        self._packed_room: Room = pack(self._room)

    def consume(self, events: Events) -> None:
        """Nothing: ``consume_steps`` has had the events."""

    def consume_steps(self, steps: Steps, events: Events) -> None:
        """Keep the steps and turn their events into requests."""
        self._make_room(len(events), len(steps))
        note(
            np.ascontiguousarray(events).view(np.uint32).reshape(-1, EVENT_WORDS),
            np.ascontiguousarray(steps).view(np.uint32).reshape(-1, STEP_WORDS),
            self._packed, self._progress, self._packed_room, self._frame, self._warps, self._used,
        )  # fmt: skip

    def _make_room(self, events: int, steps: int) -> None:
        requests, lines, step = self._used.tolist()
        cost = int(self._known.used[0])
        old = self._room
        if (
            len(old.requests) >= requests + events
            and len(old.lines) > lines + events * MOST_LINES
            and len(old.costs) >= cost + events
            and len(old.steps) >= step + steps
        ):
            return
        used = (requests, requests, requests, lines, lines, cost, step, step)
        line = events * MOST_LINES + 1
        more = (events, events, events, line, line, events, steps, steps)
        sizes: Any = zip(old, used, more, strict=True)
        self._room = Room._make(_grown(array, kept, kept + new) for array, kept, new in sizes)
        self._packed_room = pack(self._room)

    def fullness(self, sizes: NDArray[np.int64]) -> float:
        """What part of the most that may be kept is there; ``sizes`` of basic blocks."""
        _, lines, step = self._used.tolist()
        work = int(np.bincount(self._room.steps[:step, 0], minlength=len(sizes)) @ sizes)
        return max(work / MOST_WORK, lines / MOST_KEPT)

    def finish(self, blocks: NDArray[np.int64], basic_blocks: Any) -> Trace:
        """The streams, warp after warp in the order of ``blocks``, in which they ran."""
        requests, lines, step = self._used.tolist()
        room = self._room
        steps, keys = room.steps[:step], room.keys[:step]
        edges = np.flatnonzero(np.diff(keys // self._warps)) + 1
        ran = np.append(0, edges)  # the first step of each block
        first_request = np.append(steps[ran, 1], requests).astype(np.int64)
        place = np.repeat(np.arange(len(ran)), np.diff(ran, append=len(keys)))
        number = place * self._warps + keys % self._warps
        narrow = np.uint16 if len(blocks) * self._warps <= 1 << 16 else np.int64  # sorts quicker
        sorting = np.argsort(number.astype(narrow), kind="stable")
        counts = np.bincount(number, minlength=len(blocks) * self._warps)
        bounds = np.array([(b.first, b.end) for b in basic_blocks], np.int32)
        return Trace(
            blocks, self._warps, bounds, steps[sorting], np.append(0, np.cumsum(counts)),
            room.requests[:requests], room.costs[: int(self._known.used[0])],
            room.lines[:lines], room.owner[:lines],
            room.rounds[:requests], room.places[:requests], first_request,
        )  # fmt: skip


@compiled
def note(
    words: Words, steps: Words, known: Known, progress: Progress, room: Room, frame: int,
    warps: int, used: NDArray[np.int64],
) -> None:  # fmt: skip
    """Keep events as requests, and steps; ``used`` int64[3] rows of both, and lines, are taken."""
    request, line, step = used[0], used[1], used[2]
    requests, cost = room.requests[request:], known.used[0]
    count = len(words)
    made = make_requests(words, known, frame, warps, requests, room.costs[cost:], room.lines[line:])
    count_events(words, progress, room.rounds[request:], room.places[request:])
    for event in range(count):
        after = requests[event + 1, R_FIRST] if event + 1 < count else made
        for index in range(requests[event, R_FIRST], after):
            room.owner[line + index] = request + event
        requests[event, R_FIRST] += line
    for row in range(len(steps)):
        room.steps[step + row, 0] = steps[row, BASIC_BLOCK]
        room.steps[step + row, 1] = request + int64(steps[row, FIRST_EVENT])
        after = int64(steps[row + 1, FIRST_EVENT]) if row + 1 < len(steps) else count
        room.steps[step + row, 2] = request + after
        room.keys[step + row] = int64(steps[row, STEP_BLOCK]) * warps + int64(steps[row, STEP_WARP])
    used[0], used[1], used[2] = request + count, line + made, step + len(steps)


def trace_blocks(launch: Launch, blocks: NDArray[np.int64], resident: int | None = None) -> Trace:
    """Run blocks (linear indices, each once) and keep their streams.

    With ``resident``, the number of blocks that run at a time, waves behind the first ones are left
    out where that is too much to keep.
    """
    sink = TraceSink(launch.program.kernel, warps_of(math.prod(launch.block)), launch.local_bytes)
    if resident is None or len(blocks) <= LEAST_WAVES * resident:
        launch.run(blocks, lambda: [sink])
        return sink.finish(blocks, launch.program.blocks)
    launch.run(blocks[:resident], lambda: [sink])
    sizes = np.array([b.end - b.first for b in launch.program.blocks], np.int64)
    waves = max(LEAST_WAVES, int(1 / sink.fullness(sizes)))
    left_out = max(0, len(blocks) // resident - waves)
    blocks = blocks[: len(blocks) - left_out * resident]
    launch.run(blocks[resident:], lambda: [sink])
    return sink.finish(blocks, launch.program.blocks)
