"""What the warps of some blocks did, in a few bytes an instruction."""

from __future__ import annotations

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
from simulator.timing.requests import (
    COST,
    MOST_LINES,
    R_FIRST,
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
    ``requests``, ``costs`` and ``lines`` are as ``timing.requests`` has them. ``basic_blocks``
    int32[b, 2] are first and past-the-end instruction.
    """

    blocks: NDArray[np.int64]
    warps: int
    basic_blocks: NDArray[np.int32]
    steps: NDArray[np.int32]
    starts: NDArray[np.int64]
    requests: NDArray[np.int32]
    costs: NDArray[np.int32]
    lines: NDArray[np.int64]
    home: NDArray[np.int32]  # of each request: position of its block in ``blocks``

    @property
    def instructions(self) -> int:
        """Warp-instructions in the streams."""
        sizes = self.basic_blocks[:, 1] - self.basic_blocks[:, 0]
        return int(sizes[self.steps[:, 0]].sum())


class TraceSink:
    """Collects steps and requests of the blocks that one worker runs."""

    def __init__(self, kernel: Kernel, warps: int, local_bytes: int) -> None:
        self._known = make_known(lower_accesses(kernel))
        self._packed: Known = pack(self._known)  # for calls of compiled functions
        self._warps, self._frame = warps, local_bytes // 4
        self._steps: list[NDArray[np.int32]] = []
        self._homes: list[Steps] = []
        self._requests: list[NDArray[np.int32]] = []
        self._costs: list[NDArray[np.int32]] = []
        self._lines: list[NDArray[np.int64]] = []
        self._events = self._line_count = 0

    def consume(self, events: Events) -> None:
        """Nothing: ``consume_steps`` has had the events."""

    def consume_steps(self, steps: Steps, events: Events) -> None:
        """Keep the steps and turn their events into requests."""
        ends = np.append(steps["event"][1:], np.uint32(len(events)))
        numbers = [steps["basic_block"], steps["event"] + self._events, ends + self._events]
        self._steps.append(np.column_stack(numbers).astype(np.int32))
        self._homes.append(steps[["block", "warp"]].copy())
        words = np.ascontiguousarray(events).view(np.uint32).reshape(-1, EVENT_WORDS)
        requests = np.empty((len(words), REQUEST), np.int32)
        costs = np.empty((len(words), COST), np.int32)
        lines = np.empty(len(words) * MOST_LINES + 1, np.int64)
        before = int(self._known.used[0])
        used = make_requests(words, self._packed, self._frame, self._warps, requests, costs, lines)
        requests[:, R_FIRST] += self._line_count
        self._requests.append(requests)
        self._costs.append(costs[: int(self._known.used[0]) - before].copy())
        self._lines.append(lines[:used].copy())
        self._events += len(words)
        self._line_count += used

    def finish(self, blocks: NDArray[np.int64], basic_blocks: Any) -> Trace:
        """The streams, warp after warp in the order of ``blocks``."""
        steps = np.concatenate(self._steps)
        homes = np.concatenate(self._homes)
        place = np.argsort(blocks)
        order = place[np.searchsorted(blocks[place], homes["block"].astype(np.int64))]
        key = order * self._warps + homes["warp"]
        sorting = np.argsort(key, kind="stable")
        starts = np.searchsorted(key[sorting], np.arange(len(blocks) * self._warps + 1))
        requests = np.concatenate(self._requests)
        costs = np.concatenate(self._costs)
        lines = np.concatenate(self._lines)
        bounds = np.array([(b.first, b.end) for b in basic_blocks], np.int32)
        home = np.repeat(order, steps[:, 2] - steps[:, 1]).astype(np.int32)
        streams = (steps[sorting], starts, requests, costs, lines, home)
        return Trace(blocks, self._warps, bounds, *streams)


def trace_blocks(launch: Launch, blocks: NDArray[np.int64]) -> Trace:
    """Run blocks (linear indices, each once) and keep their streams."""
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    sink = TraceSink(launch.program.kernel, -(-threads // 32), launch.local_bytes)
    launch.run(blocks, lambda: [sink])
    return sink.finish(blocks, launch.program.blocks)
