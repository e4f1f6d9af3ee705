"""All claims by number."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from reports.claims import article_two, conflicts, gap, resources, speed, threads
from reports.claims.claim import Answer
from reports.claims.evidence import Evidence
from simulator.errors import UnknownNameError

QUESTIONS: dict[int, Callable[[Evidence], Answer]] = {
    1: threads.tiled,
    2: threads.tile_of_four,
    3: threads.tile_of_eight,
    4: threads.coarsening,
    5: resources.registers,
    6: resources.outputs,
    7: resources.idle_sms,
    8: conflicts.padding,
    9: speed.vectorized,
    10: speed.double_buffer,
    11: resources.spills,
    12: resources.global_intensity,
    13: conflicts.article_two,
    14: article_two.read_once,
    15: article_two.correct,
    16: gap.gap,
}


def ask(number: int, evidence: Evidence) -> Answer:
    """The answer to one claim, from replays made now.

    Raises:
        UnknownNameError: there is no such claim.
        SimulatorError: from the compiler or a replay.
    """
    if number not in QUESTIONS:
        raise UnknownNameError("claim", str(number), map(str, QUESTIONS))
    return QUESTIONS[number](evidence)


def ask_all(evidence: Evidence, numbers: Iterable[int] = ()) -> list[Answer]:
    """The answers to these claims, all of them without numbers."""
    return [ask(number, evidence) for number in numbers or QUESTIONS]
