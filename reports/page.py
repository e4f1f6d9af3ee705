"""One HTML file with figures, tables and texts: plotly.js stands in it once, nothing is fetched.

The content security policy forbids every request, so a page that works, works offline.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from reports.errors import ReportError

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:"
)


@dataclass(frozen=True)
class Drawing:
    """A figure on a page; ``note`` is one sentence below its title, as plain text."""

    figure: go.Figure
    note: str = ""

    @property
    def title(self) -> str:
        """The figure's own title, which the page shows as a caption that can wrap."""
        return str(self.figure.layout.title.text)


@dataclass(frozen=True)
class Markup:
    """A piece of HTML whose texts are escaped already; :mod:`reports.markup` makes them."""

    html: str


@dataclass(frozen=True)
class Row:
    """Drawings side by side where the window is wide enough."""

    drawings: tuple[Drawing, ...]


Piece = Drawing | Markup | Row


@dataclass(frozen=True)
class Section:
    """A heading with what stands below it."""

    heading: str
    pieces: Sequence[Piece]


@dataclass(frozen=True)
class Page:
    """A whole page; ``lead`` is plain text under the title, ``sections`` make its menu."""

    title: str
    lead: str
    sections: Sequence[Section]
    footer: str = ""

    def drawings(self) -> list[Drawing]:
        """All figures in the order in which they stand."""
        return [drawing for section in self.sections for drawing in _drawings_of(section)]


def _drawings_of(section: Section) -> list[Drawing]:
    found: list[Drawing] = []
    for piece in section.pieces:
        if isinstance(piece, Drawing):
            found.append(piece)
        elif isinstance(piece, Row):
            found.extend(piece.drawings)
    return found


def render_page(page: Page) -> str:
    """The page as one HTML document."""
    plotly = f"<script>{get_plotlyjs()}</script>\n" if page.drawings() else ""
    names = {id(drawing): f"figure-{n}" for n, drawing in enumerate(page.drawings(), 1)}
    sections = "".join(_section(n, section, names) for n, section in enumerate(page.sections, 1))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{escape(page.title)}</title>\n<style>\n{_asset('page.css')}</style>\n</head>\n"
        '<body>\n<a class="skip" href="#content">Skip to the content</a>\n'
        f'<header><div><h1>{escape(page.title)}</h1><div class="lead">{escape(page.lead)}</div>'
        '</div><button id="theme" type="button">Dark</button></header>\n'
        f"{_menu(page.sections)}\n"
        f'<main id="content">\n{sections}</main>\n<footer>{escape(page.footer)}</footer>\n'
        f'<script type="application/json" id="figures">{_figures(page, names)}</script>\n'
        f"{plotly}<script>\n{_asset('page.js')}</script>\n"
        "</body>\n</html>\n"
    )


def write_page(page: Page, path: Path) -> None:
    """Write a page to a file.

    Raises:
        ReportError: it cannot be written.
    """
    try:
        path.write_text(render_page(page), encoding="utf-8")
    except OSError as error:
        raise ReportError(f"cannot write {path}: {error.strerror}; choose another --out") from None


def _asset(name: str) -> str:
    return (files("reports") / "assets" / name).read_text(encoding="utf-8")


def _menu(sections: Sequence[Section]) -> str:
    if len(sections) < 2:
        return ""
    items = "".join(
        f'<li><a href="#section-{n}">{escape(section.heading)}</a></li>'
        for n, section in enumerate(sections, 1)
    )
    return f'<nav aria-label="Sections"><ul>{items}</ul></nav>'


def _section(number: int, section: Section, names: dict[int, str]) -> str:
    pieces = "\n".join(_piece(piece, names) for piece in section.pieces)
    heading = f"<h2>{escape(section.heading)}</h2>"
    return f'<section id="section-{number}">{heading}\n{pieces}\n</section>\n'


def _piece(piece: Piece, names: dict[int, str]) -> str:
    if isinstance(piece, Markup):
        return piece.html
    if isinstance(piece, Row):
        inner = "".join(_drawing(drawing, names) for drawing in piece.drawings)
        return f'<div class="pair">{inner}</div>'
    return _drawing(piece, names)


def _drawing(drawing: Drawing, names: dict[int, str]) -> str:
    name = names[id(drawing)]
    note = f"<small>{escape(drawing.note)}</small>" if drawing.note else ""
    title = escape(drawing.title)
    height = drawing.figure.layout.height or 420
    return (
        f'<figure><figcaption>{title}{note}</figcaption><div class="plot" id="{name}" role="img" '
        f'aria-label="{title}" data-name="{name}" style="min-height:{height - 40}px"></div>'
        "</figure>"
    )


def _figures(page: Page, names: dict[int, str]) -> str:
    """All figures as JSON by name; their titles stand in the captions."""
    content = {}
    for drawing in page.drawings():
        figure = json.loads(drawing.figure.to_json())
        layout = figure["layout"]
        layout.pop("title", None)
        layout.pop("template", None)
        layout["height"] = (layout.get("height") or 420) - 40
        layout["margin"] = {**layout.get("margin", {}), "t": 34}
        content[names[id(drawing)]] = {"data": figure["data"], "layout": layout}
    return json.dumps(content, separators=(",", ":")).replace("<", "\\u003c")
