"""Predicted time of a run, where it has one: the only place of the reports that looks for it.

A run made without a model of time has no field ``time``; everything that needs one then says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.results import Run


def _warm(run: Run) -> Any:
    time = getattr(run, "time", None)
    return None if time is None else getattr(time, "warm", None)


def predicted_us(run: Run) -> float | None:
    """Microseconds of a launch with warm caches; None where time is unmodelled."""
    found = getattr(_warm(run), "microseconds", None)
    return None if found is None else float(found)


def predicted_stalls(run: Run) -> Mapping[str, float]:
    """Stall reasons by ncu's names; empty where time is unmodelled."""
    found = getattr(_warm(run), "stalls", None)
    return dict(found) if isinstance(found, Mapping) else {}
