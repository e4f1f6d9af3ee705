"""``python -m validation compare``: what the records hold beside what a replay predicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from kernels import load_workload
from kernels.errors import UnknownKernelError
from simulator.errors import InputError
from simulator.pages import show, show_note, waiting

from .comparison import Comparison, compare_folders, device_folders
from .rows import Launch
from .show import (
    deviation_lines,
    launch_details,
    launch_line,
    published_table,
    summary_lines,
    summary_table,
)
from .summary import summarise, to_json

HELP = "Replay what the records hold and set predicted beside measured."


def compare(
    device: Annotated[
        str | None, typer.Option(help="Device whose records to compare; all without it.")
    ] = None,
    kernel: Annotated[
        list[str], typer.Option("--kernel", help="Kernel by name; may be repeated.")
    ] = [],  # noqa: B006  typer reads the default and never changes it
    records: Annotated[
        Path | None, typer.Option(help="Folder of your own records instead of the committed ones.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write everything to this file.")
    ] = None,
    details: Annotated[
        bool,
        typer.Option("--details", help="All numbers of a launch, predicted or not."),
    ] = False,
) -> None:
    """Replay what the records hold and set predicted beside measured.

    Exit code 1: an exact counter differs or a bound is broken. 2: bad input.
    """
    folders = [records] if records else device_folders(device)
    wide = details or bool(kernel)

    def on_launch(launch: Launch) -> None:
        show(launch_details(launch, details) if wide else launch_line(launch))
        if wide:
            show(Text(""))

    with waiting("replaying"):
        timed = wide or json_file is not None
        found = compare_folders(folders, [_canonical(name) for name in kernel], on_launch, timed)
    _show_end(found, kernel)
    if json_file:
        _write(found, json_file)
    raise typer.Exit(found.exit_code)


def _canonical(name: str) -> str:
    """A catalogue kernel's own name for its alias; other names as they are."""
    try:
        return load_workload(name).name
    except UnknownKernelError:
        return name


def _show_end(found: Comparison, kernels: list[str]) -> None:
    for name, notes in found.uncounted.items():
        show(Text(f"{name}: no counters: {'; '.join(notes)}", "yellow"))
    for name, reason in found.refused.items():
        show(Text(f"{name}: not compared: {reason}", "red"))
    if found.launches:
        items = summarise(found.launches)
        show(Text(""))
        show(summary_table(items))
        for line in (*deviation_lines(items), Text(""), *summary_lines(found.launches, items)):
            show(line)
    for published in found.published.values():
        show(Text(""))
        show(published_table(published, [_canonical(name) for name in kernels]))


def _write(found: Comparison, path: Path) -> None:
    content = to_json(found.launches, found.refused, found.uncounted, found.published)
    try:
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}; choose another") from None
    show_note(f"written to {path}")
