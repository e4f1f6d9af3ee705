"""``python -m reports diff``: two saved runs side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reports.commands.writing import check_place, finish
from reports.opening import ImagesOption, OutOption
from reports.pages.diff import diff_page
from simulator.storage import load_run

HELP = "Two saved runs side by side: a kernel before and after a change, two devices."


def diff(
    before: Annotated[Path, typer.Argument(help="The run to compare with.")],
    after: Annotated[Path, typer.Argument(help="The run to look at.")],
    out: OutOption = Path("diff.html"),
    images: ImagesOption = None,
) -> None:
    """Write the page on two runs."""
    check_place(out, images)
    finish(diff_page(load_run(before), load_run(after)), out, images)
