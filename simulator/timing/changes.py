"""What-ifs: the same launch with one thing changed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from simulator.errors import ArgumentError

# What can be changed, and what the number means.
CHANGES = {
    "bank_conflicts": "0: shared requests take the wavefronts they need without conflicts",
    "clock_hz": "clock of the SMs; DRAM keeps its bytes a second",
    "registers": "registers a thread, for occupancy only: the code stays as it is",
    "l2_bytes": "size of L2",
    "dram_read_bytes_per_second": "DRAM bandwidth",
    "taken_branches": "0: taken branches cost nothing beyond their stall counts",
    "register_banks": "0: register reads never wait for a bank",
    "stall_counts": "0: an instruction's stall count never holds its warp",
    "waits": "0: no warp waits for a result or at a barrier; every unit keeps its rate",
}
_ONLY_ZERO = ("bank_conflicts", "taken_branches", "register_banks", "stall_counts", "waits")


def check_changes(changes: Mapping[str, float]) -> None:
    """Refuse what cannot be changed.

    Raises:
        ArgumentError: an unknown name, or a number that makes no sense for it.
    """
    for name, value in changes.items():
        if name not in CHANGES:
            raise ArgumentError(f"what-if {name!r} is unknown; use one of {', '.join(CHANGES)}")
        if name in _ONLY_ZERO and value != 0:
            raise ArgumentError(f"what-if {name} can only be 0")
        if name not in _ONLY_ZERO and not 0 < value < math.inf:
            raise ArgumentError(f"what-if {name}={value:g}: give a positive number")


def parse_changes(texts: Iterable[str]) -> dict[str, float]:
    """``name=number`` texts as changes.

    Raises:
        ArgumentError: a text of another form, or a change that cannot be made.
    """
    changes: dict[str, float] = {}
    for text in texts:
        name, _, number = text.partition("=")
        try:
            changes[name.strip()] = float(number)
        except ValueError:
            raise ArgumentError(f"--what-if {text!r}: write name=number") from None
    check_changes(changes)
    return changes
