"""``python -m simulator PAGE``: all command-line pages of the simulator under one name.

The command ``smreplay`` has them too, beside those that draw (:mod:`reports.command`).

A page is one entry of ``PAGES``: its name, its function and its help. Options without a page are
those of the page ``memory``: ``python -m simulator --kernel tiled_gemm``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from simulator import banks, diff_page, overview
from simulator import time as time_page
from simulator.pages import add_page, make_app, page, show

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
    ("memory", overview.memory, overview.HELP),
    ("banks", banks.banks, banks.HELP),
    ("time", time_page.time, time_page.HELP),
    ("diff", diff_page.diff, diff_page.HELP),
    ("kernels", kernels, "List the kernel catalogue."),
    ("devices", devices, "List the GPUs that can be predicted."),
)


def name_page(arguments: Sequence[str]) -> list[str]:
    """The arguments with the page that they leave out; ``--help`` alone is about all pages."""
    if not arguments:
        return ["--help"]
    if arguments[0].startswith("-") and arguments[0] != "--help":
        return ["memory", *arguments]
    return [*arguments]


def main() -> None:
    """Run the page that the command line names."""
    app = make_app(HELP)
    for name, function, text in PAGES:
        add_page(app, name, function, text)
    app(args=name_page(sys.argv[1:]))


if __name__ == "__main__":
    main()
