"""``python -m simulator.banks``: shared-memory bank conflicts of a kernel, line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kernels.workload import Launch
from simulator.arguments import parse_arguments, parse_dim3, parse_size
from simulator.device import load_device
from simulator.errors import ArgumentError
from simulator.first_run import MESSAGE, is_compiled
from simulator.launching import (
    Target,
    check_target,
    open_catalogue,
    open_cubin,
    open_source,
    replay_target,
)
from simulator.pages import make_app, page, show, show_note, waiting
from simulator.pattern import parse_lane_mask, parse_pattern
from simulator.pattern_report import count_pattern, render_pattern

DEFAULT_DEVICE = "rtx4090"
HELP = """Bank conflicts of a kernel's shared-memory instructions, from its machine code.

Give one of --kernel (a kernel of the catalogue), --source, --cubin or --pattern.
"""


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


def _require_one(**given: object) -> str:
    """The name of the one option that is given."""
    names = [name for name, value in given.items() if value is not None]
    if len(names) != 1:
        options = ", ".join(f"--{name}" for name in given)
        found = " and ".join(f"--{name}" for name in names) or "none"
        raise ArgumentError(f"give exactly one of {options}; {found} given")
    return names[0]


def _refuse(mode: str, **given: object) -> None:
    """Refuse options that mean nothing with ``--mode``."""
    for name, value in given.items():
        if value:
            option = "--" + name.replace("_", "-")
            raise ArgumentError(f"{option} does not go with --{mode}; leave it out")


def _launch(mode: str, grid: str | None, block: str | None, shared_bytes: int) -> Launch:
    if grid is None or block is None:
        missing = "--grid" if grid is None else "--block"
        raise ArgumentError(f"--{mode} needs {missing}, for example {missing} 32,32")
    return Launch(parse_dim3(grid, "--grid"), parse_dim3(block, "--block"), shared_bytes)


def _show_pattern(text: str, width: int, operation: str, mask: str, unit: str | None) -> None:
    pattern = parse_pattern(text)
    show(render_pattern(count_pattern(pattern, width, operation, parse_lane_mask(mask), unit)))


def _show_run(target: Target, device: str, blocks: str | int, save: Path | None) -> None:
    from simulator.memory.explain import explain
    from simulator.render import render_banks

    check_target(target, device)
    if not is_compiled():
        show_note(MESSAGE)
    with waiting(f"replaying {target.kernel.name}"):
        run = replay_target(target, device, blocks)
    if save is not None:
        run.save(save)
    show(render_banks(run, explain))


@page
def banks(
    kernel: Annotated[str | None, typer.Option(help="Catalogue kernel or alias.")] = None,
    size: Annotated[str | None, typer.Option(help="Size: 2048, or m=1024,n=512.")] = None,
    source: Annotated[Path | None, typer.Option(help="CUDA C++ file.")] = None,
    cubin: Annotated[Path | None, typer.Option(help="Compiled kernel file.")] = None,
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
    pattern: Annotated[
        str | None, typer.Option(help="Address expression over lane: '(lane%16)*8'.")
    ] = None,
    width: Annotated[int | None, typer.Option(help="Pattern: bytes a lane, 1 to 16.")] = None,
    op: Annotated[str | None, typer.Option(help="Pattern: load, store or atomic.")] = None,
    mask: Annotated[str | None, typer.Option(help="Pattern: active lanes, 0xFFFF.")] = None,
    unit: Annotated[
        str | None,
        typer.Option(help="Pattern: it counts bytes, or elements of --width; default: both."),
    ] = None,
    device: Annotated[str, typer.Option(help="GPU to predict.")] = DEFAULT_DEVICE,
    blocks: Annotated[str, typer.Option(help="Blocks to replay: auto, all, a number.")] = "auto",
    json: Annotated[Path | None, typer.Option(help="Save the run to this file.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of random data.")] = 0,
) -> None:
    """Print where a kernel's shared-memory bank conflicts are and what they cost."""
    mode = _require_one(kernel=kernel, source=source, cubin=cubin, pattern=pattern)
    if pattern is not None:
        _refuse(mode, size=size, entry=entry, grid=grid, block=block, arg=arg, option=option)
        _refuse(mode, shared_bytes=shared_bytes, json=json)
        _show_pattern(pattern, width or 4, op or "load", mask or "0xFFFFFFFF", unit)
        return
    _refuse(mode, width=width, op=op, mask=mask, unit=unit)
    load_device(device)  # an unknown device ends here, before anything is compiled
    replayed = parse_blocks(blocks)
    options = tuple(option or ())
    if kernel is not None:
        _refuse(mode, entry=entry, grid=grid, block=block, arg=arg, shared_bytes=shared_bytes)
        target = open_catalogue(kernel, parse_size(size), seed, device, options)
    else:
        _refuse(mode, size=size)
        launch = _launch(mode, grid, block, shared_bytes)
        arguments = parse_arguments(arg or (), seed)
        if source is not None:
            target = open_source(source, entry, device, options, launch, arguments)
        else:
            assert cubin is not None  # exactly one is given
            _refuse(mode, option=option)
            target = open_cubin(cubin, entry, launch, arguments)
    _show_run(target, device, replayed, json)


def main() -> None:
    """Run the page on the command line's options."""
    app = make_app(HELP)
    app.command(help=HELP)(banks)
    app()


if __name__ == "__main__":
    main()
