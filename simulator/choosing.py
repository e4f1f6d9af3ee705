"""Which kernel a page is about: the options that name one, and what they open."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from kernels.workload import Launch
from simulator.arguments import parse_arguments, parse_dim3, parse_size
from simulator.device import load_device
from simulator.errors import ArgumentError
from simulator.launching import Target, open_catalogue, open_cubin, open_source

DEFAULT_DEVICE = "rtx4090"

KernelOption = Annotated[str | None, typer.Option(help="Catalogue kernel or alias.")]
SizeOption = Annotated[str | None, typer.Option(help="Size: 2048, or m=1024,n=512.")]
SourceOption = Annotated[Path | None, typer.Option(help="CUDA C++ or PTX file.")]
CubinOption = Annotated[Path | None, typer.Option(help="Compiled kernel file.")]
EntryOption = Annotated[str | None, typer.Option(help="Kernel in the file, if it holds several.")]
GridOption = Annotated[str | None, typer.Option(help="Blocks: 32,32 or 32,32,1.")]
BlockOption = Annotated[str | None, typer.Option(help="Threads a block: 32,32.")]
SharedBytesOption = Annotated[int, typer.Option(min=0, help="Dynamic shared bytes.")]
ArgOption = Annotated[
    list[str] | None,
    typer.Option(help="Argument, in order: i32=1024, f32[64,64]=random|zeros|x.npy."),
]
CompilerOption = Annotated[list[str] | None, typer.Option(help="Compiler option: -DN=4.")]
DeviceOption = Annotated[str, typer.Option(help="GPU to predict.")]
BlocksOption = Annotated[str, typer.Option(help="Blocks to replay: auto, all, a number.")]
JsonOption = Annotated[Path | None, typer.Option(help="Save the run to this file.")]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of random data.")]


@dataclass(frozen=True, slots=True)
class Choice:
    """The options as they were given; the annotations are what the command line makes of them."""

    kernel: KernelOption = None
    size: SizeOption = None
    source: SourceOption = None
    cubin: CubinOption = None
    entry: EntryOption = None
    grid: GridOption = None
    block: BlockOption = None
    shared_bytes: SharedBytesOption = 0
    arg: ArgOption = None
    option: CompilerOption = None
    device: DeviceOption = DEFAULT_DEVICE
    seed: SeedOption = 0


def on_kernel(function: Callable[..., None]) -> Callable[..., None]:
    """A page that takes a ``choice`` takes one option for each of its fields instead."""
    chosen = inspect.signature(Choice, eval_str=True).parameters
    own = inspect.signature(function, eval_str=True).parameters
    parameters: list[inspect.Parameter] = []
    for name, parameter in own.items():
        parameters += chosen.values() if name == "choice" else [parameter]

    @functools.wraps(function)
    def run(**options: Any) -> None:
        choice = Choice(**{name: options.pop(name) for name in chosen})
        function(choice=choice, **options)

    keyword = inspect.Parameter.KEYWORD_ONLY
    signature = inspect.Signature([p.replace(kind=keyword) for p in parameters])
    # typer reads both
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def parse_blocks(text: str) -> str | int:
    """``auto``, ``all`` or a positive number of blocks.

    Raises:
        ArgumentError: anything else.
    """
    if text in ("auto", "all"):
        return text
    if not text.isdigit() or int(text) < 1:
        raise ArgumentError(f"--blocks {text!r}: give auto, all or a number of blocks")
    return int(text)


def require_one(**given: object) -> str:
    """The name of the one option that is given."""
    names = [name for name, value in given.items() if value is not None]
    if len(names) != 1:
        options = ", ".join(f"--{name}" for name in given)
        found = " and ".join(f"--{name}" for name in names) or "none"
        raise ArgumentError(f"give exactly one of {options}; {found} given")
    return names[0]


def refuse(mode: str, **given: object) -> None:
    """Refuse options that mean nothing with ``--mode``."""
    refuse_beside(f"--{mode}", **given)


def refuse_beside(what: str, **given: object) -> None:
    """Refuse options that mean nothing beside something else that is given."""
    for name, value in given.items():
        if value:
            option = "--" + name.replace("_", "-")
            raise ArgumentError(f"{option} does not go with {what}; leave it out")


def _launch(mode: str, grid: str | None, block: str | None, shared_bytes: int) -> Launch:
    if grid is None or block is None:
        missing = "--grid" if grid is None else "--block"
        raise ArgumentError(f"--{mode} needs {missing}, for example {missing} 32,32")
    return Launch(parse_dim3(grid, "--grid"), parse_dim3(block, "--block"), shared_bytes)


def open_choice(choice: Choice) -> Target:
    """The kernel that ``--kernel``, ``--source`` or ``--cubin`` names, ready to be replayed.

    Raises:
        ArgumentError: none or several are given, or an option that does not go with it.
        SimulatorError: the device, the kernel or an argument cannot be used.
    """
    mode = require_one(kernel=choice.kernel, source=choice.source, cubin=choice.cubin)
    load_device(choice.device)  # an unknown device ends here, before anything is compiled
    options = tuple(choice.option or ())
    if choice.kernel is not None:
        _refuse_launch(mode, choice)
        size = parse_size(choice.size)
        return open_catalogue(choice.kernel, size, choice.seed, choice.device, options)
    refuse(mode, size=choice.size)
    launch = _launch(mode, choice.grid, choice.block, choice.shared_bytes)
    arguments = parse_arguments(choice.arg or (), choice.seed)
    if choice.source is not None:
        return open_source(choice.source, choice.entry, choice.device, options, launch, arguments)
    assert choice.cubin is not None  # exactly one is given
    refuse(mode, option=choice.option)
    return open_cubin(choice.cubin, choice.entry, launch, arguments)


def _refuse_launch(mode: str, choice: Choice) -> None:
    refuse(mode, entry=choice.entry, grid=choice.grid, block=choice.block, arg=choice.arg)
    refuse(mode, shared_bytes=choice.shared_bytes)
