"""The known deviations between a replay and a GPU, as data (``deviations.json``).

Each has a number, a title and a text for readers, and a strict-xfail test that fails when the gap
closes. One that names ``counters`` also excuses differences of those in launches of its
``kernels`` or with its executed ``opcodes``; ``instructions`` are opcodes whose counts by
instruction may differ there. ``share`` bounds both: what is measured differs by no more than that
share of how often its opcodes ran, counts of threads by 32 times that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from simulator.metrics import matches

DATA = Path(__file__).parent / "deviations.json"


@dataclass(frozen=True, slots=True)
class Gap:
    """One count that differs by ``size`` (absolute): of a launch, or of an instruction with a
    text."""

    counter: str
    size: float = 0.0
    sass: str | None = None


@dataclass(frozen=True, slots=True)
class Deviation:
    """One known gap; the module's docstring gives the meaning of the fields."""

    id: str
    title: str
    text: str
    kernels: tuple[str, ...] = ()
    opcodes: tuple[str, ...] = ()
    counters: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    share: float | None = None
    test: str | None = None

    def excuses(self, kernel: str, ran: Mapping[str, int], gap: Gap) -> bool:
        """Whether a difference is this one; ``ran`` says how often opcodes with modifiers ran."""
        if gap.counter not in self.counters:
            return False
        if gap.sass is not None and not self._is_of(gap.sass):
            return False
        mine = [n for form, n in ran.items() if any(matches(form, o) for o in self.opcodes)]
        if self.share is not None and gap.size > self._most(gap.counter, sum(mine)):
            return False
        return kernel in self.kernels or bool(mine)

    def _is_of(self, sass: str) -> bool:
        opcode = sass.split()[1 if sass.startswith("@") else 0]
        return any(matches(opcode, name) for name in self.instructions)

    def _most(self, counter: str, ran: int) -> float:
        return (self.share or 0.0) * ran * (32 if counter.startswith("thread") else 1)


@cache
def load_deviations() -> tuple[Deviation, ...]:
    """All known deviations by number."""
    rows = json.loads(DATA.read_text(encoding="utf-8"))["deviations"]
    return tuple(_deviation(row) for row in rows)


def _deviation(row: Mapping[str, Any]) -> Deviation:
    return Deviation(
        id=row["id"],
        title=row["title"],
        text=row["text"],
        kernels=tuple(row.get("kernels", ())),
        opcodes=tuple(row.get("opcodes", ())),
        counters=tuple(row.get("counters", ())),
        instructions=tuple(row.get("instructions", ())),
        share=row.get("share"),
        test=row.get("test"),
    )


def find_deviation(kernel: str, ran: Mapping[str, int], gap: Gap) -> Deviation | None:
    """The deviation that explains a difference, if one is known."""
    return next((d for d in load_deviations() if d.excuses(kernel, ran, gap)), None)
