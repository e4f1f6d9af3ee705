"""Which SM gets which block, where blocks do not all have the same work."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

# Warps that keep an SM busy: with fewer, each goes as fast as it can. Not measured; it only says
# which SM ends last, whose time is then simulated.
BUSY_WARPS = 8


class _Sm:
    """Blocks of one SM that share its time: each gets the same part."""

    def __init__(self, full: int) -> None:
        self.blocks: list[int] = []
        self.ends: list[float] = []  # of resident blocks, in the SM's own progress
        self._progress, self._since, self._full = 0.0, 0.0, full

    def next_end(self) -> float:
        """When the first of the resident blocks ends."""
        return self._since + (self.ends[0] - self._progress) * self._pace()

    def finish(self, now: float) -> None:
        """Take the block off that ends now."""
        self._advance(now)
        heappop(self.ends)

    def start(self, now: float, block: int, work: float) -> None:
        """Make a block resident."""
        self._advance(now)
        self.blocks.append(block)
        heappush(self.ends, self._progress + work)

    def _pace(self) -> float:
        return float(max(len(self.ends), self._full))

    def _advance(self, now: float) -> None:
        self._progress += (now - self._since) / self._pace()
        self._since = now


def deal_blocks(work: NDArray[np.int64], sms: int, resident: int, warps: int) -> NDArray[np.int64]:
    """The blocks of the SM that ends last, in the order in which it gets them.

    ``work`` int64[blocks] has the warp-instructions of each block of ``warps`` warps. Blocks are
    dealt out in turn until every SM has ``resident``; each that ends makes room for the next one.
    """
    machine = [_Sm(max(1, BUSY_WARPS // warps)) for _ in range(sms)]
    placed = min(len(work), sms * resident)
    for block in range(placed):
        machine[block % sms].start(0.0, block, float(work[block]))
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
