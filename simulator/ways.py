"""The way that every block of a launch takes through its kernel.

Which instructions a block executes, and for how many lanes, hangs on a small part of the code: what
guards and branches are computed from. That part alone is run for all blocks, where a sample might
miss some (``places``).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.emulator.launch import Launch
from simulator.slicing import aside
from simulator.tallies import worker_count

Numbers = NDArray[np.int64]
MOST_WORK = 150_000_000  # warp-instructions; some three seconds on two cores
_BLOCK_WORK = 500  # what it costs to start a block


def find_ways(
    launch: Launch, watched: frozenset[int], example: int, most: float = MOST_WORK
) -> Numbers | None:
    """A number for each block, by linear index: the same for those that take the same way, and
    where the comparisons ``watched`` come out for as many lanes.

    None if it would take more than ``most`` warp-instructions, by what the block ``example``
    takes, or if loaded data steers.
    """
    left_out = aside(launch.program.kernel, watched)
    if left_out is None:
        return None
    short, total = launch.without(left_out, watched), math.prod(launch.grid)
    kept = np.setdiff1d(np.arange(len(launch.program.kernel.instructions)), sorted(left_out))
    executed = short.run(np.array([example])).executed[kept].sum()
    if (int(executed) + _BLOCK_WORK) * total > most:
        return None
    found = short.digests(np.arange(total, dtype=np.int64), worker_count())
    return np.unique(found, return_inverse=True)[1].astype(np.int64)
