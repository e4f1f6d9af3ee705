"""The page that sets predicted beside measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reports.data.agreement import Comparison, counter_rows
from reports.data.ladder import PREDICTED, Step
from reports.data.launch_times import TimePair, error_ranges, mean_errors
from reports.figures.accuracy import agreement, counter_figures
from reports.figures.ladder import ladder_figures
from reports.figures.launch_times import draw_errors, draw_times
from reports.markup import Cell, facts, note, table
from reports.page import Drawing, Markup, Page, Piece, Row, Section
from validation.time_accuracy import LONG_US

_VERDICTS = (
    "What is zero stands at 0.5. Within: not equal, but inside the bounds of a counter that is "
    "only bounded; on the hardware those of shared memory also hold waiting for other traffic."
)


def accuracy_page(
    comparison: Comparison, ladder: Sequence[Step] = (), times: Sequence[TimePair] = ()
) -> Page:
    """Agreement of all counters, of times, of each counter, what is not predicted, the ladder."""
    sections = [Section("Summary", [*_summary(comparison)])]
    if comparison["launches"]:
        sections.append(Section("All counters", [Drawing(agreement(comparison), _VERDICTS)]))
    sections.append(Section("Matrix products", [*_ladder(ladder)]))
    if times:
        sections.append(Section("Times", [*_times(times)]))
    sections.append(Section("Table of counters", [_table(comparison)]))
    sections.append(Section("Counter by counter", [*_counters(comparison)]))
    return Page(
        "Predicted against measured",
        "Every launch that was measured on a GPU, beside the replay of the same machine code.",
        tuple(sections),
        "Predicted by smreplay without a GPU; measured with Nsight Compute.",
    )


def _summary(comparison: Comparison) -> Iterator[Piece]:
    launches = comparison["launches"]
    equal = sum(launch["instructions_equal"] for launch in launches)
    compared = sum(launch["instructions_compared"] for launch in launches)
    yield facts(
        [
            ("launches", len(launches)),
            ("kernels", len({launch["kernel"] for launch in launches})),
            ("counts by instruction compared", compared),
            ("of these equal", equal),
            ("metrics not predicted", len(comparison["unpredicted"])),
        ]
    )
    refused = [(name, why) for name, why in comparison["refused"].items()]
    if refused:
        yield table("Records that could not be compared", ("record", "why"), refused)


def _table(comparison: Comparison) -> Markup:
    head = ("counter", "status", "compared", "equal", "known", "wrong", "measured - predicted")
    return table("All predicted counters", head, counter_rows(comparison))


def _ladder(steps: Sequence[Step]) -> Iterator[Piece]:
    if not steps:
        yield note("This comparison holds no time of a matrix product.")
        return
    yield Row(
        tuple(Drawing(figure, _ladder_note(steps)) for figure in ladder_figures(steps).values())
    )
    yield _ladder_table(steps)


def _ladder_note(steps: Sequence[Step]) -> str:
    if any(step.source == PREDICTED for step in steps):
        return (
            "Back-to-back launches with warm caches. Thin lines: the range of the times taken, or "
            "the interval of the prediction; dashed: the library."
        )
    return "Launches with warm caches. Times were not predicted for this page."


def _ladder_table(steps: Sequence[Step]) -> Markup:
    """One row a version and GPU; the difference is that of the times behind the rates."""
    predicted = {(s.kernel, s.gpu): s for s in steps if s.source == PREDICTED}
    rows: list[tuple[Cell, ...]] = []
    for step in steps:
        if step.source != PREDICTED:
            other = predicted.get((step.kernel, step.gpu))
            error = f"{step.tflops / other.tflops - 1:+.1%}" if other else "-"
            rate = round(other.tflops, 2) if other else None
            known = (step.source, round(step.tflops, 2))
            rows.append((step.kernel, step.edge, step.gpu, *known, rate, error))
    head = ("version", "edge", "GPU", "", "TFLOPS", "predicted", "time predicted - known")
    return table("TFLOPS by version, warm caches", head, rows)


def _times(pairs: Sequence[TimePair]) -> Iterator[Piece]:
    yield Drawing(
        draw_times(pairs),
        "Launches of the catalogue on an NVIDIA H200. Predicted when validation/time_accuracy.json "
        "was last written: python -m validation.time_accuracy --publish.",
    )
    yield Drawing(draw_errors(error_ranges(pairs), f"{LONG_US:g} us"))
    rows = [
        (name, state, count, f"{mean:.1%}", f"{worst:.0%}")
        for name, state, count, mean, worst in mean_errors(pairs)
    ]
    head = ("", "caches", "launches", "mean error", "worst")
    yield table("Errors of predicted times", head, rows)


def _counters(comparison: Comparison) -> Iterator[Piece]:
    figures = list(counter_figures(comparison).values())
    for first in range(0, len(figures), 2):
        yield Row(tuple(Drawing(figure) for figure in figures[first : first + 2]))
