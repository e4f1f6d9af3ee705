"""``smreplay PAGE`` and ``python -m simulator PAGE``: all command-line pages under one name.

A page is one entry of ``PAGES``: its name, its function and its help.
"""

from __future__ import annotations

from collections.abc import Callable

from simulator import banks
from simulator.pages import make_app, page, show

HELP = "Predicts, without a GPU, what a CUDA kernel does to a GPU's memory system."


@page
def kernels() -> None:
    """List the kernel catalogue."""
    from kernels.__main__ import catalogue_table

    show(catalogue_table())


@page
def devices() -> None:
    """List the GPUs that can be predicted."""
    from simulator.render import render_devices

    show(render_devices())


PAGES: tuple[tuple[str, Callable[..., None], str], ...] = (
    ("banks", banks.banks, banks.HELP),
    ("kernels", kernels, "List the kernel catalogue."),
    ("devices", devices, "List the GPUs that can be predicted."),
)


def main() -> None:
    """Run the page that the command line names."""
    app = make_app(HELP)
    for name, function, text in PAGES:
        app.command(name, help=text)(function)
    app()


if __name__ == "__main__":
    main()
