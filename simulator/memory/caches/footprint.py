"""Which sectors a launch loads at all: what has to come from DRAM once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.jit import compiled, int64
from simulator.memory.caches.items import KIND_MASK, KIND_SHIFT, LOCAL_BASE, STORE
from simulator.memory.caches.l2 import in_pairs
from simulator.memory.caches.state import Limits
from simulator.memory.caches.streams import Streams
from simulator.memory.vector import popcount

Ints = NDArray[np.int64]


def mark_footprint(streams: Streams, used: NDArray[np.uint8], limits: Limits) -> float:
    """Sectors that DRAM delivers for what blocks load; ``used`` is room for a byte a line."""
    used[:] = 0
    total = 0
    for template in range(len(streams.first_round) - 1):
        base, mask, shift = _distinct(streams, template)
        blocks = np.flatnonzero(streams.template == template)
        moves = streams.steps[blocks] @ streams.shifts.T
        total += mark(base, mask, shift, moves, used)
    return float(total)


def _distinct(streams: Streams, template: int) -> tuple[Ints, Ints, Ints]:
    """Distinct loads of a template: first byte, mask, shift."""
    bounds = streams.first_round[template : template + 2]
    items = slice(streams.rounds[bounds[0]], streams.rounds[bounds[1] - 1])
    info = streams.info[items].astype(np.int64)
    loads = (info >> int(KIND_SHIFT)) & int(KIND_MASK) != STORE
    keep = loads & (streams.base[items] < LOCAL_BASE)
    rows = np.column_stack(
        [streams.base[items][keep], info[keep] & 15, streams.shift[items][keep].astype(np.int64)]
    )
    rows = np.unique(rows, axis=0)
    return rows[:, 0].copy(), rows[:, 1].copy(), rows[:, 2].copy()


@compiled
def mark(base: Ints, mask: Ints, shift: Ints, moves: Ints, used: NDArray[np.uint8]) -> int:
    """Mark sectors for every block (row of ``moves``: bytes a shift); how many are new."""
    found = 0
    for block in range(len(moves)):
        for item in range(len(base)):
            first = base[item] + moves[block, shift[item]]
            line, offset = first >> 7, (first >> 5) & 3
            for half in range(2):
                sectors = (mask[item] << offset) & 15 if half == 0 else mask[item] >> (4 - offset)
                new = in_pairs(sectors) & ~int64(used[line + half])
                if new:
                    used[line + half] |= np.uint8(new)
                    found += popcount(new)
    return found
