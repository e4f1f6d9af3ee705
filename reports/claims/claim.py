"""A claim and its answer, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from reports.markup import Cell


class Verdict(str, Enum):
    """What the replay says about a claim."""

    HOLDS = "holds"
    PER_THREAD = "holds only per thread"
    FAILS = "does not hold"
    OPEN = "cannot be told"


@dataclass(frozen=True)
class Table:
    """Numbers that belong to an answer."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[Sequence[Cell], ...]


@dataclass(frozen=True)
class Answer:
    """What an article claims and what the replay found.

    ``claimed`` and ``found`` are the figures in words with units, ``why`` is one sentence,
    ``commands`` print what it rests on. A table whose variants' wavefronts are worth drawing is
    ``charted``.
    """

    number: int
    claim: str
    claimed: str
    found: str
    verdict: Verdict
    why: str
    commands: tuple[str, ...]
    table: Table | None = None
    charted: bool = False

    @property
    def again(self) -> tuple[str, ...]:
        """The command that judges this claim again, then those that print what it rests on."""
        return (f"smreplay report claims --claim {self.number}", *self.commands)


NEAR = 0.05  # a figure given in two digits is right when it is this near


def is_near(value: float | None, wanted: float) -> bool:
    """Whether a figure is within 5 % of the one that is claimed."""
    return value is not None and abs(value - wanted) <= NEAR * abs(wanted)


def judge_levels(thread: float | None, warp: float | None, claimed: float) -> Verdict:
    """A figure counted per thread as the source has it, and per warp as the machine code runs."""
    if not is_near(thread, claimed):
        return Verdict.FAILS
    return Verdict.HOLDS if is_near(warp, claimed) else Verdict.PER_THREAD
