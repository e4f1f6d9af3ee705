"""What every report ends with: the page goes to its file, its figures to images if asked for."""

from __future__ import annotations

from pathlib import Path

from reports.images import save_images
from reports.page import Page, write_page
from simulator.pages import show_note


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
