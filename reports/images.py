"""Figures as image files, where the optional exporter (kaleido) is installed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from reports.errors import ReportError
from reports.page import Drawing

FORMATS = ("svg", "png")
WIDTH = 1000


def file_stem(number: int, title: str) -> str:
    """``03-lanes-and-banks``: a file name that sorts and says what is in the file."""
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return f"{number:02d}-{words[:60].rstrip('-')}"


def save_images(drawings: Sequence[Drawing], folder: Path) -> list[Path]:
    """Write every figure as SVG and PNG; the paths in order.

    Raises:
        ReportError: kaleido is not installed or cannot draw, or the folder cannot be written.
    """
    if find_spec("kaleido") is None:
        raise ReportError("--images needs kaleido; install it: pip install kaleido")
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number, drawing in enumerate(drawings, 1):
            for suffix in FORMATS:
                path = folder / f"{file_stem(number, drawing.title)}.{suffix}"
                drawing.figure.write_image(path, width=WIDTH)
                written.append(path)
    except (OSError, ValueError, RuntimeError) as error:
        raise ReportError(f"cannot write images to {folder}: {error}") from None
    return written
