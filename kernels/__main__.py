"""``python -m kernels`` lists the catalogue; ``python -m kernels NAME`` prints a source."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table

from kernels.catalogue import load_workload, workloads
from kernels.errors import UnknownKernelError
from kernels.workload import Workload

PIPED_WIDTH = 80

app = typer.Typer(add_completion=False)


def size_text(workload: Workload) -> str:
    """The default sizes, equal neighbours joined: ``m=n=k=1024``."""
    groups: list[tuple[list[str], int]] = []
    for name, size in workload.sizes.items():
        if groups and groups[-1][1] == size:
            groups[-1][0].append(name)
        else:
            groups.append(([name], size))
    return " ".join(f"{'='.join(names)}={size}" for names, size in groups)


def catalogue_table() -> Table:
    """One row a kernel: name, what it shows, default size."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("kernel", style="cyan", no_wrap=True)
    table.add_column("what it shows")
    table.add_column("default size", max_width=17)
    for workload in workloads():
        table.add_row(workload.name, workload.shows, size_text(workload))
    return table


def show_catalogue(console: Console) -> None:
    """Print all kernels and how to see one."""
    console.print(catalogue_table())
    console.print("\nSource of one: python -m kernels NAME", highlight=False)


def show_source(workload: Workload, console: Console) -> None:
    """Print a kernel's CUDA C++, coloured on a terminal and verbatim in a pipe."""
    if console.is_terminal:
        console.print(Syntax(workload.source, "cuda", background_color="default"))
    else:
        console.file.write(workload.source)


@app.command()
def page(
    name: Annotated[str | None, typer.Argument(help="Kernel name or alias.")] = None,
) -> None:
    """List the kernel catalogue, or print the CUDA source of one kernel."""
    console = Console()
    if not console.is_terminal:
        console.width = PIPED_WIDTH
    if name is None:
        show_catalogue(console)
        return
    try:
        show_source(load_workload(name), console)
    except UnknownKernelError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from None


if __name__ == "__main__":
    app(prog_name="python -m kernels")
