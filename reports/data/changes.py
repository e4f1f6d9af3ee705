"""Two runs side by side: totals as pairs and ratios."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.diff import Change, LineDiff, RunDiff

# What people look at first, from the machine code outwards; others follow in the table.
CHIEF = (
    "registers",
    "executed",
    "shared_requests",
    "shared_wavefronts",
    "shared_wavefronts_ideal",
    "bank_conflicts",
    "global_requests",
    "global_sectors",
    "global_tags",
    "local_sectors",
    "warps_per_sm",
    "cycles_at_least",
)


def chief_changes(found: RunDiff) -> tuple[Change, ...]:
    """The totals people look at first, where both runs know them."""
    by_name = {change.name: change for change in found.totals if change.difference is not None}
    return tuple(by_name[name] for name in CHIEF if name in by_name)


# What a line costs beyond the instructions it executes.
_MEMORY = (
    "bank_conflicts",
    "shared_wavefronts",
    "shared_wavefronts_ideal",
    "global_sectors",
    "global_sectors_ideal",
    "local_sectors",
)


def line_changes(found: RunDiff) -> list[tuple[LineDiff, Change]]:
    """Changes by line and opcode: of memory first, then of executed warp instructions, each the
    most changed first."""
    rows = [(line, change) for line in found.lines for change in line.changed]
    kept = [row for row in rows if row[1].name in (*_MEMORY, "executed")]
    return sorted(kept, key=lambda row: (row[1].name not in _MEMORY, -_size(row[1])))


def _size(change: Change) -> float:
    return abs(change.difference or 0)


def line_label(line: LineDiff) -> str:
    """``8`` where both runs have the line there, ``8 > 9`` where it moved, ``8 > -`` if gone."""
    before, after = (str(n or "-") for n in (line.line_before, line.line_after))
    return before if before == after else f"{before} > {after}"


def percent_of_before(changes: Sequence[Change]) -> list[float | None]:
    """After in percent of before; None where there was none before."""
    return [
        100 * (change.after or 0) / change.before if change.before else None for change in changes
    ]
