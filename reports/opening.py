"""Which run a report is about: a saved one, or a kernel that is replayed now."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simulator.choosing import Choice, refuse
from simulator.errors import ArgumentError
from simulator.replaying import replay_choice
from simulator.results import Run
from simulator.storage import load_run

RunArgument = Annotated[
    Path | None, typer.Argument(help="A run that --json saved, instead of a kernel.")
]
OutOption = Annotated[Path, typer.Option("--out", help="HTML file to write.")]
CachesOption = Annotated[
    bool, typer.Option("--caches/--no-caches", help="Model L1, L2 and DRAM traffic.")
]
TimeOption = Annotated[bool, typer.Option("--time", help="Predict the time and stall reasons.")]
ImagesOption = Annotated[
    Path | None,
    typer.Option("--images", help="Folder for every figure as SVG and PNG (needs kaleido)."),
]


def open_run(
    saved: Path | None, choice: Choice, blocks: str, caches: bool = False, time: bool = False
) -> Run:
    """The saved run, or a replay of what the options name, with caches and time if asked for.

    Raises:
        SimulatorError: both or neither are given, or what is given cannot be used.
    """
    if saved is None:
        if choice.kernel is None and choice.source is None and choice.cubin is None:
            raise ArgumentError("give a saved run, or one of --kernel, --source or --cubin")
        return replay_choice(choice, blocks, None, caches, time)
    refuse(
        "RUN",
        kernel=choice.kernel,
        source=choice.source,
        cubin=choice.cubin,
        size=choice.size,
        grid=choice.grid,
        block=choice.block,
        arg=choice.arg,
        option=choice.option,
    )
    return load_run(saved)
