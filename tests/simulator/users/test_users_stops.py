"""Kernels that a replay cannot run stop by name; faults of others are reported."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from users_cases import Case, zeros
from users_running import DEVICES, replay

from simulator.errors import ReplayError, SimulatorError, UnsupportedError

NUMBERS = np.arange(32, dtype=np.int32)
STOPS: dict[str, tuple[type[SimulatorError], str, tuple[Any, ...]]] = {
    "prints": (ReplayError, r"calls printf .*stopped\.cu:\d+", (NUMBERS,)),
    "asserts": (ReplayError, r"fails an assertion .*stopped\.cu:\d+", (NUMBERS, zeros(32))),
    "allocates": (ReplayError, "malloc", (NUMBERS,)),
    "forever": (ReplayError, r"goes round for ever at .*stopped\.cu:20 ", (zeros(2),)),
    "recurses": (ReplayError, r"its thread's stack .*stopped\.cu:\d+\); call", (NUMBERS,)),
    "textures": (UnsupportedError, "textures", (np.uint64(1), zeros(32, np.float32))),
}


@pytest.mark.parametrize("architecture", DEVICES)
@pytest.mark.parametrize("name", STOPS)
def test_stops_by_name(name: str, architecture: int) -> None:
    error, words_of_it, args = STOPS[name]
    with pytest.raises(error, match=words_of_it):
        replay("stopped.cu", name, architecture, Case(args, lambda: (), 32))


@pytest.mark.parametrize("architecture", [90, 120])
def test_clusters_stop_by_name(architecture: int) -> None:
    with pytest.raises(UnsupportedError, match="thread block clusters"):
        replay("cluster.cu", "cluster", architecture, Case((NUMBERS,), lambda: (), 32))


@pytest.mark.parametrize("architecture", DEVICES)
def test_assertions_that_hold(architecture: int) -> None:
    case = Case((NUMBERS % 20, zeros(32)), lambda: (), 32)
    run = replay("stopped.cu", "asserts", architecture, case)
    np.testing.assert_array_equal(run.outputs[1], NUMBERS % 20)


@pytest.mark.parametrize("architecture", DEVICES)
def test_traps_are_findings(architecture: int) -> None:
    run = replay("stopped.cu", "traps", architecture, Case((NUMBERS,), lambda: (), 32))
    (finding,) = run.findings
    assert finding.count == 1
    np.testing.assert_array_equal(run.outputs[0] == 1, NUMBERS != 5)
