"""One launch, predicted beside measured: a row a counter, with a verdict."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from simulator.metrics import Metric, load_metrics
from simulator.results import Counter as Count
from simulator.results import Run, Status, Timing

from .compare import Difference, compare_instructions, compare_outputs, compared_counts
from .deviations import Deviation, Gap, find_deviation
from .metrics import SOURCE_COLUMNS
from .records import Record

PAGE = "page"
TIMES = ("warm_us", "cold_us", "single_us")
# What the model's cold time stands for: ncu's duration, in ns, with flushed caches.
COLD_METRIC = "gpu__time_duration.sum"


class Verdict(str, Enum):
    """What a comparison found."""

    EQUAL = "equal"
    WITHIN = "within"  # a bounded counter inside its bound
    KNOWN = "known deviation"
    WRONG = "wrong"  # an exact counter differs or a bound is broken
    ESTIMATE = "estimate"  # a time, which promises no bound
    NOT_PREDICTED = "not predicted"


@dataclass(frozen=True, slots=True)
class Row:
    """One number of a launch, predicted and measured.

    ``where`` says how it was measured: "cold", "warm" (caches), "page" (sum over ncu's source
    page), "output" (differing buffers) or "time" (median in us). ``low`` and ``high`` bound the
    difference of a bounded counter, ``scale`` is the predicted counter ``of`` that they are shares
    of; ``difference_name`` is a word for that difference.
    """

    counter: str
    metric: str
    where: str
    unit: str
    status: Status
    predicted: float | None
    measured: float
    verdict: Verdict
    low: float | None = None
    high: float | None = None
    scale: float | None = None
    of: str | None = None
    difference_name: str | None = None
    deviation: str | None = None

    @property
    def difference(self) -> float | None:
        """Measured - predicted."""
        return None if self.predicted is None else self.measured - self.predicted


@dataclass(frozen=True, slots=True)
class Launch:
    """All rows of one record; ``wrong_instructions`` are the first counts that differ, in words."""

    kernel: str
    size: dict[str, int]
    device: str
    sampling: str
    instructions_equal: int
    instructions_compared: int
    wrong_instructions: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    @property
    def wrong(self) -> bool:
        """Whether an exact number differs or a bound is broken."""
        return bool(self.wrong_instructions) or any(r.verdict is Verdict.WRONG for r in self.rows)


def compare_launch(run: Run, record: Record, device: str) -> Launch:
    """Everything a record and a replay have in common, and what is only measured.

    Raises:
        RecordError: the record is of other machine code or another launch.
    """
    differences = compare_instructions(run, record) if record.instructions else []
    exact = run.sampling.status is Status.EXACT
    unknown = [d for d in differences if known_difference(run, record, d) is None]
    compared = compared_counts(run, record) if record.instructions else 0
    rows = (
        *_page(run, record, differences),
        *_counters(run, record),
        *_outputs(run, record),
        *_times(run, record),
    )
    return Launch(
        kernel=record.kernel,
        size=dict(record.size),
        device=device,
        sampling=run.sampling.argument,
        instructions_equal=compared - len(differences),
        instructions_compared=compared,
        wrong_instructions=tuple(str(d) for d in unknown if exact),
        rows=rows,
        notes=tuple(record.notes),
    )


def _executed(run: Run) -> Counter[str]:
    """How often each form ran."""
    ran: Counter[str] = Counter()
    for i in run.instructions:
        if i.executed:
            ran[i.opcode] += i.executed
    return ran


def known_difference(run: Run, record: Record, difference: Difference) -> Deviation | None:
    """The deviation that explains a count by instruction that differs, if one is known."""
    size = abs(difference.predicted - difference.measured)
    gap = Gap(difference.counter, size, difference.sass)
    return find_deviation(record.kernel, _executed(run), gap)


def _page(run: Run, record: Record, differences: Sequence[Difference]) -> Iterator[Row]:
    for column in SOURCE_COLUMNS:
        if column.metric not in record.instructions:
            continue
        predicted = sum(getattr(i, column.counter) for i in run.instructions)
        measured = sum(record.instructions[column.metric])
        status = run.sampling.status
        verdict = judge(predicted, measured, status, None)
        unit = run.counters[column.counter].unit if column.counter in run.counters else ""
        row = Row(column.counter, column.metric, PAGE, unit, status, predicted, measured, verdict)
        mine = [
            known_difference(run, record, d) for d in differences if d.counter == column.counter
        ]
        if mine and mine[0] is not None and None not in mine:
            row = replace(row, verdict=Verdict.KNOWN, deviation=mine[0].id)
        yield row


def _counters(run: Run, record: Record) -> Iterator[Row]:
    table = {m.ncu_name(run.architecture): m for m in load_metrics()}
    predicted, forms = run.ncu(), _executed(run)
    for where, metrics in record.metrics.items():
        for name, measured in metrics.items():
            if name == COLD_METRIC and where == "cold" and run.time is not None:
                yield _time(name, measured / 1000.0, run.time.cold)
            elif name not in predicted:
                yield _unmodelled(name, where, measured)
            else:
                row = _counter(run, table[name], predicted[name], where, measured)
                yield _excuse(row, record.kernel, forms)


def _unmodelled(name: str, where: str, measured: float) -> Row:
    unit = "us" if where == "time" else ""
    verdict = Verdict.NOT_PREDICTED
    return Row(name, name, where, unit, Status.UNMODELLED, None, measured, verdict)


def _counter(run: Run, metric: Metric, ours: Count, where: str, measured: float) -> Row:
    limits = _limits(run, metric)
    tolerance = metric.tolerance
    return Row(
        counter=metric.counter,
        metric=metric.ncu_name(run.architecture) or metric.counter,
        where=where,
        unit=metric.unit,
        status=ours.status,
        predicted=ours.value,
        measured=measured,
        verdict=judge(ours.value, measured, ours.status, limits),
        low=limits[0] if limits else None,
        high=limits[1] if limits else None,
        scale=run.counters[tolerance.of].value if tolerance else None,
        of=tolerance.of if tolerance else None,
        difference_name=tolerance.difference if tolerance else None,
    )


def _excuse(row: Row, kernel: str, forms: Mapping[str, int]) -> Row:
    """A row whose difference a known deviation explains says so."""
    if row.verdict is not Verdict.WRONG:
        return row
    known = find_deviation(kernel, forms, Gap(row.counter, abs(row.difference or 0.0)))
    return replace(row, verdict=Verdict.KNOWN, deviation=known.id) if known else row


def _limits(run: Run, metric: Metric) -> tuple[float, float] | None:
    tolerance = metric.tolerance
    if tolerance is None or tolerance.of not in run.counters:
        return None
    if run.sampling.status is not Status.EXACT:  # tolerances are those of exact counts
        return None
    scale = run.counters[tolerance.of].value
    return tolerance.low * scale, tolerance.high * scale


def judge(
    predicted: float, measured: float, status: Status, limits: tuple[float, float] | None
) -> Verdict:
    """The verdict on one number; a bounded one without limits promises nothing."""
    if status is Status.UNMODELLED:
        return Verdict.NOT_PREDICTED
    if predicted == measured:
        return Verdict.EQUAL
    if status is Status.EXACT:
        return Verdict.WRONG
    if limits is None:
        return Verdict.WITHIN
    return Verdict.WITHIN if limits[0] <= measured - predicted <= limits[1] else Verdict.WRONG


def _outputs(run: Run, record: Record) -> Iterator[Row]:
    """Differing buffers: from the reference, and in their bits from a replay of all blocks."""
    checked = [o["matches"] for o in record.outputs if o["matches"] is not None]
    if checked:
        yield _buffers("outputs_reference", "buffers off the reference", checked.count(False))
    if any(o["argument"] in run.outputs for o in record.outputs):
        different = len(compare_outputs(run, record))
        row = _buffers("outputs", "buffers with other bits", different)
        yield _excuse(row, record.kernel, _executed(run))


def _buffers(counter: str, text: str, different: int) -> Row:
    verdict = Verdict.WRONG if different else Verdict.EQUAL
    return Row(counter, text, "output", "buffers", Status.EXACT, 0, different, verdict)


def _times(run: Run, record: Record) -> Iterator[Row]:
    for name in TIMES:
        if record.times.get(name):
            measured = round(statistics.median(record.times[name]), 3)
            if name == "warm_us" and run.time is not None:
                yield _time(name, measured, run.time.warm)
            else:
                yield _unmodelled(name, "time", measured)


def _time(name: str, measured: float, timing: Timing) -> Row:
    """A predicted time beside a measured one, both in microseconds; the bound is its interval."""
    us = timing.microseconds
    return Row(
        name, name, "time", "us", Status.BOUNDED, round(us, 3), round(measured, 3),
        Verdict.ESTIMATE, timing.low_us - us, timing.high_us - us, us, name,
    )  # fmt: skip
