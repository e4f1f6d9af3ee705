"""Predicted times: of a run, where it has one, and of launches that a report asks about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from simulator.launching import open_catalogue
from simulator.results import LaunchTime, Run
from simulator.time import predict_target


@dataclass(frozen=True)
class Ratio:
    """How many times longer one launch takes than another, warm caches.

    ``certain`` says that the two times' ranges (which hold four of five launches) do not overlap.
    """

    value: float
    certain: bool


def predicted_stalls(run: Run) -> Mapping[str, float]:
    """Warp-cycles an issued instruction by ncu's stall reason; empty where time is unmodelled."""
    return run.time.warm.stalls if run.time is not None else {}


def warm_waits(run: Run, reason: str) -> float | None:
    """Warp-cycles that warps of the simulated SM wait for a reason; None without a time."""
    if run.time is None:
        return None
    return float(sum(row.get(reason, 0) for row in run.time.warm.instruction_stalls.values()))


def predicted_ratio(first: Run, second: Run) -> Ratio | None:
    """The second launch's time in units of the first's; None where a time is unmodelled."""
    if first.time is None or second.time is None:
        return None
    one, other = first.time.warm, second.time.warm
    apart = one.high_us < other.low_us or other.high_us < one.low_us
    return Ratio(other.microseconds / one.microseconds, apart)


def predict_launch(kernel: str, size: Mapping[str, int] | int | None, device: str) -> LaunchTime:
    """Predict a catalogue kernel now.

    Raises:
        SimulatorError: it cannot be compiled, launched or predicted.
    """
    return predict_target(open_catalogue(kernel, size, 0, device), device, {})
