"""How far SMs that read the same lines are apart in time.

SMs that share lines begin together and drift apart as they work. The first to ask for a line waits
for DRAM; one that comes later waits for less. How late an SM is, is taken as spread evenly over a
range that grows with each round of loads, up to the range that the cache model found between SMs
of long loops.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.timing.requests import R_COST, R_DATA, R_LINES
from simulator.timing.trace import Trace


class Drift(NamedTuple):
    """Cycles that SMs are apart at most: ``start`` with one block each and ``further`` for each
    other, and the part of the work between two rounds of loads that is added by each."""

    start: float
    further: float
    share: float


def work_between(trace: Trace, rounds: int, subcores: int) -> float:
    """Cycles of an SM for a block between two rounds of loads, at least."""
    made = np.bincount(trace.requests[:, R_COST], minlength=len(trace.costs))
    shared = trace.costs[:, R_LINES] == 0
    wavefronts = int(made[shared] @ trace.costs[shared, R_DATA])
    work = max(trace.instructions / subcores, wavefronts)
    return work / len(trace.blocks) / max(1, rounds)


def apart_of(
    drift: Drift, trace: Trace, request: NDArray[np.int32], resident: int, subcores: int
) -> NDArray[np.float64]:
    """Cycles that the SMs are apart at most when they first touch a line; one number a line, given
    the request that touches it first."""
    if len(request) == 0:
        return np.empty(0, np.float64)
    most = int(trace.rounds.max()) + 1
    each = drift.share * work_between(trace, most, subcores) * resident
    limit = drift.start + drift.further * (resident - 1) + each
    done = trace.rounds[request] + most * (trace.home(request) // resident)
    found: NDArray[np.float64] = np.minimum(limit, done * each)
    return found


def leads_of(apart: NDArray[np.float64], share: NDArray[np.float32]) -> NDArray[np.int32]:
    """Cycles by which the first SM to ask for a line precedes this one, on average, given how far
    they are apart and the part of the line's fetch that this SM pays."""
    found: NDArray[np.int32] = (apart * (0.5 - 1.0 / (1.0 / share + 1.0))).astype(np.int32)
    return found
