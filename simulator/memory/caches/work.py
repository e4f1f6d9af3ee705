"""What a launch asks of its SMs between its loads, and how far that varies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.memory.caches import state as st
from simulator.memory.caches.between import Code, work_shares
from simulator.memory.caches.items import BYPASS, INSTRUCTION_SHIFT, KIND_MASK, KIND_SHIFT, LOAD
from simulator.memory.caches.streams import Streams, split_warps

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Jitter:
    """How far work and loads vary.

    A stretch of work deviates by the root of its cycles times ``by_root``, in blocks of ``warps``
    warps (between: in proportion), each load by ``loads`` cycles, where blocks meet at barriers,
    else by ``lone_loads``. Where blocks share an SM, ``shared`` of the work comes to it, less in
    blocks of more than ``shared_warps``, by the power ``shared_fall`` of it.
    """

    warps: tuple[float, ...]
    by_root: tuple[float, ...]
    loads: float
    lone_loads: float
    shared: float
    shared_warps: float
    shared_fall: float


@dataclass(frozen=True)
class Shape:
    """A launch as the caches see it.

    ``blocks_per_sm`` fit an SM; ``global_bytes`` of buffers end at ``global_end``; ``local_bytes``
    a block of ``warps`` warps; ``work`` are the cycles an SM needs for a block at least,
    ``warp_cycles`` those a warp needs if it is alone; ``waits`` has for every instruction the
    first later one that needs its result, ``ahead`` says whether it fetches for the next turn of
    a loop, ``code`` what lies between. Without ``barriers`` every warp goes its own way.
    """

    blocks_per_sm: int
    global_bytes: int
    global_end: int
    local_bytes: int
    warps: int
    work: float
    warp_cycles: float
    waits: Ints
    ahead: NDArray[np.bool_]
    barriers: bool
    code: Code

    @property
    def units(self) -> int:
        """Parts of a block that go their own way."""
        return 1 if self.barriers else self.warps


def _sharing(jitter: Jitter, shape: Shape) -> float:
    """Deviation of work, as a share of it, that blocks cause which share an SM."""
    few = min(1.0, jitter.shared_warps / shape.warps)
    return float(jitter.shared * few**jitter.shared_fall)


def _variation(jitter: Jitter, shape: Shape) -> tuple[float, float]:
    """Deviation of a stretch of work by its root, and of the load before it in cycles."""
    if not shape.barriers:
        return jitter.by_root[0], jitter.lone_loads
    return float(np.interp(shape.warps, jitter.warps, jitter.by_root)), jitter.loads


def make_work(streams: Streams, shape: Shape, jitter: Jitter, shared: bool) -> st.Work:
    """The streams of all units with their work; ``shared``: SMs hold several blocks at once."""
    streams = streams if shape.barriers else split_warps(streams, shape.warps)
    batches, shares = work_shares(streams, shape.waits, shape.code)
    blocks = batches.reshape(-1, shape.units)
    busy = shape.work / np.maximum(blocks.sum(1), 1)
    busy_units = np.repeat(busy, shape.units).reshape(blocks.shape)
    alone = shape.warp_cycles / np.maximum(blocks, 1)
    by_root, loads = _variation(jitter, shape)
    common = _sharing(jitter, shape) if shared else 0.0
    varies = 3 * np.array([by_root, loads, common]) ** 2  # of an even distribution
    return st.Work(
        streams.base, streams.info, streams.words, streams.shift, streams.rounds,
        streams.first_round, streams.shifts, streams.template, streams.steps, shape.waits,
        _ahead(streams, shape), busy_units.reshape(-1).astype(np.int64),
        alone.reshape(-1).astype(np.int64), shares, varies, batches,
    )  # fmt: skip


def _ahead(streams: Streams, shape: Shape) -> Ints:
    """1 for every instruction that a batch need not wait for before its work: no load, or ahead."""
    found = np.ones(len(shape.ahead), np.int64)
    kinds = (streams.info >> int(KIND_SHIFT)) & int(KIND_MASK)
    loads = (kinds == int(LOAD)) | (kinds == int(BYPASS))
    numbers = streams.info[loads] >> int(INSTRUCTION_SHIFT)
    loaded = np.bincount(numbers, minlength=len(found)) > 0
    found[loaded] = shape.ahead[loaded]
    return found
