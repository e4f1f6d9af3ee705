"""Two runs side by side, as data: what differs in the launch, in total, and line by line.

Instructions are matched by source line and opcode, modifiers aside. Where both runs hold the
source, lines are matched by their text, so that lines added above do not count as changes; a line
that was edited is matched with the one in its place.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import PurePath

from simulator.instruction_mix import instruction_form
from simulator.results import COUNT_FIELDS, InstructionRecord, Run, Status
from simulator.shared_report import source_text
from simulator.status import weakest

HASH_DIGITS = 12  # shown of a program's hash
Key = tuple[str | None, int | None, int | None, str]  # file, line before, line after, opcode


@dataclass(frozen=True, slots=True)
class Change:
    """One number before and after; None where a run does not have it.

    ``absent`` is what a missing number counts as: 0 for what an opcode of the other run only does,
    None where a run does not model it. ``status`` is that of the number that promises less.
    """

    name: str
    before: float | None
    after: float | None
    absent: float | None = field(default=None, compare=False)
    status: Status = field(default=Status.EXACT, compare=False)

    @property
    def difference(self) -> float | None:
        """After minus before; None where either is not known."""
        before = self.absent if self.before is None else self.before
        after = self.absent if self.after is None else self.after
        return None if before is None or after is None else after - before


@dataclass(frozen=True, slots=True)
class LineDiff:
    """The counts of one opcode on one source line that are not zero in both runs.

    A line number is None where the line is in the other run only; a number of a change is None
    where the opcode is in the other run only.
    """

    file: str | None
    line_before: int | None
    line_after: int | None
    text: str
    opcode: str
    changes: tuple[Change, ...]

    @property
    def changed(self) -> tuple[Change, ...]:
        """Those that differ."""
        return tuple(change for change in self.changes if change.difference)


@dataclass(frozen=True)
class RunDiff:
    """``facts`` are the differing words about kernel, device and launch: (name, before, after)."""

    before: Run
    after: Run
    facts: tuple[tuple[str, str, str], ...]
    totals: tuple[Change, ...]
    lines: tuple[LineDiff, ...]

    @property
    def conflicts(self) -> int:
        """How many bank conflicts the second run has more than the first."""
        return _conflicts(self.after) - _conflicts(self.before)

    @property
    def conflicts_grew(self) -> bool:
        """Whether the second run has more bank conflicts."""
        return self.conflicts > 0


def _conflicts(run: Run) -> int:
    return sum(record.bank_conflicts for record in run.instructions)


def compare_runs(before: Run, after: Run) -> RunDiff:
    """What differs between two runs."""
    found = sorted(_line_diffs(before, after), key=_order)
    lines = tuple(line for line in found if line.changed)
    return RunDiff(before, after, tuple(_facts(before, after)), _totals(before, after), lines)


def _order(line: LineDiff) -> tuple[str, int, int]:
    """By file, then by line of the second run; removed lines where they were."""
    after = line.line_after if line.line_after is not None else line.line_before
    return line.file or "", after or 0, line.line_before or 0


def _facts(before: Run, after: Run) -> Iterator[tuple[str, str, str]]:
    for name in ("kernel", "device", "architecture", "compiler", "grid", "block"):
        one, other = getattr(before, name), getattr(after, name)
        if one != other:
            yield name, _word(one), _word(other)
    for name, found in (
        ("program", _program),
        ("limited by", _limiters),
        ("binding roof", _binding),
    ):
        one, other = found(before), found(after)
        if one != other and one and other:
            yield name, one, other


def _program(run: Run) -> str:
    return run.program_hash[:HASH_DIGITS]


def _limiters(run: Run) -> str:
    """What limits the blocks of an SM."""
    return ", ".join(run.occupancy.limiters) if run.occupancy else ""


def _binding(run: Run) -> str:
    roof = run.roofline.binding if run.roofline else None
    return roof.name if roof else ""


def _word(value: object) -> str:
    if isinstance(value, tuple):
        return "x".join(map(str, value))
    return str(value) or "-"


def _totals(before: Run, after: Run) -> tuple[Change, ...]:
    pairs = [*_resources(before, after), *_times(before, after)]
    for name in COUNT_FIELDS:
        one, other = (float(sum(getattr(r, name) for r in run.instructions))
                      for run in (before, after))  # fmt: skip
        pairs.append(Change(name, one, other, status=_status(name, before, after)))
    for name in {**before.counters, **after.counters}:
        if name not in COUNT_FIELDS:
            values = _counted(before, name), _counted(after, name)
            pairs.append(Change(name, *values, status=_status(name, before, after)))
    return tuple(change for change in pairs if change.before or change.after)


def _status(name: str, *runs: Run) -> Status:
    """How far a counter can be trusted in all runs."""
    known = [run.counters[name].status for run in runs if name in run.counters]
    return weakest([*known, *(run.sampling.status for run in runs)])


def _counted(run: Run, name: str) -> float | None:
    counter = run.counters.get(name)
    return counter.value if counter is not None and math.isfinite(counter.value) else None


def _resources(before: Run, after: Run) -> Iterator[Change]:
    for name in ("registers", "static_shared_bytes", "dynamic_shared_bytes"):
        yield Change(name, getattr(before, name), getattr(after, name))
    for name in ("spill_store_bytes", "spill_load_bytes", "stack_bytes"):
        yield Change(name, getattr(before, name), getattr(after, name))
    yield Change("warps_per_sm", _warps(before), _warps(after))
    yield Change("cycles_at_least", _cycles(before), _cycles(after), status=Status.BOUNDED)


def _times(before: Run, after: Run) -> Iterator[Change]:
    """Predicted times, where both runs have them."""
    if before.time and after.time:
        one, other = before.time, after.time
        cold = one.cold.microseconds, other.cold.microseconds
        warm = one.warm.microseconds, other.warm.microseconds
        yield Change("microseconds_cold", *cold, status=Status.BOUNDED)
        yield Change("microseconds_warm", *warm, status=Status.BOUNDED)


def _warps(run: Run) -> int | None:
    return None if run.occupancy is None else run.occupancy.warps_per_sm


def _cycles(run: Run) -> int | None:
    binding = None if run.roofline is None else run.roofline.binding
    return None if binding is None or binding.cycles is None else round(binding.cycles)


def match_lines(before: Sequence[str], after: Sequence[str]) -> dict[int, int]:
    """Line numbers of the second text by those of the first, both from 1; spaces do not count."""
    texts = [[" ".join(line.split()) for line in lines] for lines in (before, after)]
    matched = {}
    matcher = SequenceMatcher(None, texts[0], texts[1], autojunk=False)
    for tag, a, a_end, b, b_end in matcher.get_opcodes():
        if tag in ("equal", "replace"):
            pairs = zip(range(a, a_end), range(b, b_end), strict=False)
            matched.update({one + 1: other + 1 for one, other in pairs})
    return matched


@dataclass(frozen=True)
class Lines:
    """Which lines of one file are which in the other run; None: every line is itself."""

    forward: Mapping[int, int] | None

    def after(self, line: int) -> int | None:
        """The line of the second run for one of the first."""
        return line if self.forward is None else self.forward.get(line)

    def before(self, line: int) -> int | None:
        """The line of the first run for one of the second."""
        if self.forward is None:
            return line
        return next((one for one, other in self.forward.items() if other == line), None)


def _line_diffs(before: Run, after: Run) -> Iterator[LineDiff]:
    renamed = _renamed(before, after)
    matched = _matched_files(before, after, renamed)
    groups: dict[Key, tuple[list[InstructionRecord], list[InstructionRecord]]] = {}
    for record in before.instructions:
        file, line = record.source_file, record.source_line
        other = None if line is None else matched.get(file, Lines(None)).after(line)
        key = (file, line, other, instruction_form(record)[0])
        groups.setdefault(key, ([], []))[0].append(record)
    for record in after.instructions:
        file, line = renamed.get(record.source_file, record.source_file), record.source_line
        other = None if line is None else matched.get(file, Lines(None)).before(line)
        key = (file, other, line, instruction_form(record)[0])
        groups.setdefault(key, ([], []))[1].append(record)
    texts = {file: name for name, file in renamed.items()}
    for key, (old, new) in groups.items():
        file, line, other, opcode = key
        text = source_text(after, texts.get(file, file), other) or source_text(before, file, line)
        changes = tuple(_changes(old, new))
        yield LineDiff(file, line, other, text, opcode, changes)


def _changes(
    before: Sequence[InstructionRecord], after: Sequence[InstructionRecord]
) -> Iterator[Change]:
    status = weakest(record.status for record in (*before, *after))
    for name in COUNT_FIELDS:
        one = sum(getattr(record, name) for record in before)
        other = sum(getattr(record, name) for record in after)
        if one or other:
            found = one if before else None, other if after else None
            yield Change(name, *found, absent=0, status=status)


def _renamed(before: Run, after: Run) -> dict[str | None, str | None]:
    """The first run's name for each file of the second: by base name, or as the only ones."""
    old = {record.source_file for record in before.instructions} - {None}
    new = {record.source_file for record in after.instructions} - {None}
    if len(old) == len(new) == 1:
        return {new.pop(): old.pop()}
    short = {PurePath(file).name: file for file in old if file}
    return {file: short.get(PurePath(file).name, file) for file in new if file}


def _matched_files(
    before: Run, after: Run, renamed: Mapping[str | None, str | None]
) -> dict[str | None, Lines]:
    matched = {}
    for new, old in renamed.items():
        texts = [before.source_text.get(old or "", ""), after.source_text.get(new or "", "")]
        if all(texts):
            matched[old] = Lines(match_lines(*(text.splitlines() for text in texts)))
    return matched
