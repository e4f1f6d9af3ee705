"""Predicted time of a run, where it has one: the only place of the reports that looks for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from simulator.results import Run


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


def predicted_ratio(first: Run, second: Run) -> Ratio | None:
    """The second launch's time in units of the first's; None where a time is unmodelled."""
    if first.time is None or second.time is None:
        return None
    one, other = first.time.warm, second.time.warm
    apart = one.high_us < other.low_us or other.high_us < one.low_us
    return Ratio(other.microseconds / one.microseconds, apart)
