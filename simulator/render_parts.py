"""Pieces the pages are made of: marks of trust, tables of numbers with marks, headings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from simulator.render import number
from simulator.results import Status

MARKS = {Status.EXACT: "=", Status.BOUNDED: "~", Status.UNMODELLED: "?"}
_STYLES = {Status.EXACT: "green", Status.BOUNDED: "yellow", Status.UNMODELLED: "red"}
LEGEND = "  ".join(f"{MARKS[status]} {status.value}" for status in Status)

Cell = str | float | None


def mark(status: Status) -> Text:
    """One character for how far a number can be trusted."""
    return Text(MARKS[status], _STYLES[status])


def legend() -> Text:
    """What the marks mean."""
    return Text(LEGEND, "dim")


def heading(text: str) -> Text:
    """The title of a section."""
    return Text(text, "bold")


def short_number(value: float) -> str:
    """``12.86G``: four digits and a unit, for where the whole number has no room."""
    for power, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= power:
            return f"{value / power:.4g}{unit}"
    return number(value)


# Ways to write a number, the roomiest first.
_WRITINGS: tuple[Callable[[float], str], ...] = (
    number,
    lambda value: number(value, ""),
    short_number,
)


@dataclass(frozen=True)
class MarkedTable:
    """Rows that begin with their mark and a text; then numbers, and texts, to the right.

    Numbers are never cut: as room gets scarce they lose their separators, then all but four digits,
    and the column named ``folded`` takes several lines.
    """

    columns: Sequence[str]
    rows: Sequence[tuple[Status, Sequence[Cell]]]
    folded: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table that fits ``options.max_width``, or else the narrowest."""
        ample = options.update_width(10 * options.max_width)
        for write in _WRITINGS:
            table = self._table(write)
            if Measurement.get(console, ample, table).maximum <= options.max_width:
                break
        yield table

    def _table(self, write: Callable[[float], str]) -> Table:
        table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
        table.add_column("", no_wrap=True)
        for name, justify in zip(self.columns, self._sides(), strict=True):
            may_fold = bool(name) and name == self.folded
            table.add_column(name, justify=justify, no_wrap=not may_fold, overflow="fold")
        for status, cells in self.rows:
            table.add_row(mark(status), *(_cell(cell, write) for cell in cells))
        return table

    def _sides(self) -> Sequence[JustifyMethod]:
        """Texts stand to the left where a whole column is texts."""
        texts = [
            all(isinstance(cells[position], str) for _, cells in self.rows)
            for position in range(len(self.columns))
        ]
        return [
            "left" if text and not name.endswith(("%", "share")) else "right"
            for text, name in zip(texts, self.columns, strict=True)
        ]


def _cell(value: Cell, write: Callable[[float], str]) -> Text:
    """A number, a text as it is, a dash for what is not known."""
    if value is None:
        return Text("-", "dim")
    return Text(value if isinstance(value, str) else write(value))


# From 10,000 on; four digits would not get shorter.
_BIG = re.compile(r"\d{2,3},\d{3}\b(?!,)|\d{1,3}(?:,\d{3}){2,}")


@dataclass(frozen=True)
class Lines:
    """Marks, names and texts, each on one line as far as the page is wide.

    Where a text has no room its big numbers keep four digits.
    """

    rows: Sequence[tuple[Status, str, str]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The rows for ``options.max_width``."""
        room = options.max_width - 4 - max((len(name) for _, name, _ in self.rows), default=0)
        yield marked_facts([(s, name, _shortened(text, room)) for s, name, text in self.rows])


def _shortened(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    return _BIG.sub(lambda found: short_number(float(found[0].replace(",", ""))), text)


def marked_facts(rows: Sequence[tuple[Status, str, str]]) -> Table:
    """Marks, names and texts; texts are folded."""
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for status, name, text in rows:
        table.add_row(mark(status), name, Text(text))
    return table
