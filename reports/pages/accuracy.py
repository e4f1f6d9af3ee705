"""The page that sets predicted beside measured."""

from __future__ import annotations

from collections.abc import Iterator

from reports.data.agreement import Comparison, counter_rows
from reports.data.ladder import Step, ladder_steps
from reports.figures.accuracy import agreement, counter_figures, draw_ladder
from reports.markup import facts, note, table
from reports.page import Drawing, Markup, Page, Piece, Row, Section


def accuracy_page(comparison: Comparison) -> Page:
    """Agreement of all counters, of each counter, what is not predicted, and the ladder."""
    sections = [Section("Summary", [*_summary(comparison)])]
    if comparison["launches"]:
        sections.append(Section("All counters", [Drawing(agreement(comparison))]))
    sections.append(Section("Matrix products", [*_ladder(comparison)]))
    sections.append(Section("Counter by counter", [*_counters(comparison)]))
    sections.append(Section("Table", [_table(comparison)]))
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


def _ladder(comparison: Comparison) -> Iterator[Piece]:
    steps = ladder_steps(comparison)
    if not steps:
        yield note("This comparison holds no time of a matrix product.")
        return
    yield Drawing(draw_ladder(steps), _ladder_note(steps))
    yield _ladder_table(steps)


def _ladder_note(steps: tuple[Step, ...]) -> str:
    if any(step.source.startswith("predicted") for step in steps):
        return "Launches with warm caches."
    return "Launches with warm caches. Times are not predicted in this comparison."


def _ladder_table(steps: tuple[Step, ...]) -> Markup:
    rows = [(step.kernel, step.edge, step.source, round(step.tflops, 2)) for step in steps]
    return table("TFLOPS by version", ("version", "edge", "source", "TFLOPS"), rows)


def _counters(comparison: Comparison) -> Iterator[Piece]:
    figures = list(counter_figures(comparison).values())
    for first in range(0, len(figures), 2):
        yield Row(tuple(Drawing(figure) for figure in figures[first : first + 2]))
