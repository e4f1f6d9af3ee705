"""``python -m validation``: measure kernels on a GPU, in one go or through prepared jobs."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from kernels import UnknownKernelError
from simulator.errors import SimulatorError
from simulator.pages import make_app, page

from . import compare_page
from .gpu import import_cupy
from .measure import measure_jobs

app = make_app("Runs the replayed machine code on a GPU and sets measured beside predicted.")
app.command(help=compare_page.HELP)(page(compare_page.compare))
KernelNames = Annotated[
    list[str], typer.Option("--kernel", help="Catalogue kernel, or 'all'; may be repeated.")
]
Defaults = Annotated[
    bool, typer.Option("--defaults", help="Also measure each kernel at its default size.")
]
Repeats = Annotated[int, typer.Option(min=1, help="Timed repeats of each kind.")]


@app.command()
def prepare(
    kernel: KernelNames,
    jobs: Annotated[Path, typer.Option(help="Folder to write the jobs to.")],
    device: Annotated[str, typer.Option(help="Device name or architecture number.")] = "h200",
    defaults: Defaults = False,
) -> None:
    """Compile kernels and write jobs, to be measured on another machine."""
    count = _prepare(kernel, int(device) if device.isdigit() else device, jobs, defaults)
    typer.echo(f"{count} jobs in {jobs}; measure them with: python -m validation measure --jobs")


@app.command()
def measure(
    out: Annotated[Path, typer.Option(help="Folder for the records.")],
    kernel: KernelNames = [],  # noqa: B006  typer reads the default and never changes it
    jobs: Annotated[Path | None, typer.Option(help="Folder of prepared jobs.")] = None,
    work: Annotated[Path | None, typer.Option(help="Folder that keeps ncu's reports.")] = None,
    defaults: Defaults = False,
    repeats: Repeats = 20,
    again: Annotated[bool, typer.Option("--again", help="Measure recorded launches too.")] = False,
) -> None:
    """Measure kernels on this machine's GPU; go on where an earlier run was cut off."""
    if bool(kernel) == (jobs is not None):
        raise SimulatorError("give either --kernel NAME (or all) or --jobs FOLDER")
    with tempfile.TemporaryDirectory() as scratch:
        root = jobs or Path(scratch) / "jobs"
        if jobs is None:
            _prepare(kernel, _local_architecture(), root, defaults)
        place = work or Path(scratch) / "work"
        paths = measure_jobs(root, out, place, repeats, again, typer.echo)
    typer.echo(f"{len(paths)} records written to {out}")


def _prepare(names: list[str], device: str | int, root: Path, defaults: bool) -> int:
    # Prepared jobs are measured where no compiler is installed: import it only when it is needed.
    from .prepare import prepare_workload, select_workloads

    selected = select_workloads(names)
    return sum(len(prepare_workload(item, device, root, defaults)) for item in selected)


def _local_architecture() -> int:
    return int(import_cupy().cuda.Device().compute_capability)


def main() -> int:
    """Run the command line; errors made on purpose are one line and exit code 2."""
    try:
        app()
    except (SimulatorError, UnknownKernelError) as error:
        typer.echo(f"error: {error}", err=True)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
