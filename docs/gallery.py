"""Draws README's images anew: ``python docs/gallery.py``, or with the names of some of them.

Each is a screenshot of one section of a page in headless Chromium.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from reports.claims import Evidence, ask_all
from reports.commands.comparison_report import compare_now, predict_climbs
from reports.data.ladder import find_climbs, ladder_steps
from reports.page import Page, Section, write_page
from reports.pages.accuracy import accuracy_page
from reports.pages.claims import claims_page
from reports.pages.diff import diff_page
from reports.pages.heatmap import heatmap_page
from reports.pages.kernel import kernel_page
from simulator.launching import open_catalogue, replay_target
from simulator.results import Run

IMAGES = Path(__file__).parent / "images"
WIDTH = 1120
DEVICE = "rtx4090"
PRODUCTS = [
    "naive_gemm",
    "tiled_gemm",
    "coarse_gemm",
    "register_tiled_gemm",
    "vectorized_gemm",
    "double_buffer_gemm",
    "register_tiling_gemm",
    "register_tiling_padded",
    "register_tiling_cured",
]


def run_of(kernel: str, timeline: int = 0) -> Run:
    """A kernel of the catalogue at its default size, with time where a timeline is wanted."""
    target = open_catalogue(kernel, None, 0, DEVICE)
    return replay_target(target, DEVICE, "auto", time=bool(timeline), timeline=timeline)


def only(page: Page, heading: str, pieces: slice) -> Page:
    """The page with some pieces of one section."""
    section = next(section for section in page.sections if section.heading == heading)
    return replace(page, sections=[Section(heading, section.pieces[pieces])], footer="")


def register_tiling() -> Page:
    """Which lane touches which bank."""
    return only(heatmap_page(run_of("register_tiling")), "Lanes and banks", slice(0, 2))


def transpose() -> Page:
    """Before and after padding."""
    page = diff_page(run_of("transpose_tiled"), run_of("transpose_padded"))
    return only(page, "Shared memory", slice(None))


def claims() -> Page:
    """The verdicts."""
    return only(claims_page(ask_all(Evidence())), "Summary", slice(None))


def timeline() -> Page:
    """One SM for 600 cycles."""
    return only(kernel_page(run_of("tiled_gemm", 600)), "Time", slice(-1, None))


def ladder() -> Page:
    """Published, measured and predicted."""
    content = compare_now(None, PRODUCTS)
    climbs = find_climbs(content)
    page = accuracy_page(content, ladder_steps(climbs, predict_climbs(climbs)))
    return only(page, "Matrix products", slice(0, 1))


# What is drawn, and how many pixels high.
GALLERY: dict[Callable[[], Page], int] = {
    register_tiling: 1050,
    transpose: 1250,
    claims: 992,
    timeline: 770,
    ladder: 816,
}


def shoot(page: Page, height: int, image: Path) -> None:
    """A page's upper part as a PNG."""
    with tempfile.TemporaryDirectory() as folder:
        html = Path(folder) / "page.html"
        write_page(page, html)
        switches = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
        size = f"--window-size={WIDTH},{height}"
        words = (*switches, size, "--virtual-time-budget=30000", f"--screenshot={image}")
        subprocess.run(["chromium", *words, html.as_uri()], check=True, capture_output=True)


def main(names: Iterable[str]) -> None:
    """Draw the images of these names, or all."""
    wanted = set(names)
    for draw, height in GALLERY.items():
        if not wanted or draw.__name__ in wanted:
            shoot(draw(), height, IMAGES / f"{draw.__name__}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
