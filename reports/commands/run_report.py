"""``python -m reports heatmap`` and ``kernel``: reports on one run."""

from __future__ import annotations

from pathlib import Path

from reports.commands.writing import finish
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
    DEFAULT_DEVICE,
    ArgOption,
    BlockOption,
    BlocksOption,
    Choice,
    CompilerOption,
    CubinOption,
    DeviceOption,
    EntryOption,
    GridOption,
    KernelOption,
    SeedOption,
    SharedBytesOption,
    SizeOption,
    SourceOption,
)  # fmt: skip

HEATMAP_HELP = "Bank conflicts of a run: lanes and banks, pressure, source lines with SASS."
KERNEL_HELP = "The whole picture of a run: roofline, memory, instructions, occupancy, findings."


def heatmap(
    run: RunArgument = None,
    kernel: KernelOption = None,
    size: SizeOption = None,
    source: SourceOption = None,
    cubin: CubinOption = None,
    entry: EntryOption = None,
    grid: GridOption = None,
    block: BlockOption = None,
    shared_bytes: SharedBytesOption = 0,
    arg: ArgOption = None,
    option: CompilerOption = None,
    device: DeviceOption = DEFAULT_DEVICE,
    blocks: BlocksOption = "auto",
    seed: SeedOption = 0,
    out: OutOption = Path("heatmap.html"),
    json: SaveOption = None,
    images: ImagesOption = None,
) -> None:
    """Write the page on bank conflicts."""
    choice = Choice(
        kernel, size, source, cubin, entry, grid, block, shared_bytes, arg, option, device, seed
    )
    opened = open_run(run, choice, blocks, Wanted(bank_pressure=True), json)
    finish(heatmap_page(opened), out, images)


def kernel(
    run: RunArgument = None,
    kernel: KernelOption = None,
    size: SizeOption = None,
    source: SourceOption = None,
    cubin: CubinOption = None,
    entry: EntryOption = None,
    grid: GridOption = None,
    block: BlockOption = None,
    shared_bytes: SharedBytesOption = 0,
    arg: ArgOption = None,
    option: CompilerOption = None,
    device: DeviceOption = DEFAULT_DEVICE,
    blocks: BlocksOption = "auto",
    seed: SeedOption = 0,
    caches: CachesOption = True,
    time: TimeOption = False,
    timeline: TimelineOption = 600,
    out: OutOption = Path("kernel.html"),
    json: SaveOption = None,
    images: ImagesOption = None,
) -> None:
    """Write the page on the whole run."""
    choice = Choice(
        kernel, size, source, cubin, entry, grid, block, shared_bytes, arg, option, device, seed
    )
    opened = open_run(run, choice, blocks, Wanted(caches, time, timeline_cycles=timeline), json)
    finish(kernel_page(opened), out, images)
