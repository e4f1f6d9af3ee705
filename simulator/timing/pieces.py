"""What DRAM pays for data that lie apart: each run of lines that are read or written together costs
something beside its lines, and half of what DRAM writes at once nearly as much as the whole.

Found by replaying a block and those before and behind it in the order of launch, which run at the
same time: what follows on in memory from one to the next is one run.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.isa.kernel import Kernel

Lines = NDArray[np.int64]
Parts = NDArray[np.float64]
LONG = 64  # lines of a run that goes on in the blocks beside


def stores_of(kernel: Kernel) -> NDArray[np.bool_]:
    """Which instructions store, bool[instructions]."""
    return np.array([i.opcode.startswith("ST") for i in kernel.instructions], np.bool_)


def runs_of(own: Lines, beside: Lines) -> Parts:
    """For each line of a block, as distinct numbers, how many runs of lines it stands for: 1 where
    no line before or behind it is touched, 1/n in a run of n. Runs go on in the lines of the blocks
    ``beside``."""
    lines = np.sort(np.concatenate([own, beside]))
    steps = np.diff(lines, prepend=lines[:1] - 2)
    run = np.cumsum(steps > 1) - 1
    lengths = np.bincount(run, steps > 0)
    mine = run[np.searchsorted(lines, own)]
    goes_on = lengths > np.bincount(mine, minlength=len(lengths))
    found: Parts = 1.0 / np.where(goes_on, LONG, lengths)[mine]
    return found


def pieces_of(
    own: tuple[Lines, Lines], beside: tuple[Lines, Lines], is_store: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """For each instruction the runs of lines for each line that it touches (0 to 1). ``own`` and
    ``beside`` are instructions, ascending, and the lines that they touch, each once in ``own``; all
    stores of a block go to DRAM together, loads of one instruction come from there together."""
    stored = is_store[own[0]]
    runs = np.empty(len(stored))
    if stored.any():
        lines, which = np.unique(own[1][stored], return_inverse=True)
        runs[stored] = runs_of(lines, beside[1][is_store[beside[0]]])[which.reshape(-1)]
    for load in np.unique(own[0][~stored]):
        mine, others = (
            slice(*np.searchsorted(part[0], (load, load + 1))) for part in (own, beside)
        )
        runs[mine] = runs_of(own[1][mine], beside[1][others])
    total = np.bincount(own[0], runs, minlength=len(is_store))
    count = np.bincount(own[0], minlength=len(is_store))
    found: NDArray[np.float32] = (total / np.maximum(1, count)).astype(np.float32)
    return found


def halves_of(numbers: NDArray[np.int64], bits: Lines, count: int) -> NDArray[np.float32]:
    """For each of ``count`` lines what part of the sectors that are stored are so without the other
    one of their pair. ``numbers`` and ``bits`` are the line's place and the sectors, a bit each, of
    every line that a store touches."""
    stored = np.zeros((4, count), np.bool_)
    for sector in range(4):
        stored[sector][numbers[(bits >> sector & 1).astype(np.bool_)]] = True
    alone = (stored[0] ^ stored[1]).astype(np.int64) + (stored[2] ^ stored[3])
    found: NDArray[np.float32] = (alone / np.maximum(1, stored.sum(axis=0))).astype(np.float32)
    return found
