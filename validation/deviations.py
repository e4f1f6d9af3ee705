"""The known deviations between a replay and a GPU, as data (``deviations.json``).

Each has a number, a title and a text for readers, and a strict-xfail test that fails when the gap
closes. One that names ``counters`` also excuses differences of those in launches of its
``kernels`` or with its executed ``opcodes``; ``instructions`` are opcodes whose counts by
instruction may differ in those kernels.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from simulator.metrics import matches

DATA = Path(__file__).parent / "deviations.json"


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
    test: str | None = None

    def excuses(self, kernel: str, executed: Iterable[str], counter: str) -> bool:
        """Whether a difference of ``counter`` is this one; ``executed`` are opcodes with
        modifiers."""
        if counter not in self.counters:
            return False
        return kernel in self.kernels or any(
            matches(form, opcode) for form in executed for opcode in self.opcodes
        )

    def excuses_instruction(self, kernel: str, sass: str, counter: str) -> bool:
        """Whether a difference of a count by instruction is this one; ``sass`` is its text."""
        opcode = sass.split()[1 if sass.startswith("@") else 0]
        known = any(matches(opcode, name) for name in self.instructions)
        return known and kernel in self.kernels and counter in self.counters


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
        test=row.get("test"),
    )


def find_instruction_deviation(kernel: str, sass: str, counter: str) -> Deviation | None:
    """The deviation that explains a difference of a count by instruction, if one is known."""
    found = (d for d in load_deviations() if d.excuses_instruction(kernel, sass, counter))
    return next(found, None)


def find_deviation(kernel: str, executed: Iterable[str], counter: str) -> Deviation | None:
    """The deviation that explains a difference of a counter, if one is known."""
    forms = tuple(executed)
    found = (d for d in load_deviations() if d.excuses(kernel, forms, counter))
    return next(found, None)
