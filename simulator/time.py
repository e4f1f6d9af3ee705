"""``python -m simulator.time``: how long a launch would take, and where its warps would wait."""

from __future__ import annotations

from typing import Annotated

import typer

from simulator.choosing import (
    DEFAULT_DEVICE,
    ArgOption,
    BlockOption,
    Choice,
    CompilerOption,
    CubinOption,
    DeviceOption,
    EntryOption,
    GridOption,
    KernelOption,
    SeedOption,
    SharedBytesOption,
    SizeOption,
    SourceOption,
    open_choice,
)  # fmt: skip
from simulator.errors import ArgumentError
from simulator.launching import Target, check_target
from simulator.pages import make_app, page, show, waiting
from simulator.results import LaunchTime

HELP = """Predicted time of a kernel with cold and with warm caches, and what it waits for.

Give one of --kernel (a kernel of the catalogue), --source or --cubin.
"""


def predict_target(target: Target, device: str, changes: dict[str, float]) -> LaunchTime:
    """The predicted times of a target that passed :func:`simulator.launching.check_target`."""
    from simulator.emulator.launch import Launch
    from simulator.emulator.program import build_program
    from simulator.timing.predict import predict_time

    where = target.launch
    program = build_program(target.kernel)
    launch = Launch(program, where.grid, where.block, where.shared_bytes, target.arguments)
    return predict_time(launch, device, changes)


def _states(cold: bool, warm: bool) -> tuple[str, ...]:
    if cold and warm:
        raise ArgumentError("--cold and --warm: leave both out to see both")
    return ("cold",) if cold else ("warm",) if warm else ("cold", "warm")


@page
def time(
    kernel: KernelOption = None,
    size: SizeOption = None,
    source: SourceOption = None,
    cubin: CubinOption = None,
    entry: EntryOption = None,
    grid: GridOption = None,
    block: BlockOption = None,
    shared_bytes: SharedBytesOption = 0,
    arg: ArgOption = None,
    option: CompilerOption = None,
    device: DeviceOption = DEFAULT_DEVICE,
    seed: SeedOption = 0,
    cold: Annotated[bool, typer.Option("--cold", help="Only with cold caches.")] = False,
    warm: Annotated[bool, typer.Option("--warm", help="Only with warm caches.")] = False,
    what_if: Annotated[
        list[str] | None,
        typer.Option(help="One thing changed: bank_conflicts=0, clock_hz=1.5e9, registers=64."),
    ] = None,
) -> None:
    """Print predicted times, stall reasons and how busy each resource is."""
    from simulator.render_time import render_time
    from simulator.timing.changes import parse_changes

    states = _states(cold, warm)
    changes = parse_changes(what_if or ())
    choice = Choice(
        kernel, size, source, cubin, entry, grid, block, shared_bytes, arg, option, device, seed
    )
    target = open_choice(choice)
    check_target(target, device)
    with waiting(f"predicting {target.kernel.name}"):
        found = predict_target(target, device, changes)
    title = f"{target.kernel.name} on {device}"
    show(render_time(title, found, states, target.kernel.instructions))


def main() -> None:
    """Run the page on the command line's options."""
    app = make_app(HELP)
    app.command(help=HELP)(time)
    app()


if __name__ == "__main__":
    main()
