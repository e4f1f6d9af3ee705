"""Which SM gets which block, where it is not the same in turn: blocks of unequal work, or some more
blocks than there is room for at once."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

# Warps that keep an SM busy: with fewer, each goes as fast as it can. Not measured; it only says
# which SM ends last, whose time is then simulated.
BUSY_WARPS = 8


class _Sm:
    """Blocks of one SM that share its time: each gets the same part. ``paces`` has by the number
    of blocks how long each takes for a unit of work."""

    def __init__(self, paces: Sequence[float]) -> None:
        self.blocks: list[int] = []
        self.ends: list[float] = []  # of resident blocks, in the SM's own progress
        self._progress, self._since, self._paces = 0.0, 0.0, paces

    def next_end(self) -> float:
        """When the first of the resident blocks ends."""
        return self._since + (self.ends[0] - self._progress) * self._paces[len(self.ends)]

    def finish(self, now: float) -> None:
        """Take the block off that ends now."""
        self._advance(now)
        heappop(self.ends)

    def start(self, now: float, block: int, work: float) -> None:
        """Make a block resident."""
        self._advance(now)
        self.blocks.append(block)
        heappush(self.ends, self._progress + work)

    def _advance(self, now: float) -> None:
        self._progress += (now - self._since) / self._paces[len(self.ends)]
        self._since = now


def deal_blocks(
    work: NDArray[np.int64],
    sms: int,
    resident: int,
    warps: int,
    first: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """The blocks of the SM that ends last, in the order in which it gets them.

    ``work`` int64[blocks] has the warp-instructions of each block of ``warps`` warps. Blocks are
    dealt out in turn, or as ``first`` says, the SM of each, until every SM has ``resident``; each
    that ends makes room for the next one.
    """
    full = max(1, BUSY_WARPS // warps)
    paces = [float(max(count, full)) for count in range(resident + 1)]
    return _deal([_Sm(paces) for _ in range(sms)], work.astype(np.float64), resident, first)


def deal_by_time(
    ends: NDArray[np.int64], alone: int, total: int, sms: int, deviation: float
) -> NDArray[np.int64]:
    """The same for ``total`` blocks of equal work, of which more fit on an SM than one SM gets
    behind its first.

    ``ends`` int64[resident] are the cycles until each of an SM's first blocks ends while others
    follow, ``alone`` those of a block that has an SM for itself; between, each further one takes as
    much of the time. SMs are faster and slower by chance, by ``deviation`` of the mean.
    """
    mean, resident = float(ends.mean()), len(ends)
    paces = np.interp(range(resident + 1), [1, max(2, resident)], [alone, mean]).tolist()
    speeds = NormalDist(1.0, deviation).quantiles(sms + 1) if sms > 1 else [1.0]
    work = np.ones(total)
    for place, end in enumerate(np.sort(ends).tolist()):
        work[place * sms : (place + 1) * sms] = end / mean
    return _deal([_Sm([speed * pace for pace in paces]) for speed in speeds], work, resident)


def _deal(
    machine: list[_Sm],
    work: NDArray[np.float64],
    resident: int,
    first: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    sms = len(machine)
    placed = min(len(work), sms * resident)
    places = np.arange(placed) % sms if first is None else first
    for block, sm_number in enumerate(places.tolist()):
        machine[sm_number].start(0.0, block, float(work[block]))
    # When the next block of an SM ends; at one time in the order in which that was known.
    coming = [(sm.next_end(), number, number) for number, sm in enumerate(machine) if sm.ends]
    coming.sort()
    last, known = 0, sms
    while coming:
        now, _, last = heappop(coming)
        sm = machine[last]
        sm.finish(now)
        if placed < len(work):
            sm.start(now, placed, float(work[placed]))
            placed += 1
        if sm.ends:
            heappush(coming, (sm.next_end(), known, last))
            known += 1
    return np.array(machine[last].blocks, np.int64)
