"""What shared memory makes of an address pattern, as data and as a table."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from simulator.errors import PatternError
from simulator.pattern import Pattern
from simulator.shared_report import count_ways

OPERATIONS = ("load", "store", "atomic")
_ARTICLES = {"load": "a", "store": "a", "atomic": "an"}
UNITS = ("bytes", "elements")


@dataclass(frozen=True, slots=True)
class PatternCount:
    """The counts of one warp request whose offsets are the pattern read in one unit.

    ``problem`` says why a GPU would refuse the access; the counts are then 0. ``wavefronts`` and
    ``conflicts`` are those of the hardware counters, ``page_wavefronts`` and ``ideal`` those of
    ncu's source page.
    """

    unit: str
    wavefronts: int = 0
    conflicts: int = 0
    page_wavefronts: int = 0
    ideal: int = 0
    reading: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class PatternReport:
    """A pattern and its counts, one a unit."""

    text: str
    width_bytes: int
    operation: str
    lane_mask: int
    counts: tuple[PatternCount, ...]


def count_pattern(
    pattern: Pattern,
    width_bytes: int,
    operation: str = "load",
    lane_mask: int = 0xFFFFFFFF,
    unit: str | None = None,
) -> PatternReport:
    """Count one shared-memory request of a warp.

    Without a ``unit`` the expression is read both ways, as byte offsets and as an array index
    (``elements`` of ``width_bytes``), since either is what people write.

    Raises:
        PatternError: an unknown operation or unit, or no reading that a GPU would accept.
    """
    if operation not in OPERATIONS:
        raise PatternError(f"unknown operation {operation!r}; use {', '.join(OPERATIONS)}")
    if operation == "atomic" and width_bytes not in (4, 8):
        raise PatternError(f"shared atomics are 4 or 8 bytes wide, not {width_bytes}")
    if unit is None:
        counts = _count_both(pattern, width_bytes, operation, lane_mask)
    else:
        counts = [_count(pattern, width_bytes, operation, lane_mask, unit)]
    return PatternReport(pattern.text, width_bytes, operation, lane_mask, tuple(counts))


def _count_both(
    pattern: Pattern, width_bytes: int, operation: str, lane_mask: int
) -> list[PatternCount]:
    counts: list[PatternCount] = []
    errors: list[PatternError] = []
    for unit in UNITS:
        try:
            counts.append(_count(pattern, width_bytes, operation, lane_mask, unit))
        except PatternError as error:
            errors.append(error)
            counts.append(PatternCount(unit, problem=_reason(error)))
    if len(errors) == len(UNITS):
        raise errors[0]
    return counts


def _reason(error: PatternError) -> str:
    """What is wrong, without the text, the carets and the advice to choose a unit."""
    return str(error).splitlines()[0].removeprefix("address pattern: ").split(";")[0]


def _count(
    pattern: Pattern, width_bytes: int, operation: str, lane_mask: int, unit: str
) -> PatternCount:
    offsets = pattern.offsets(width_bytes, unit, lane_mask)
    from simulator.memory import count_shared  # slow to import: only for a pattern that is right
    from simulator.memory.explain import explain

    counts = count_shared(offsets, width_bytes=width_bytes, op=operation, lane_mask=lane_mask)
    return PatternCount(
        unit=unit,
        wavefronts=counts.wavefronts,
        conflicts=counts.bank_conflicts,
        page_wavefronts=counts.page_wavefronts,
        ideal=counts.wavefronts_ideal,
        reading=explain(offsets, lane_mask, width_bytes, operation),
    )


def render_pattern(report: PatternReport) -> RenderableType:
    """The counts as a table, each followed by its reading in words."""
    title = Text.assemble(
        (report.text, "bold cyan"),
        f": {_ARTICLES[report.operation]} {report.operation} of {report.width_bytes} bytes a lane, "
        f"{report.lane_mask.bit_count()} active lanes",
    )
    table = Table(box=None, padding=(0, 1), pad_edge=False, header_style="bold")
    table.add_column("read as")
    for name in ("wavefronts", "conflicts", "n-way", "page wavefronts", "ideal"):
        table.add_column(name, justify="right")
    for count in report.counts:
        if not count.problem:
            table.add_row(*_cells(count))
    notes = [_note(count) for count in report.counts]
    return Group(title, Text(), table, Text(), *notes)


def _cells(count: PatternCount) -> tuple[str, ...]:
    ways = count_ways(count.wavefronts, count.conflicts)
    numbers = (count.wavefronts, count.conflicts, ways, count.page_wavefronts, count.ideal)
    return (count.unit, *(f"{number:g}" for number in numbers))


def _note(count: PatternCount) -> Text:
    if count.problem:
        return Text.assemble((f"{count.unit}: ", "bold"), (count.problem, "red"))
    return Text.assemble((f"{count.unit}: ", "bold"), count.reading)
