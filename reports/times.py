"""Predicted times: of a run, where it has one, and of launches that a report asks about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from simulator.launching import open_catalogue
from simulator.results import InstructionRecord, LaunchTime, Run, Timing
from simulator.shared_report import source_text
from simulator.time import predict_target


@dataclass(frozen=True)
class Ratio:
    """How many times longer one launch takes than another, warm caches.

    ``certain`` says that the two times' ranges (their intervals) do not overlap.
    """

    value: float
    certain: bool


@dataclass(frozen=True)
class Waiting:
    """A source line that warps wait before: its part of all waiting, and the chief reason.

    ``sass`` is the instruction of the line that they wait longest before.
    """

    line: int | None
    text: str
    sass: str
    share: float
    reason: str


_NO_WAITING = ("selected", "not_selected")  # the issue itself, and others that issue


def waiting_lines(run: Run, most: int = 8) -> tuple[Waiting, ...]:
    """The source lines that warps wait longest before, warm caches; empty without a time."""
    if run.time is None:
        return ()
    groups: dict[tuple[str | None, int | None], dict[int, Counter[str]]] = {}
    records = {record.index: record for record in run.instructions}
    for index, row in run.time.warm.instruction_stalls.items():
        waits = Counter({name: n for name, n in row.items() if name not in _NO_WAITING})
        place = (records[index].source_file, records[index].source_line)
        groups.setdefault(place, {})[index] = waits
    total = sum(waits.total() for group in groups.values() for waits in group.values()) or 1
    found = [_waiting(run, records, group, total) for group in groups.values()]
    worst = sorted(found, key=lambda item: -item.share)[:most]
    return tuple(item for item in worst if item.share)


def _waiting(
    run: Run,
    records: Mapping[int, InstructionRecord],
    group: Mapping[int, Counter[str]],
    total: int,
) -> Waiting:
    worst = records[max(group, key=lambda index: group[index].total())]
    together = sum(group.values(), Counter[str]())
    reason = max(together, key=lambda name: together[name], default="")
    text = source_text(run, worst.source_file, worst.source_line)
    return Waiting(worst.source_line, text, worst.sass, together.total() / total, reason)


def with_interval(time: Timing) -> str:
    """``321.1 (279.3 to 362.8)``: predicted microseconds with their interval."""
    return f"{time.microseconds:.4g} ({time.low_us:.4g} to {time.high_us:.4g})"


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
