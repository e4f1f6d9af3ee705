"""Which run a report is about: a saved one, or a kernel that is replayed now."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from simulator.choosing import DEFAULT_DEVICE, Choice, refuse_beside
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
TimelineOption = Annotated[
    int, typer.Option("--timeline", min=0, max=2000, help="Cycles of one SM to show, with --time.")
]
ImagesOption = Annotated[
    Path | None,
    typer.Option("--images", help="Folder for every figure as SVG and PNG (needs kaleido)."),
]
SaveOption = Annotated[
    Path | None, typer.Option("--json", help="Save the run too, with all that this page shows.")
]


@dataclass(frozen=True)
class Wanted:
    """What a replay for a page models besides counts."""

    caches: bool = False
    time: bool = False
    bank_pressure: bool = False
    timeline_cycles: int = 0


def open_run(
    saved: Path | None, choice: Choice, blocks: str, wanted: Wanted, save: Path | None = None
) -> Run:
    """The saved run, or a replay of what the options name, saved to ``save`` if given.

    Raises:
        SimulatorError: both or neither are given, or what is given cannot be used.
    """
    if saved is None:
        if choice.kernel is None and choice.source is None and choice.cubin is None:
            raise ArgumentError("give a saved run, or one of --kernel, --source or --cubin")
        models = (wanted.caches, wanted.time, wanted.bank_pressure, wanted.timeline_cycles)
        return replay_choice(choice, blocks, save, *models)
    run = load_run(saved)
    _refuse_replay(run, choice, blocks, save)
    if wanted.time and run.time is None:
        raise ArgumentError(
            f"{saved} holds no predicted time; leave --time out, or replay the kernel with it"
        )
    return run


def _refuse_replay(run: Run, choice: Choice, blocks: str, save: Path | None) -> None:
    """Refuse options that would change a replay: a saved run is shown as it is."""
    other = choice.device if choice.device not in (DEFAULT_DEVICE, run.device) else None
    changes = {**asdict(choice), "device": other, "json": save}
    refuse_beside("a saved run", blocks=blocks != "auto", **changes)
