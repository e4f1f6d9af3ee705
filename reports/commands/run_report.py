"""``python -m reports heatmap`` and ``kernel``: reports on one run."""

from __future__ import annotations

from pathlib import Path

from reports.commands.writing import check_place, finish
from reports.opening import (
    CachesOption,
    ImagesOption,
    OutOption,
    RunArgument,
    SaveOption,
    TimelineOption,
    TimeOption,
    Wanted,
    open_run,
)
from reports.pages.heatmap import heatmap_page
from reports.pages.kernel import kernel_page
from simulator.choosing import (
    BlocksOption,
    Choice,
    on_kernel,
)  # fmt: skip

HEATMAP_HELP = "Bank conflicts of a run: lanes and banks, pressure, source lines with SASS."
KERNEL_HELP = "The whole picture of a run: roofline, memory, instructions, occupancy, findings."


@on_kernel
def heatmap(
    choice: Choice,
    run: RunArgument = None,
    blocks: BlocksOption = "auto",
    out: OutOption = Path("heatmap.html"),
    json: SaveOption = None,
    images: ImagesOption = None,
) -> None:
    """Write the page on bank conflicts."""
    check_place(out, images)
    opened = open_run(run, choice, blocks, Wanted(bank_pressure=True), json)
    finish(heatmap_page(opened), out, images)


@on_kernel
def kernel(
    choice: Choice,
    run: RunArgument = None,
    blocks: BlocksOption = "auto",
    caches: CachesOption = True,
    time: TimeOption = False,
    timeline: TimelineOption = 600,
    out: OutOption = Path("kernel.html"),
    json: SaveOption = None,
    images: ImagesOption = None,
) -> None:
    """Write the page on the whole run."""
    check_place(out, images)
    opened = open_run(run, choice, blocks, Wanted(caches, time, timeline_cycles=timeline), json)
    finish(kernel_page(opened), out, images)
