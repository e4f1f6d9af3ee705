"""What a launch asks of its SMs between its loads, and how far that varies."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.memory.caches import state as st
from simulator.memory.caches.items import BYPASS, INSTRUCTION_SHIFT, KIND_MASK, KIND_SHIFT, LOAD
from simulator.memory.caches.streams import Streams, count_batches, split_warps

Ints = NDArray[np.int64]

# Deviation of a stretch of work by the root of its cycles. Of blocks of 16 and 32 warps, clocks
# noted in loops on an NVIDIA H200 gave 0.25 to 0.7 (validation/microbench/meet.cu), the reads that
# L2 got 0.5. Of 8 and less, whose work itself hardly varies (0.1), it is fitted to those reads
# alone and stands for what is not known. Each load varies by 8 to 16 cycles besides (measured).
JITTER = ((8, 0.7), (16, 0.5))  # warps of a block, deviation
LOADS, LONE_LOADS = 10.0, 16.0  # cycles; of blocks that meet at barriers, of warps that do not
# What comes to it by the work itself where blocks share an SM: with so many warps a block, falling
# with more of them. Fitted to clocks noted in loops of 4 to 32 warps a block (tiles.cu): to how far
# SMs have drifted apart after many steps. (What one step is late is three times as much, but half
# of that is made up for in the next. With 32 warps it is 20 cycles for 1,000 and 2,600 of work,
# but 175 for 9,000, three times what it is here.)
SHARED_JITTER, SHARED_WARPS, SHARED_FALL = 0.1, 8, 2.0


@dataclass(frozen=True)
class Shape:
    """A launch as the caches see it.

    ``blocks_per_sm`` fit an SM; ``global_bytes`` of buffers end at ``global_end``; ``local_bytes``
    a block of ``warps`` warps; ``work`` are the cycles an SM needs for a block at least,
    ``warp_cycles`` those a warp needs if it is alone; ``waits`` has for every instruction the
    first later one that needs its result, ``ahead`` says whether it fetches for the next turn of
    a loop. Without ``barriers`` every warp goes its own way.
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

    @property
    def units(self) -> int:
        """Parts of a block that go their own way."""
        return 1 if self.barriers else self.warps


def _sharing(shared: bool, shape: Shape) -> float:
    """Deviation of work, as a share of it, that blocks cause which share an SM."""
    if not shared:
        return 0.0
    return float(SHARED_JITTER * min(1.0, SHARED_WARPS / shape.warps) ** SHARED_FALL)


def _variation(shape: Shape) -> tuple[float, float]:
    """Deviation of a stretch of work by its root, and of the load before it in cycles."""
    if not shape.barriers:
        return JITTER[0][1], LONE_LOADS
    warps, deviations = zip(*JITTER, strict=True)
    return float(np.interp(shape.warps, warps, deviations)), LOADS


def make_work(streams: Streams, shape: Shape, shared: bool) -> st.Work:
    """The streams of all units with their work; ``shared``: SMs hold several blocks at once."""
    streams = streams if shape.barriers else split_warps(streams, shape.warps)
    batches = count_batches(streams, shape.waits)
    blocks = batches.reshape(-1, shape.units)
    busy = shape.work / np.maximum(blocks.sum(1), 1)
    busy_units = np.repeat(busy, shape.units).reshape(blocks.shape)
    alone = shape.warp_cycles / np.maximum(blocks, 1)
    by_root, loads = _variation(shape)
    deviation = np.sqrt(
        by_root**2 * np.maximum(alone, busy_units)
        + loads**2
        + (_sharing(shared, shape) * busy_units) ** 2
    )
    jitter = math.sqrt(3) * deviation  # of an even distribution
    return st.Work(
        streams.base, streams.info, streams.words, streams.shift, streams.rounds,
        streams.first_round, streams.shifts, streams.template, streams.steps, shape.waits,
        _ahead(streams, shape), busy_units.reshape(-1).astype(np.int64),
        alone.reshape(-1).astype(np.int64), jitter.reshape(-1).astype(np.int64), batches,
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
