"""Runs a command-line page in this process: a process of its own would load everything anew."""

from __future__ import annotations

from collections.abc import Callable

from typer.testing import CliRunner, Result

from simulator.pages import make_app


def run_page(function: Callable[..., None], *words: str, columns: int = 80) -> Result:
    """What a page prints with these words on the command line, and its exit code."""
    app = make_app("")
    app.command()(function)
    return CliRunner().invoke(app, list(words), env={"COLUMNS": str(columns)})
