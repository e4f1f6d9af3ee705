"""Predicted beside measured times of all launches, as ``validation.time_accuracy`` wrote them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reports.errors import ReportError
from validation.time_accuracy import LONG_US, PUBLISHED

COLD, WARM = "cold", "warm"


@dataclass(frozen=True, slots=True)
class TimePair:
    """Microseconds of one launch with cold or warm caches."""

    launch: str
    state: str
    predicted: float
    measured: float

    @property
    def kernel(self) -> str:
        """The launch's kernel; its size follows a dash in ``launch``."""
        return self.launch.split("-")[0]

    @property
    def error(self) -> float:
        """(predicted - measured) / measured."""
        return self.predicted / self.measured - 1


@dataclass(frozen=True, slots=True)
class ErrorRange:
    """Errors of one kernel's launches over ``LONG_US`` in one state."""

    kernel: str
    state: str
    mean: float
    low: float
    high: float
    launches: int


def load_time_pairs(path: Path = PUBLISHED) -> tuple[TimePair, ...]:
    """Every launch twice: cold and warm.

    Raises:
        ReportError: the file cannot be read.
    """
    try:
        launches = json.loads(path.read_text(encoding="utf-8"))["launches"]
        return tuple(
            TimePair(name, state, row[f"{state}_predicted"], row[f"{state}_measured"])
            for name, row in launches.items()
            for state in (COLD, WARM)
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ReportError(
            f"{path} holds no times ({error}); write it: "
            "python -m validation.time_accuracy --publish"
        ) from None


def error_ranges(pairs: Sequence[TimePair]) -> tuple[ErrorRange, ...]:
    """One entry a kernel and state that ran longer than ``LONG_US``, by name."""
    groups: dict[tuple[str, str], list[float]] = {}
    for pair in pairs:
        if pair.measured > LONG_US:
            groups.setdefault((pair.kernel, pair.state), []).append(pair.error)
    return tuple(
        ErrorRange(kernel, state, sum(e) / len(e), min(e), max(e), len(e))
        for (kernel, state), e in sorted(groups.items())
    )


def mean_errors(pairs: Sequence[TimePair]) -> list[tuple[str, str, int, float, float]]:
    """Group, state, launches, mean absolute and largest error (shares)."""
    rows = []
    for name, long_only in (("all launches", False), (f"over {LONG_US:g} us", True)):
        for state in (COLD, WARM):
            errors = [
                abs(p.error)
                for p in pairs
                if p.state == state and (not long_only or p.measured > LONG_US)
            ]
            if errors:
                rows.append((name, state, len(errors), sum(errors) / len(errors), max(errors)))
    return rows
