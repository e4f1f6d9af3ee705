"""How far SMs that read the same lines are apart in time.

SMs that share lines begin together and drift apart as they work: over a range that grows with each
round of loads, up to the range that the cache model found between SMs of long loops. Reads that are
too far apart are not served together. (Nobody waits for less by coming late: the first to ask for
lines of DRAM waits for each, so it does not stay ahead.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.timing.requests import R_DATA, R_LINES
from simulator.timing.trace import Trace


class Drift(NamedTuple):
    """Cycles that SMs are apart at most: ``start`` with one block each and ``further`` for each
    other, and the part of the work between two rounds of loads that is added by each."""

    start: float
    further: float
    share: float


def work_between(trace: Trace, rounds: int, subcores: int) -> float:
    """Cycles of an SM for a block between two rounds of loads, at least."""
    shared = trace.costs[:, R_LINES] == 0
    wavefronts = int(trace.made[shared] @ trace.costs[shared, R_DATA])
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
