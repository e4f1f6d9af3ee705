"""``python -m simulator.banks``: shared-memory bank conflicts of a kernel, line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simulator.choosing import (
    BlocksOption,
    Choice,
    JsonOption,
    on_kernel,
    refuse,
    require_one,
)  # fmt: skip
from simulator.pages import make_app, page, show
from simulator.pattern import parse_lane_mask, parse_pattern
from simulator.pattern_report import count_pattern, render_pattern
from simulator.replaying import replay_choice

HELP = """Bank conflicts of a kernel's shared-memory instructions, from its machine code.

Give one of --kernel (a kernel of the catalogue), --source, --cubin or --pattern.
"""


def _show_pattern(text: str, width: int, operation: str, mask: str, unit: str | None) -> None:
    pattern = parse_pattern(text)
    show(render_pattern(count_pattern(pattern, width, operation, parse_lane_mask(mask), unit)))


def _show_run(choice: Choice, blocks: str, save: Path | None) -> None:
    from simulator.memory.explain import explain
    from simulator.render import render_banks

    show(render_banks(replay_choice(choice, blocks, save), explain))


@page
@on_kernel
def banks(
    choice: Choice,
    pattern: Annotated[
        str | None, typer.Option(help="Address expression over lane: '(lane%16)*8'.")
    ] = None,
    width: Annotated[int | None, typer.Option(help="Pattern: bytes a lane, 1 to 16.")] = None,
    op: Annotated[str | None, typer.Option(help="Pattern: load, store or atomic.")] = None,
    mask: Annotated[str | None, typer.Option(help="Pattern: active lanes, 0xFFFF.")] = None,
    unit: Annotated[
        str | None,
        typer.Option(help="Pattern: it counts bytes, or elements of --width; default: both."),
    ] = None,
    blocks: BlocksOption = "auto",
    json: JsonOption = None,
) -> None:
    """Print where a kernel's shared-memory bank conflicts are and what they cost."""
    c = choice
    mode = require_one(kernel=c.kernel, source=c.source, cubin=c.cubin, pattern=pattern)
    if pattern is not None:
        refuse(mode, size=c.size, entry=c.entry, grid=c.grid, block=c.block, arg=c.arg)
        refuse(mode, option=c.option, shared_bytes=c.shared_bytes, json=json)
        _show_pattern(pattern, width or 4, op or "load", mask or "0xFFFFFFFF", unit)
        return
    refuse(mode, width=width, op=op, mask=mask, unit=unit)
    _show_run(choice, blocks, json)


def main() -> None:
    """Run the page on the command line's options."""
    app = make_app(HELP)
    app.command(help=HELP)(banks)
    app()


if __name__ == "__main__":
    main()
