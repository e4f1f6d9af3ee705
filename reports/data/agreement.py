"""Predicted beside measured, from what ``python -m validation compare --json`` writes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from reports.errors import ReportError

FORMAT = "smreplay comparison"
SCHEMA = 1
Comparison = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Point:
    """One number of one launch, predicted and measured; ``where`` says how it was measured.

    ``low`` and ``high`` are the bounds on what may be measured; None for exact counters.
    """

    counter: str
    kernel: str
    size: str
    where: str
    predicted: float
    measured: float
    verdict: str
    low: float | None
    high: float | None
    unit: str = ""


def load_comparison(path: Path) -> dict[str, Any]:
    """Read a saved comparison.

    Raises:
        ReportError: there is no such file, or it is no comparison of this schema.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ReportError(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        content = None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ReportError(
            f"{path} is no comparison; write one: python -m validation compare --json"
        )
    if content.get("schema") != SCHEMA:
        raise ReportError(f"{path} has another schema than {SCHEMA}; write it again")
    return content


def agreement_points(comparison: Comparison) -> tuple[Point, ...]:
    """Every number that is both predicted and measured; differing buffers are left out."""
    return tuple(
        point for launch in comparison["launches"] for point in _points(launch) if _is_count(point)
    )


def _is_count(point: Point) -> bool:
    return point.where != "output"


def _points(launch: Mapping[str, Any]) -> Iterator[Point]:
    size = ", ".join(f"{name}={value}" for name, value in launch["size"].items())
    for row in launch["rows"]:
        predicted = row["predicted"]
        if predicted is None:
            continue
        low, high = (None if b is None else predicted + b for b in (row["low"], row["high"]))
        numbers = (predicted, row["measured"], row["verdict"], low, high)
        yield Point(row["counter"], launch["kernel"], size, row["where"], *numbers, row["unit"])


def by_counter(points: Sequence[Point]) -> dict[str, list[Point]]:
    """Points of each counter that is ever other than zero, in the order of first appearance."""
    groups: dict[str, list[Point]] = {}
    for point in points:
        groups.setdefault(point.counter, []).append(point)
    return {name: group for name, group in groups.items() if any(p.measured for p in group)}


def counter_rows(comparison: Comparison) -> list[tuple[str, str, int, int, int, int, str]]:
    """Counter, status, compared, equal, known deviations, wrong, range of the difference."""
    rows = []
    for item in comparison["summary"]:
        spread = f"{item['least']:+.2%} to {item['most']:+.2%}"
        if item["least"] == item["most"] == 0:
            spread = "0"
        if not (isfinite(item["least"]) and isfinite(item["most"])):
            spread = "-"  # nothing was predicted that a difference could be a share of
        name = item["counter"] + (" (source page)" if item["page"] else "")
        counts = (item["compared"], item["equal"], item["known"], item["wrong"])
        rows.append((name, item["status"], *counts, spread))
    return rows
