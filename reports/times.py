"""Predicted times: of a run, where it has one, and of launches that a report asks about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from simulator.launching import open_catalogue
from simulator.results import InstructionRecord, LaunchTime, Run
from simulator.shared_report import source_text
from simulator.time import predict_target


@dataclass(frozen=True)
class Ratio:
    """How many times longer one launch takes than another, warm caches.

    ``certain`` says that the two times' ranges (which hold four of five launches) do not overlap.
    """

    value: float
    certain: bool


@dataclass(frozen=True)
class Waiting:
    """One instruction that warps wait before: its part of all waiting, and the chief reason."""

    sass: str
    line: int | None
    text: str
    share: float
    reason: str


_NO_WAITING = ("selected", "not_selected")  # the issue itself, and others that issue


def waiting_instructions(run: Run, most: int = 8) -> tuple[Waiting, ...]:
    """The instructions that warps wait longest before, warm caches; empty without a time."""
    if run.time is None:
        return ()
    waits = {
        index: {name: n for name, n in row.items() if name not in _NO_WAITING}
        for index, row in run.time.warm.instruction_stalls.items()
    }
    total = sum(sum(row.values()) for row in waits.values()) or 1
    worst = sorted(waits.items(), key=lambda item: -sum(item[1].values()))[:most]
    records = {record.index: record for record in run.instructions}
    return tuple(
        _waiting(run, records[index], row, sum(row.values()) / total) for index, row in worst if row
    )


def _waiting(run: Run, record: InstructionRecord, row: Mapping[str, int], share: float) -> Waiting:
    text = source_text(run, record.source_file, record.source_line)
    reason = max(row, key=lambda name: row[name])
    return Waiting(record.sass, record.source_line, text, share, reason)


def warm_waits(run: Run, reason: str) -> float | None:
    """Warp-cycles that warps of the simulated SM wait for a reason; None without a time."""
    if run.time is None:
        return None
    return float(sum(row.get(reason, 0) for row in run.time.warm.instruction_stalls.values()))


def predicted_ratio(first: Run, second: Run) -> Ratio | None:
    """The second launch's time in units of the first's; None where a time is unmodelled."""
    if first.time is None or second.time is None:
        return None
    one, other = first.time.warm, second.time.warm
    apart = one.high_us < other.low_us or other.high_us < one.low_us
    return Ratio(other.microseconds / one.microseconds, apart)


def predict_launch(kernel: str, size: Mapping[str, int] | int | None, device: str) -> LaunchTime:
    """Predict a catalogue kernel now.

    Raises:
        SimulatorError: it cannot be compiled, launched or predicted.
    """
    return predict_target(open_catalogue(kernel, size, 0, device), device, {})
