"""What every page on a kernel does first: open it, check it, replay it, save the run."""

from __future__ import annotations

from pathlib import Path

from simulator.choosing import Choice, open_choice, parse_blocks
from simulator.first_run import MESSAGE, is_compiled
from simulator.launching import check_target, replay_target
from simulator.pages import show_note, waiting
from simulator.results import Run
from simulator.storage import check_place


def replay_choice(
    choice: Choice,
    blocks: str,
    save: Path | None,
    caches: bool = False,
    time: bool = False,
    bank_pressure: bool = False,
    timeline: int = 0,
) -> Run:
    """Replay what the options name, and save the run where a file is given.

    Raises:
        SimulatorError: it cannot be opened, launched, replayed or saved.
    """
    replayed = parse_blocks(blocks)
    if save is not None:
        check_place(save)
    target = open_choice(choice)
    check_target(target, choice.device)
    if not is_compiled():
        show_note(MESSAGE)
    with waiting(f"replaying {target.kernel.name}"):
        models = (caches, time, bank_pressure, timeline)
        run = replay_target(target, choice.device, replayed, *models)
    if save is not None:
        run.save(save)
    return run
