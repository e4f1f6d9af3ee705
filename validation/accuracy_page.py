"""``python -m validation accuracy``: the tables of accuracy and of deviations for documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simulator.errors import InputError
from simulator.pages import show_note, waiting

from .accuracy import (
    fill_document,
    inputs_digest,
    load_accuracy,
    measure_accuracy,
    render_accuracy,
    save_accuracy,
)
from .comparison import compare_folders, device_folders

HELP = "Print the accuracy table, or write it between the markers of Markdown files."
DEVICE = "h200"
GPU = "NVIDIA H200"


def accuracy(
    write: Annotated[
        list[Path], typer.Option("--write", help="Markdown file to update; may be repeated.")
    ] = [],  # noqa: B006  typer reads the default and never changes it
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Compare with all records first (a minute).")
    ] = False,
) -> None:
    """Print the accuracy table, or write it between the markers of Markdown files."""
    if refresh:
        with waiting("replaying"):
            found = compare_folders(device_folders(DEVICE), [], lambda _: None)
        save_accuracy(measure_accuracy(found, GPU))
        load_accuracy.cache_clear()
    current = load_accuracy()
    if current.digest != inputs_digest():
        show_note("records or tables changed since the accuracy was taken; give --refresh")
    for path in write:
        _update(path)
    if not write:
        typer.echo(render_accuracy(current))


def _update(path: Path) -> None:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}; choose another") from None
    filled = fill_document(text, load_accuracy())
    if filled is None:
        raise InputError(
            f"{path} has no markers; write <!-- accuracy:begin --> and <!-- accuracy:end --> "
            "where the table belongs (or deviations:begin and deviations:end)"
        )
    path.write_text(filled, encoding="utf-8")
    show_note(f"{path} is up to date" if filled == text else f"{path} updated")
