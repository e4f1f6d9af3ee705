"""``smreplay view``: saved runs in a browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from reports.serving import HOST, find_runs, make_server

HELP = """Serve the pages of saved runs on 127.0.0.1, until interrupted.

Give files that --json wrote, or folders that hold some.
"""


def view(
    runs: Annotated[list[Path], typer.Argument(help="Saved runs, or folders with saved runs.")],
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open a browser.")] = True,
) -> None:
    """Serve saved runs until interrupted."""
    server = make_server(find_runs(runs), port)
    address = f"http://{HOST}:{server.server_address[1]}/"
    typer.echo(f"{address} (end with Ctrl-C)")
    if browser:
        webbrowser.open(address)
    with server:
        server.serve_forever()
