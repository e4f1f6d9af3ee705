"""Over all launches: which counters are equal, and how far off the bounded ones are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from simulator.results import Status

from .published import Published
from .rows import PAGE, Launch, Row, Verdict

JSON_SCHEMA = 1


@dataclass(frozen=True, slots=True)
class CounterSummary:
    """One counter over all launches; cold and warm measurements count one each.

    ``least`` and ``most`` are the extremes of (measured - predicted) / scale (infinite where the
    scale is 0), ``low`` and ``high``
    the bound on that, None for exact counters; ``of`` names the scale where it is another counter.
    ``deviations`` are numbers of known deviations.
    """

    counter: str
    metric: str
    page: bool
    status: Status
    compared: int
    nonzero: int
    equal: int
    known: int
    wrong: int
    least: float
    most: float
    low: float | None
    high: float | None
    of: str | None
    deviations: tuple[str, ...]

    @property
    def unscaled(self) -> bool:
        """Whether there is nothing to take the differences as a share of (buffers that differ)."""
        return not all(math.isfinite(share) for share in (self.least, self.most))


def summarise(launches: Iterable[Launch]) -> list[CounterSummary]:
    """One summary a predicted counter: the source page, then exact, then bounded counters."""
    groups: dict[tuple[str, bool], list[Row]] = {}
    for launch in launches:
        for row in launch.rows:
            if row.verdict not in (Verdict.NOT_PREDICTED, Verdict.ESTIMATE):
                groups.setdefault((row.counter, row.where == PAGE), []).append(row)
    items = [_summarise(rows) for rows in groups.values()]
    return sorted(items, key=lambda item: (not item.page, list(Status).index(item.status)))


def _summarise(rows: Sequence[Row]) -> CounterSummary:
    first = rows[0]
    shares = [_share(row) for row in rows]
    scaled = [row for row in rows if row.scale and row.low is not None and row.high is not None]
    bounds = [(row.low / row.scale, row.high / row.scale) for row in scaled]  # type: ignore[operator]
    return CounterSummary(
        counter=first.counter,
        metric=first.metric,
        page=first.where == PAGE,
        status=first.status,
        compared=len(rows),
        nonzero=sum(bool(row.predicted or row.measured) for row in rows),
        equal=sum(row.verdict is Verdict.EQUAL for row in rows),
        known=sum(row.verdict is Verdict.KNOWN for row in rows),
        wrong=sum(row.verdict is Verdict.WRONG for row in rows),
        least=min(shares),
        most=max(shares),
        low=bounds[0][0] if bounds else None,
        high=bounds[0][1] if bounds else None,
        of=first.of if first.of != first.counter else None,
        deviations=tuple(sorted({row.deviation for row in rows if row.deviation})),
    )


def _share(row: Row) -> float:
    scale = row.scale if row.scale else row.predicted
    difference = row.difference
    if not difference:
        return 0.0
    return difference / scale if scale else float("inf") if difference > 0 else float("-inf")


def unpredicted(launches: Iterable[Launch]) -> list[str]:
    """Metrics that the records hold and no replay predicts, sorted."""
    rows = (row for launch in launches for row in launch.rows)
    return sorted({row.metric for row in rows if row.verdict is Verdict.NOT_PREDICTED})


def to_json(
    launches: Sequence[Launch],
    refused: Mapping[str, str],
    uncounted: Mapping[str, Sequence[str]],
    published: Mapping[str, Published],
) -> dict[str, Any]:
    """Everything a comparison found, for reports: plain JSON values.

    ``refused`` maps a record to why it could not be compared, ``uncounted`` a record without
    counters to its notes, ``published`` a device to its published times.
    """
    return {
        "format": "smreplay comparison",
        "schema": JSON_SCHEMA,
        "launches": [_launch(launch) for launch in launches],
        "summary": [asdict(item) for item in summarise(launches)],
        "unpredicted": unpredicted(launches),
        "refused": dict(refused),
        "uncounted": {name: list(notes) for name, notes in uncounted.items()},
        "published": {device: asdict(item) for device, item in published.items()},
    }


def _launch(launch: Launch) -> dict[str, Any]:
    content = asdict(launch)
    for row, source in zip(content["rows"], launch.rows, strict=True):
        row["difference"] = source.difference
    return content
