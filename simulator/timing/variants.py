"""The streams of a launch with one thing changed: what a what-if does to them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from simulator.device.structure import REGISTER_BANKS
from simulator.timing import opcodes as op
from simulator.timing.lower import KIND, READS, STALL, WAIT
from simulator.timing.rates import Rates
from simulator.timing.requests import R_CONFLICTS, R_DATA
from simulator.timing.state import Streams

_ALL_BANK_READS = 2 * REGISTER_BANKS  # columns: with and without operands kept for reuse


def vary_streams(streams: Streams, changes: Mapping[str, float]) -> Streams:
    """The streams under what-ifs (``changes.CHANGES``); those that are numbers of the GPU leave
    them as they are."""
    if "bank_conflicts" in changes:
        streams = streams._replace(costs=_without_conflicts(streams.costs))
    if "waits" in changes:
        streams = streams._replace(code=_without_waits(streams.code))
    if "stall_counts" in changes:
        streams = streams._replace(code=_with_columns(streams.code, slice(STALL, STALL + 1), 1))
    if "register_banks" in changes:
        reads = slice(READS, READS + _ALL_BANK_READS)
        streams = streams._replace(code=_with_columns(streams.code, reads, 0))
    return streams


def vary_rates(rates: Rates, changes: Mapping[str, float]) -> Rates:
    """The SM's numbers under what-ifs."""
    if "taken_branches" in changes:
        rates = rates._replace(branch=0, branch_on=0)
    if "waits" in changes:  # a store that did not wait for its load would meet it on its way
        rates = rates._replace(holds=False)
    return rates


def _without_conflicts(costs: NDArray[np.int32]) -> NDArray[np.int32]:
    plain = costs.copy()
    plain[:, R_DATA] -= plain[:, R_CONFLICTS]
    return plain


def _with_columns(code: NDArray[np.int32], columns: slice, value: int) -> NDArray[np.int32]:
    changed = code.copy()
    changed[:, columns] = value
    return changed


def _without_waits(code: NDArray[np.int32]) -> NDArray[np.int32]:
    """No scoreboard holds a warp, and at a barrier a warp arrives but goes on."""
    changed = _with_columns(code, slice(WAIT, WAIT + 1), 0)
    changed[changed[:, KIND] == op.BARRIER, KIND] = op.BARRIER_ARRIVE
    return changed
