"""The addresses of the blocks that the caches need, taken while those blocks are counted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from simulator.emulator.launch import Launch
from simulator.memory.caches.sector_recorder import SectorRecorder
from simulator.memory.caches.streams import Stream, share_arrays, split_blocks
from simulator.memory.caches.templates import Shape, template_blocks
from simulator.slicing import dispensable

Blocks = NDArray[np.int64]
_FEW_BLOCKS = 64  # a launch of so few is recorded whole


class Recording:
    """Streams of the blocks of a grid that the caches need.

    When no loaded data steers a kernel's addresses, a few blocks of every class tell those of all
    others (see ``memory.caches.templates``); else ``everything`` is needed. Of a warp no requests
    are kept beyond ``most`` items (``items.Cap``, as ``requests``).
    """

    def __init__(self, grid: Shape, steered: Callable[[], bool], most: int) -> None:
        self.grid, total = grid, math.prod(grid)
        self.everything = total <= _FEW_BLOCKS or steered()
        self._wanted = np.arange(total) if self.everything else template_blocks(grid)
        self._streams: dict[int, Stream] = {}
        self._kept: set[int] = set()
        self._most = most
        self._idle: list[SectorRecorder] = []
        self._lock = Lock()
        self.requests = np.zeros((2, 2), np.int64)

    def parts(self) -> tuple[float, float]:
        """Which part of all requests was kept: of loads, and of stores and atomics."""
        loads, stores = (self.requests[:, 1] / np.maximum(self.requests[:, 0], 1)).tolist()
        return loads or 1.0, stores or 1.0

    def unfold(self, grid: Shape) -> None:
        """Take the grid as having these axes, of as many blocks in the same order."""
        self.grid = grid
        if not self.everything:
            self._wanted = template_blocks(grid)

    def wants(self, blocks: Blocks) -> bool:
        """Whether these blocks, run together in their order, are all that is needed."""
        return self.everything and np.array_equal(blocks, self._wanted)

    def wants_one(self, block: int) -> bool:
        """Whether a block that is run by itself is one of those needed."""
        return not self.everything and block in self._wanted

    def recorder(self, launch: Launch) -> SectorRecorder:
        """An event sink for one worker, to be given back to ``keep``."""
        try:
            return self._idle.pop()
        except IndexError:
            return SectorRecorder(launch.program.kernel, launch.local_bytes // 4, self._most)

    def keep(self, blocks: Blocks, recorders: Sequence[SectorRecorder]) -> None:
        """Take over what recorders saw of blocks."""
        with ThreadPoolExecutor(len(recorders)) as pool:
            parts = list(pool.map(lambda recorder: split_blocks(recorder.items()), recorders))
        with self._lock:
            for part in parts:
                for block, stream in part.items():
                    self._add(block, stream)
            self._kept.update(blocks.tolist())
            self.requests += sum(recorder.requests for recorder in recorders)
        for recorder in recorders:
            recorder.restart()
            self._idle.append(recorder)

    def _add(self, block: int, stream: Stream) -> None:
        """Keep a stream; those of long kernels are large, and much alike."""
        last = next(reversed(self._streams.values()), stream)
        self._streams[block] = share_arrays(stream, last)

    def complete(self, fresh: Callable[[], Launch], workers: int) -> dict[int, Stream]:
        """All that was wanted, by block; runs blocks that have not been seen, in a fresh launch.

        Where all blocks are needed, they are run in the launch's order if one is missing. A block
        without items is left out.
        """
        missing = np.setdiff1d(self._wanted, list(self._kept))
        if len(missing):
            self._run(fresh(), self._wanted if self.everything else missing, workers)
        self._idle.clear()  # their room is large
        return self._streams

    def whole(self, fresh: Callable[[], Launch], workers: int) -> dict[int, Stream]:
        """The streams of all blocks of the launch, whatever was wanted before."""
        if not self.everything:
            self._wanted, self.everything = np.arange(math.prod(self.grid)), True
            self._streams, self._kept = {}, set()
            self.requests[:] = 0
        return self.complete(fresh, workers)

    def _run(self, launch: Launch, blocks: Blocks, workers: int) -> None:
        """Record blocks: in their order, or where none asks for another's results one by one."""
        launch = launch.without(dispensable(launch.program.kernel, shared=False))
        if self.everything:
            self._record(launch, blocks, workers)
            return
        with ThreadPoolExecutor(workers) as pool:
            list(
                pool.map(
                    lambda block: self._record(launch, block, 1), np.split(blocks, len(blocks))
                )
            )

    def _record(self, launch: Launch, blocks: Blocks, workers: int) -> None:
        recorders: list[SectorRecorder] = []

        def make_sinks() -> list[SectorRecorder]:
            recorders.append(self.recorder(launch))
            return recorders[-1:]

        launch.run(blocks, make_sinks, workers)
        self.keep(blocks, recorders)
