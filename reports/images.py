"""Figures as image files, where the optional exporter (kaleido) is installed.

Kaleido draws with a Chrome or Chromium of the machine; BROWSER_PATH names one in another place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import plotly.graph_objects as go
import plotly.io

from reports.errors import ReportError
from reports.page import Drawing

FORMATS = ("svg", "png")
WIDTH, HEIGHT = 1000, 420  # the height where a figure has none of its own
SCALE = 2  # pixels of a PNG for each of the page
NEEDED = "--images needs kaleido; install it: pip install 'smreplay[images]'"


def file_stem(number: int, title: str) -> str:
    """``03-lanes-and-banks``: a file name that sorts and says what is in the file."""
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return f"{number:02d}-{words[:60].rstrip('-')}"


def require_exporter() -> None:
    """Ask for the optional exporter.

    Raises:
        ReportError: kaleido is not installed.
    """
    if find_spec("kaleido") is None:
        raise ReportError(NEEDED)


def save_images(drawings: Sequence[Drawing], folder: Path) -> list[Path]:
    """Write every figure as SVG and PNG on white; the paths in order.

    Raises:
        ReportError: kaleido is not installed or cannot draw, or the folder cannot be written.
    """
    require_exporter()
    stems = [file_stem(n, drawing.title) for n, drawing in enumerate(drawings, 1)]
    figures = [on_white(drawing.figure) for drawing in drawings]
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for suffix in FORMATS:
            paths = [folder / f"{stem}.{suffix}" for stem in stems]
            _write_all(figures, paths)
            written += paths
    except OSError as error:
        raise ReportError(f"cannot write images to {folder}: {error}") from None
    except Exception as error:  # what kaleido raises has no base of its own
        raise ReportError(_advice(error)) from None
    return sorted(written)


def on_white(figure: go.Figure) -> go.Figure:
    """The figure as it stands by itself: pages have a background, images need one."""
    copy = go.Figure(figure)
    title = {"pad": {"l": 12}}  # pages show titles as captions, images at their very edge
    return copy.update_layout(paper_bgcolor="#ffffff", font={"color": "#1b1f24"}, title=title)


def writes_together() -> bool:
    """Whether plotly can write many figures with one browser: from 6.1 on."""
    return hasattr(plotly.io, "write_images")


def _write_all(figures: Sequence[go.Figure], paths: Sequence[Path]) -> None:
    """All with one browser where plotly can, else with one each."""
    heights = [figure.layout.height or HEIGHT for figure in figures]
    if writes_together():
        size = {"width": WIDTH, "height": heights, "scale": SCALE}
        plotly.io.write_images(list(figures), list(paths), **size)
        return
    for figure, path, height in zip(figures, paths, heights, strict=True):
        figure.write_image(path, width=WIDTH, height=height, scale=SCALE)


def _advice(error: Exception) -> str:
    if "chrome" in str(error).lower():
        return (
            "kaleido found no Chrome or Chromium to draw with; install one (on Debian: apt-get "
            "install chromium), or set BROWSER_PATH to its program"
        )
    return f"kaleido could not draw the images: {error}"
