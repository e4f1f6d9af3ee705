"""``python -m reports accuracy``: predicted against measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from reports.commands.writing import finish
from reports.data.agreement import load_comparison
from reports.opening import ImagesOption, OutOption
from reports.pages.accuracy import accuracy_page
from simulator.pages import show_note
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
    out: OutOption = Path("accuracy.html"),
    images: ImagesOption = None,
) -> None:
    """Write the page on accuracy."""
    content = load_comparison(comparison) if comparison else compare_now(device, kernel)
    finish(accuracy_page(content), out, images)


def compare_now(device: str | None, kernels: list[str]) -> dict[str, Any]:
    """Replay the committed records and compare.

    Raises:
        SimulatorError: no such device, or no records of these kernels.
    """
    found = compare_folders(
        device_folders(device), kernels, lambda launch: show_note(f"compared {launch.kernel}")
    )
    return to_json(found.launches, found.refused, found.uncounted, found.published)
