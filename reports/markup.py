"""Pieces of HTML: facts, tables, notes. Everything that comes from outside is escaped here."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from reports.page import Markup

Cell = str | int | float | None


def number(value: Cell) -> str:
    """A number with separators, a dash for what is not known, text as it is."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"


def note(text: str) -> Markup:
    """A paragraph of plain text."""
    return Markup(f'<p class="note">{escape(text)}</p>')


def facts(items: Sequence[tuple[str, Cell]]) -> Markup:
    """Names with one value each, as small tiles."""
    tiles = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(number(value))}</dd></div>"
        for name, value in items
    )
    return Markup(f'<dl class="facts">{tiles}</dl>')


def fold(summary: str, content: Markup) -> Markup:
    """What stands behind a line until that is opened."""
    return Markup(f"<details><summary>{escape(summary)}</summary>{content.html}</details>")


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Markup:
    """A table whose number columns stand to the right; code columns begin with a back quote."""
    heads = "".join(f"<th{_side(rows, n)} scope=col>{escape(h)}</th>" for n, h in enumerate(head))
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return Markup(
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption><span>{escape(caption)}</span></caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{lines}</tbody></table></div>"
    )


def _side(rows: Sequence[Sequence[Cell]], column: int) -> str:
    texts = all(isinstance(row[column], str) for row in rows)
    return "" if texts else ' class="number"'


def _cell(value: Cell) -> str:
    if isinstance(value, str):
        if value.startswith("`"):
            return f"<td><code>{escape(value.strip('`'))}</code></td>"
        return f"<td>{escape(value)}</td>"
    return f'<td class="number">{escape(number(value))}</td>'
