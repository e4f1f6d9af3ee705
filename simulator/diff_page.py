"""``smreplay diff A.json B.json``: two saved runs, line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simulator.diff import compare_runs
from simulator.pages import make_app, page, show, show_error
from simulator.storage import load_run

EXIT_WORSE = 1
HELP = """Compare two saved runs: a kernel before and after a change, two devices, two compilers.

Give files that --json wrote, of any page.

Ends with 0, with 2 where a file is no run, and with 1 where --fail-on-conflicts finds more bank
conflicts in the second run than in the first.
"""


@page
def diff(
    before: Annotated[Path, typer.Argument(help="The run to compare with.")],
    after: Annotated[Path, typer.Argument(help="The run to look at.")],
    fail_on_conflicts: Annotated[
        bool, typer.Option("--fail-on-conflicts", help="End with 1 if bank conflicts grew.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="All counters, and lines that only execute more or less.")
    ] = False,
) -> None:
    """Print what differs between two saved runs: launch, totals, source lines."""
    from simulator.render_diff import render_diff

    found = compare_runs(load_run(before), load_run(after))
    show(render_diff(found, everything))
    if fail_on_conflicts and found.conflicts_grew:
        show_error(f"{found.conflicts:+,} bank conflicts in {after} beside {before}")
        raise typer.Exit(EXIT_WORSE)


def main() -> None:
    """Run the page on the command line's arguments."""
    app = make_app(HELP)
    app.command(help=HELP)(diff)
    app()


if __name__ == "__main__":
    main()
