"""``python -m simulator.time``: how long a launch would take, and where its warps would wait."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simulator.choosing import (
    Choice,
    JsonOption,
    on_kernel,
    open_choice,
    refuse_beside,
)  # fmt: skip
from simulator.device import device_title
from simulator.errors import ArgumentError
from simulator.frontends.entry import shown_name
from simulator.launching import Target, check_target, replay_target
from simulator.pages import make_app, page, show, waiting
from simulator.results import LaunchTime
from simulator.storage import check_place
from simulator.timing.changes import CHANGES, parse_changes

if TYPE_CHECKING:
    from simulator.emulator.launch import Launch as EmulatedLaunch
    from simulator.timing.gap import Step

HELP = f"""Predicted time of a kernel with cold and with warm caches, and what it waits for.

Give one of --kernel (a kernel of the catalogue), --source or --cubin.

--what-if NAME=NUMBER takes the same launch with one thing changed:

{"".join(f"{name}: {meaning}.{chr(10) * 2}" for name, meaning in CHANGES.items())}
"""


def predict_target(target: Target, device: str, changes: dict[str, float]) -> LaunchTime:
    """The predicted times of a target that passed :func:`simulator.launching.check_target`."""
    from simulator.timing.predict import predict_time

    return predict_time(open_launch(target), device, changes)


def open_launch(target: Target) -> EmulatedLaunch:
    """The target on the emulator, not run yet."""
    from simulator.emulator.launch import Launch
    from simulator.emulator.program import build_program

    where = target.launch
    program = build_program(target.kernel)
    return Launch(program, where.grid, where.block, where.shared_bytes, target.arguments)


def replay_timed(target: Target, device: str, changes: dict[str, float], save: Path) -> LaunchTime:
    """The same from a whole run, saved to a file."""
    run = replay_target(target, device, "auto", time=True, what_if=changes)
    run.save(save)
    assert run.time is not None  # asked for
    return run.time


def explain_target(target: Target, device: str, changes: dict[str, float]) -> tuple[Step, ...]:
    """The target's time with one cost less in every step, see :mod:`simulator.timing.gap`."""
    from simulator.timing.gap import find_gap

    return find_gap(open_launch(target), device, changes)


def _states(cold: bool, warm: bool) -> tuple[str, ...]:
    if cold and warm:
        raise ArgumentError("--cold and --warm: leave both out to see both")
    return ("cold",) if cold else ("warm",) if warm else ("cold", "warm")


@page
@on_kernel
def time(
    choice: Choice,
    cold: Annotated[bool, typer.Option("--cold", help="Only with cold caches.")] = False,
    warm: Annotated[bool, typer.Option("--warm", help="Only with warm caches.")] = False,
    what_if: Annotated[
        list[str] | None,
        typer.Option(help="One thing changed, as listed above; may be repeated."),
    ] = None,
    gap: Annotated[
        bool,
        typer.Option(
            "--gap", help="Time without conflicts, waits and issue limits: where the rest goes."
        ),
    ] = False,
    json: JsonOption = None,
) -> None:
    """Print predicted times, stall reasons and how busy each resource is."""
    from simulator.render_time import render_gap, render_time
    from simulator.timing.gap import STEPS

    states = _states(cold, warm)
    changes = parse_changes(what_if or ())
    if json is not None:
        refuse_beside("--json", gap=gap)
        check_place(json)
    target = open_choice(choice)
    check_target(target, choice.device)
    device = device_title(choice.device, target.kernel.architecture)
    title = f"{shown_name(target.kernel.name)} on {device}"
    if gap:
        with waiting(f"predicting {target.kernel.name} {len(STEPS)} times"):
            steps = explain_target(target, choice.device, changes)
        show(render_gap(title, steps, states[-1]))
        return
    with waiting(f"predicting {target.kernel.name}"):
        if json is None:
            found = predict_target(target, choice.device, changes)
        else:
            found = replay_timed(target, choice.device, changes, json)
    show(render_time(title, found, states, target.kernel.instructions))


def main() -> None:
    """Run the page on the command line's options."""
    app = make_app(HELP)
    app.command(help=HELP)(time)
    app()


if __name__ == "__main__":
    main()
