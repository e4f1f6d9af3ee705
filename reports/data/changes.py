"""Two runs side by side: totals as pairs and ratios."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.diff import Change, RunDiff

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
    """The totals people look at first, where either run has them."""
    by_name = {change.name: change for change in found.totals}
    return tuple(by_name[name] for name in CHIEF if name in by_name)


def percent_of_before(changes: Sequence[Change]) -> list[float | None]:
    """After in percent of before; None where there was none before."""
    return [
        100 * (change.after or 0) / change.before if change.before else None for change in changes
    ]
