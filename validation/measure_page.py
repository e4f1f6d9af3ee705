"""``python -m validation measure``: run the very machine code on this machine's GPU."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from simulator.device import load_device
from simulator.errors import ArgumentError, UnknownNameError
from simulator.pages import show, show_note, waiting

from .comparison import Comparison, compare_record
from .gpu import import_cupy
from .measure import measure_jobs
from .own import OwnLaunch, keep_job, own_problem, place, prepare_own
from .records import SUFFIX
from .replays import no_data_file
from .rows import Launch
from .show import launch_details, launch_line

HELP = """Run kernels on this machine's GPU: outputs, times and, with ncu, counters.

Give --kernel NAME (or all), --source, --cubin or --jobs. Runs where it was cut off go on.
"""


def measure(
    kernel: Annotated[
        list[str], typer.Option("--kernel", help="Catalogue kernel, or 'all'; may be repeated.")
    ] = [],  # noqa: B006  typer reads the default and never changes it
    source: Annotated[Path | None, typer.Option(help="Your CUDA C++ file.")] = None,
    cubin: Annotated[Path | None, typer.Option(help="Your compiled kernel file.")] = None,
    jobs: Annotated[Path | None, typer.Option(help="Folder of prepared jobs.")] = None,
    entry: Annotated[
        str | None, typer.Option(help="Kernel in the file, if it holds several.")
    ] = None,
    grid: Annotated[str | None, typer.Option(help="Blocks: 32,32 or 32,32,1.")] = None,
    block: Annotated[str | None, typer.Option(help="Threads a block: 32,32.")] = None,
    shared_bytes: Annotated[int, typer.Option(help="Dynamic shared bytes.")] = 0,
    arg: Annotated[
        list[str] | None,
        typer.Option(help="Argument, in order: i32=1024, f32[64,64]=random|zeros|x.npy."),
    ] = None,
    option: Annotated[list[str] | None, typer.Option(help="Compiler option: -DN=4.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of random data of your own kernel.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the records (default records/GPU), or NAME.json.xz."),
    ] = None,
    work: Annotated[Path | None, typer.Option(help="Folder that keeps ncu's reports.")] = None,
    defaults: Annotated[
        bool, typer.Option("--defaults", help="Also measure each kernel at its default size.")
    ] = False,
    repeats: Annotated[int, typer.Option(min=1, help="Timed repeats of each kind.")] = 20,
    again: Annotated[bool, typer.Option("--again", help="Measure recorded launches too.")] = False,
) -> None:
    """Run kernels on this machine's GPU: outputs, times and, with ncu, counters."""
    modes = {"--kernel": kernel, "--source": source, "--cubin": cubin, "--jobs": jobs}
    given = [name for name, value in modes.items() if value]
    if len(given) != 1:
        found = " and ".join(given) or "none"
        raise ArgumentError(f"give exactly one of {', '.join(modes)}; {found} given")
    own = OwnLaunch(source, cubin, entry, grid, block, shared_bytes, arg or (), option or (), seed)
    problem = own_problem(own) if source or cubin else None
    if problem is None:
        _refuse_own(given[0], own)
    architecture, folder = _this_gpu(import_cupy())
    with tempfile.TemporaryDirectory() as scratch:
        root = jobs or Path(scratch) / "jobs"
        target = out or Path("records") / folder
        if problem is not None:
            target, name = place(target, own.file.stem)
            keep_job(prepare_own(own, problem, architecture, name, root), target)
        elif target.name.endswith(SUFFIX):
            raise ArgumentError(f"--out {target}: several launches need a folder; give one")
        elif kernel:
            _prepare(kernel, architecture, root, defaults)
        place_of_work = work or Path(scratch) / "work"
        paths = measure_jobs(root, target, place_of_work, repeats, again, typer.echo)
    typer.echo(f"{len(paths)} records written to {target}")
    if jobs is not None:
        show_note(f"compare them with: python -m validation compare --records {target}")
        return
    raise typer.Exit(_compare(paths, details=problem is not None))


def _refuse_own(mode: str, own: OwnLaunch) -> None:
    """Refuse options that only your own kernel takes."""
    options = {
        "--entry": own.entry,
        "--grid": own.grid,
        "--block": own.block,
        "--shared-bytes": own.shared_bytes,
        "--arg": own.arguments,
        "--option": own.options,
    }
    for name, value in options.items():
        if value:
            raise ArgumentError(f"{name} does not go with {mode}; leave it out")


def _this_gpu(cupy: Any) -> tuple[int, str]:
    """Architecture and folder name of the GPU; says how to add it where it has no data file."""
    architecture = int(cupy.cuda.Device().compute_capability)
    gpu = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"].decode()
    try:
        return architecture, load_device(gpu).name
    except UnknownNameError:
        show_note(no_data_file(gpu, architecture))
        return architecture, "".join(c for c in gpu.lower() if c.isalnum())


def _prepare(names: list[str], device: int, root: Path, defaults: bool) -> None:
    # Prepared jobs are measured where no compiler is installed: import it only when it is needed.
    from .prepare import prepare_workload, select_workloads

    for item in select_workloads(names):
        prepare_workload(item, device, root, defaults)


def _compare(paths: Sequence[Path], details: bool) -> int:
    """Show what a replay predicts for the new records; the exit code of the comparison."""
    found = Comparison()

    def on_launch(launch: Launch) -> None:
        show(launch_details(launch) if details else launch_line(launch))

    with waiting("replaying"):
        for path in paths:
            compare_record(path, found, on_launch, time=True)
    for name, notes in found.uncounted.items():
        show(Text(f"{name}: no counters: {'; '.join(notes)}", "yellow"))
    for name, reason in found.refused.items():
        show(Text(f"{name}: not compared: {reason}", "yellow"))
    return 1 if any(launch.wrong for launch in found.launches) else 0
