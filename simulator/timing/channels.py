"""Where lines are in DRAM: how far from an SM, in which channel.

Half of the chunks of some KiB belong to the part of L2 that an SM is not at, and a few lines to a
channel; hashes of addresses decide, which are not known and taken as evenly spread. An SM is a
number: each has other lines, and so other luck with the same work.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.device.structure import LINE_BYTES

Lines = NDArray[np.int64]
Shares = NDArray[np.float32]
_MOST = 1 << 16
_HASH = np.uint64(0x9E3779B97F4A7C15)
_QUANTILES = np.array(NormalDist().quantiles(257), np.float32)
_WAITS = -np.log((np.arange(256, dtype=np.float32) + 0.5) / 256)  # of a queue, its mean 1


class Spread(NamedTuple):
    """Cycles to the other part of L2, there and back; lines of a chunk that one part has, of a
    channel; parts of DRAM that are refreshed one after the other; lines of a page."""

    far: int
    chunk: int
    channel: int
    parts: int
    page: int


class Places(NamedTuple):
    """By line: cycles that DRAM takes longer as it is at the other part of L2; which of
    the parts of DRAM, refreshed one after the other, it is in; by how many standard
    deviations its channel has more to do than the mean, and what it waits there of the mean."""

    far: NDArray[np.int32]
    part: NDArray[np.int32]
    uneven: NDArray[np.float32]
    luck: NDArray[np.float32]


def places_of(lines: Lines, spread: Spread, users: Shares, sm: int = 0) -> Places:
    """Where lines are for an SM.

    Of ``users`` SMs that ask for a line, by line, some are mostly near: they have had it fetched by
    the time that one far away asks, and only the way back is longer.
    """
    chunks = lines // spread.channel
    is_far = _mixed(lines // spread.chunk, 4 * sm) & 1
    alone = 2.0 ** (1.0 - np.maximum(1.0, users))  # how likely all are far
    far = (is_far * spread.far * (1.0 + alone) / 2).astype(np.int32)
    part = (_mixed(chunks, 4 * sm + 1) % spread.parts).astype(np.int32)
    uneven = _QUANTILES[_mixed(chunks, 4 * sm + 2) % len(_QUANTILES)]
    luck = _WAITS[_mixed(chunks, 4 * sm + 3) % len(_WAITS)]
    return Places(far, part, uneven, luck)


def pages_of(lines: Lines, spans: NDArray[np.int64], size: int) -> NDArray[np.int32]:
    """The page of ``size`` lines of each line, numbered from 0; buffers below half of one share the
    first, as allocators put them together (``spans`` int64[buffers, 2]: first byte and end)."""
    page = lines // size
    small = spans[spans[:, 1] - spans[:, 0] < size * LINE_BYTES // 2]
    page[np.isin(page, small[:, 0] // (size * LINE_BYTES))] = -1
    return np.unique(page, return_inverse=True)[1].reshape(-1).astype(np.int32)


def _mixed(numbers: Lines, turn: int) -> Lines:
    """A number below ``_MOST`` for each number, by chance; others for each ``turn``."""
    mixed = (numbers.astype(np.uint64) + np.uint64(turn << 44)) * _HASH
    mixed = (mixed ^ mixed >> np.uint64(29)) * _HASH
    found: Lines = (mixed >> np.uint64(40)).astype(np.int64) % _MOST
    return found
