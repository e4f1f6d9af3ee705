"""The metrics table: for each of our counters ncu's name, the status and how far off it may be.

``table.json`` holds one row a counter::

    counter    name in ``run.counters``
    group      heading under which tables list it
    unit       what it counts
    status     exact, or bounded with a tolerance
    ncu        first architecture (80, 90 ...) -> ncu's name from there on; empty where ncu has no
               such counter, or it may count something else
    sum        column of counts -> opcodes whose instructions are added, "all" or "pipe NAME"
    launch     instead of a sum: which number of the launch it is
    tolerance  measured - predicted lies in [low, high] x the predicted counter ``of``, and why;
               ``difference`` is a name for what the hardware adds

A row without ``sum`` and ``launch`` is a total that the replay gives anyway. ``source_page`` lists
the per-instruction columns of ncu's source page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from simulator.results import Counter, Status

DATA = Path(__file__).parent
ALL = "all"
PIPE = "pipe "
WITHOUT = "-"  # before an opcode of a list: these do not belong to it

Opcodes = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Where measured - predicted lies: between ``low`` and ``high`` times a predicted counter.

    ``of`` names that counter. ``difference`` is a word for the difference where it has one
    ("arbitration"): then the prediction is exact for what it counts, and hardware adds to it.
    """

    low: float
    high: float
    of: str
    reason: str
    difference: str | None = None

    def holds(self, difference: float, scale: float) -> bool:
        """Whether a difference is within the bounds; ``scale`` is the value of ``of``."""
        return self.low * scale <= difference <= self.high * scale


@dataclass(frozen=True, slots=True)
class Metric:
    """One row of the table; the module's docstring gives the meaning."""

    counter: str
    group: str
    unit: str
    status: Status
    ncu: Mapping[int, str]
    sum: Mapping[str, Opcodes] | None = None
    launch: str | None = None
    tolerance: Tolerance | None = None
    note: str = ""

    def ncu_name(self, architecture: int) -> str | None:
        """ncu's name on an architecture; None where the counter is not known there."""
        known = [first for first in self.ncu if first <= architecture]
        return self.ncu[max(known)] if known else None


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """One column of ncu's source page: its metric, our counter, its heading there."""

    metric: str
    counter: str
    heading: str


@cache
def load_metrics() -> tuple[Metric, ...]:
    """All rows, in the table's order."""
    return tuple(_metric(row) for row in _table()["counters"])


@cache
def load_source_page() -> tuple[SourceColumn, ...]:
    """The per-instruction columns of ncu's source page that a replay predicts."""
    return tuple(SourceColumn(**row) for row in _table()["source_page"])


@cache
def load_pipes(architecture: int) -> Mapping[str, tuple[str, ...]] | None:
    """Pipe -> opcodes that run in it, "none" for those in no pipe; None where not measured.

    Found on the counters of an NVIDIA H200, but for global atomics with a result, which ncu's
    documentation puts into the pipe of the load/store unit.
    """
    content = json.loads((DATA / "pipes.json").read_text(encoding="utf-8"))
    pipes = content["pipes"].get(str(architecture))
    return None if pipes is None else {name: tuple(opcodes) for name, opcodes in pipes.items()}


def matches(signature: str, opcode: str) -> bool:
    """Whether a signature is of an opcode, with or without further modifiers."""
    return signature == opcode or signature.startswith((f"{opcode}.", f"{opcode} "))


def is_listed(signature: str, opcodes: Sequence[str]) -> bool:
    """Whether a list of opcodes has a signature: one of them matches, and none that stands there
    with a ``WITHOUT``."""
    left_out = (o.removeprefix(WITHOUT) for o in opcodes if o.startswith(WITHOUT))
    return any(matches(signature, o) for o in opcodes) and not any(
        matches(signature, o) for o in left_out
    )


def ncu_counters(counters: Mapping[str, Counter], architecture: int) -> dict[str, Counter]:
    """Counters of a run under ncu's metric names, launch counters first, then the source page.

    The status is the one against ncu: a number that is exact by address is bounded where the
    hardware counter also holds arbitration.
    """
    found = {}
    for metric in load_metrics():
        name = metric.ncu_name(architecture)
        if name is None or metric.counter not in counters:
            continue
        ours = counters[metric.counter]
        found[name] = Counter(ours.value, ours.unit, weaker(ours.status, metric.status))
    for column in load_source_page():
        if column.counter in counters:
            found[column.metric] = counters[column.counter]
    return found


def weaker(one: Status, other: Status) -> Status:
    """The status that promises less."""
    return max(one, other, key=list(Status).index)


@cache
def _table() -> Mapping[str, Any]:
    content: dict[str, Any] = json.loads((DATA / "table.json").read_text(encoding="utf-8"))
    return content


def _metric(row: Mapping[str, Any]) -> Metric:
    return Metric(
        counter=row["counter"],
        group=row["group"],
        unit=row["unit"],
        status=Status(row["status"]),
        ncu={int(first): name for first, name in row["ncu"].items()},
        sum={column: _opcodes(value) for column, value in row["sum"].items()}
        if "sum" in row
        else None,
        launch=row.get("launch"),
        tolerance=Tolerance(**{"of": row["counter"], **row["tolerance"]})
        if "tolerance" in row
        else None,
        note=row.get("note", ""),
    )


def _opcodes(value: str | Sequence[str]) -> Opcodes:
    return value if isinstance(value, str) else tuple(value)
