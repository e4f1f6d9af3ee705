"""``python -m simulator --kernel NAME``: the whole memory picture of a launch nobody ran."""

from __future__ import annotations

from typing import Annotated

import typer

from simulator.choosing import (
    BlocksOption,
    Choice,
    JsonOption,
    on_kernel,
)  # fmt: skip
from simulator.pages import make_app, page, show
from simulator.replaying import replay_choice

HELP = """Everything a kernel asks of memory, its occupancy, its roofline, and what binds.

Give one of --kernel (a kernel of the catalogue), --source or --cubin.
"""


@page
@on_kernel
def memory(
    choice: Choice,
    blocks: BlocksOption = "auto",
    json: JsonOption = None,
    caches: Annotated[
        bool, typer.Option("--caches/--no-caches", help="Model L1, L2 and DRAM traffic.")
    ] = True,
    everything: Annotated[
        bool, typer.Option("--all", help="Every memory instruction by itself, and all opcodes.")
    ] = False,
) -> None:
    """Print shared, global and cache traffic, instructions, occupancy, roofline, what binds."""
    run = replay_choice(choice, blocks, json, caches)
    from simulator.memory.explain import explain
    from simulator.render_memory import render_memory

    show(render_memory(run, explain, everything))


def main() -> None:
    """Run the page on the command line's options."""
    app = make_app(HELP)
    app.command(help=HELP)(memory)
    app()


if __name__ == "__main__":
    main()
