"""``python -m reports claims``: the articles' claims, judged by replays made now."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reports.claims import Evidence, ask_all
from reports.commands.writing import check_place, finish
from reports.opening import ImagesOption, OutOption
from reports.pages.claims import claims_page
from simulator.first_run import MESSAGE, is_compiled
from simulator.pages import show_note

HELP = "The articles' sixteen claims beside what replays count, with verdicts."


def claims(
    claim: Annotated[
        list[int], typer.Option("--claim", help="Claim by number; may be repeated. All without it.")
    ] = [],  # noqa: B006  typer reads the default and never changes it
    out: OutOption = Path("claims.html"),
    images: ImagesOption = None,
) -> None:
    """Write the page on the claims."""
    check_place(out, images)
    if not is_compiled():
        show_note(MESSAGE)
    evidence = Evidence(lambda name: show_note(f"replaying {name}"))
    finish(claims_page(ask_all(evidence, claim)), out, images)
