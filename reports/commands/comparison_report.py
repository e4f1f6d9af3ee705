"""``python -m reports accuracy``: predicted against measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from reports.commands.writing import check_place, finish
from reports.data.agreement import load_comparison
from reports.data.ladder import Climb, find_climbs, ladder_steps
from reports.data.launch_times import load_time_pairs
from reports.opening import ImagesOption, OutOption
from reports.pages.accuracy import accuracy_page
from reports.times import predict_launch
from simulator.pages import show_note
from simulator.results import Timing
from validation.comparison import compare_folders, device_folders
from validation.summary import to_json

HELP = "Predicted against measured for the committed records, and the ladder of matrix products."


def accuracy(
    comparison: Annotated[
        Path | None,
        typer.Argument(help="What 'python -m validation compare --json' wrote; else replayed now."),
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="Device whose records to compare; all without it.")
    ] = None,
    kernel: Annotated[
        list[str], typer.Option("--kernel", help="Kernel by name; may be repeated.")
    ] = [],  # noqa: B006  typer reads the default and never changes it
    times: Annotated[
        bool, typer.Option("--times/--no-times", help="Predict the times of the matrix products.")
    ] = True,
    out: OutOption = Path("accuracy.html"),
    images: ImagesOption = None,
) -> None:
    """Write the page on accuracy."""
    check_place(out, images)
    content = load_comparison(comparison) if comparison else compare_now(device, kernel)
    climbs = find_climbs(content)
    steps = ladder_steps(climbs, predict_climbs(climbs) if times else {})
    finish(accuracy_page(content, steps, load_time_pairs()), out, images)


def predict_climbs(climbs: Sequence[Climb]) -> dict[Climb, Timing]:
    """Predicted times with warm caches of what is a kernel of the catalogue.

    Raises:
        SimulatorError: one cannot be predicted.
    """
    found = {}
    for climb in climbs:
        if not climb.library:
            show_note(f"predicting {climb.kernel} on {climb.device}")
            found[climb] = predict_launch(climb.kernel, dict(climb.size), climb.device).warm
    return found


def compare_now(device: str | None, kernels: list[str]) -> dict[str, Any]:
    """Replay the committed records and compare.

    Raises:
        SimulatorError: no such device, or no records of these kernels.
    """
    found = compare_folders(
        device_folders(device), kernels, lambda launch: show_note(f"compared {launch.kernel}")
    )
    return to_json(found.launches, found.refused, found.uncounted, found.published)
