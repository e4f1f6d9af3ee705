"""``python -m validation``: measure kernels on a GPU, compare records with replays."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simulator.pages import add_page, make_app, page

from . import accuracy_page, compare_page, measure_page

app = make_app("Runs the replayed machine code on a GPU and sets measured beside predicted.")
add_page(app, "measure", page(measure_page.measure), measure_page.HELP)
add_page(app, "compare", page(compare_page.compare), compare_page.HELP)
add_page(app, "accuracy", page(accuracy_page.accuracy), accuracy_page.HELP)


@page
def prepare(
    kernel: Annotated[
        list[str], typer.Option("--kernel", help="Catalogue kernel, or 'all'; may be repeated.")
    ],
    jobs: Annotated[Path, typer.Option(help="Folder to write the jobs to.")],
    device: Annotated[str, typer.Option(help="Device name or architecture number.")] = "h200",
    defaults: Annotated[
        bool, typer.Option("--defaults", help="Also measure each kernel at its default size.")
    ] = False,
) -> None:
    """Compile kernels and write jobs, to be measured on another machine."""
    from .prepare import prepare_workload, select_workloads

    target = int(device) if device.isdigit() else device
    selected = select_workloads(kernel)
    count = sum(len(prepare_workload(item, target, jobs, defaults)) for item in selected)
    typer.echo(f"{count} jobs in {jobs}; measure them with: python -m validation measure --jobs")


add_page(app, "prepare", prepare, "Compile kernels and write jobs, to be measured elsewhere.")


if __name__ == "__main__":
    app()
