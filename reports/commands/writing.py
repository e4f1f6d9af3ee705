"""What every report ends with: the page goes to its file, its figures to images if asked for."""

from __future__ import annotations

from pathlib import Path

from reports.errors import ReportError
from reports.images import require_exporter, save_images
from reports.page import Page, write_page
from simulator.pages import show_note


def check_place(out: Path, images: Path | None = None) -> None:
    """Find out before anything is replayed whether what comes of it can be written.

    Raises:
        ReportError: there is no such folder, or images are wanted and cannot be drawn.
    """
    if out.is_dir():
        raise ReportError(f"cannot write {out}: it is a folder; choose another --out")
    if not out.absolute().parent.is_dir():
        raise ReportError(f"cannot write {out}: there is no such folder; choose another --out")
    if images is not None:
        require_exporter()


def finish(page: Page, out: Path, images: Path | None = None) -> None:
    """Write a page, and its figures as images where a folder is given.

    Raises:
        ReportError: something cannot be written.
    """
    write_page(page, out)
    show_note(f"written to {out}")
    if images is not None:
        written = save_images(page.drawings(), images)
        show_note(f"{len(written)} images written to {images}")
