"""Shared memory by source line: wavefronts against ideal, beside the text and its SASS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from simulator.results import InstructionRecord, Run
from simulator.shared_report import SharedTotals, source_text, sum_shared


@dataclass(frozen=True)
class LineRow:
    """One source line with its machine instructions and their shared-memory counts.

    ``number`` is None for instructions that belong to no line.
    """

    file: str | None
    number: int | None
    text: str
    records: tuple[InstructionRecord, ...]
    totals: SharedTotals

    @property
    def executed(self) -> int:
        """Warp instructions executed on this line."""
        return sum(record.executed for record in self.records)

    @property
    def label(self) -> str:
        """``file.cu:55``, short enough for an axis."""
        if self.number is None:
            return "no line"
        return f"{PurePath(self.file or '?').name}:{self.number}"


def short_labels(rows: Sequence[LineRow]) -> list[str]:
    """``line 55`` where all rows are of one file, else with the file's name."""
    if len({row.file for row in rows}) > 1:
        return [row.label for row in rows]
    return [row.label if row.number is None else f"line {row.number}" for row in rows]


def line_rows(run: Run) -> tuple[LineRow, ...]:
    """Lines that have instructions, by file and number."""
    groups: dict[tuple[str | None, int | None], list[InstructionRecord]] = {}
    for record in run.instructions:
        groups.setdefault((record.source_file, record.source_line), []).append(record)
    rows = [
        LineRow(file, line, source_text(run, file, line), tuple(records), sum_shared(records))
        for (file, line), records in groups.items()
    ]
    return tuple(sorted(rows, key=lambda row: (row.file or "", row.number or 0)))


def shared_lines(run: Run) -> tuple[LineRow, ...]:
    """Lines that made shared requests."""
    return tuple(row for row in line_rows(run) if row.totals.requests)


@dataclass(frozen=True)
class SourceLine:
    """One line of a file as it is shown: its text whole, and what runs for it."""

    number: int
    text: str
    row: LineRow | None


def source_lines(run: Run, file: str) -> tuple[SourceLine, ...]:
    """All lines of one source text of the run, with the instructions of each."""
    rows = {row.number: row for row in line_rows(run) if row.file == file}
    lines = run.source_text.get(file, "").splitlines()
    return tuple(SourceLine(n, text, rows.get(n)) for n, text in enumerate(lines, 1))
