"""What-ifs: the same launch with one thing changed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from simulator.device.limits import check_launch
from simulator.device.model import Device
from simulator.errors import ArgumentError

Dim3 = tuple[int, int, int]

# What can be changed, and what the number means.
CHANGES = {
    "bank_conflicts": "0: shared requests take the wavefronts they need without conflicts",
    "clock_hz": "clock of SMs and L2; DRAM keeps its bytes a second and its latency",
    "registers": "registers a thread, for occupancy only: the code stays as it is",
    "l2_bytes": "size of L2",
    "l2_read_bytes_per_cycle": "bytes a cycle from L2 to all SMs",
    "l2_write_bytes_per_second": "bytes a second from all SMs into L2, at its usual clock",
    "l2_hit_latency_cycles": "latency of L2",
    "dram_read_bytes_per_second": "DRAM bandwidth",
    "dram_latency_cycles": "latency of DRAM, that of L2 in it, at its usual clock",
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
        if name == "registers" and value != int(value):
            raise ArgumentError(f"what-if {name}={value:g}: give a whole number")


def check_registers(changes: Mapping[str, float], device: Device, block: Dim3) -> None:
    """Refuse registers that no thread can have, or that no block fits with.

    Raises:
        ArgumentError: names the limit.
    """
    registers, most = int(changes.get("registers", 0)), device.max_registers_per_thread
    if registers > most:
        raise ArgumentError(f"what-if registers={registers}: a thread has at most {most}")
    check_launch(device, (1, 1, 1), block, registers=registers)


def given_changes(what_if: Mapping[str, float] | None, timed: bool) -> dict[str, float]:
    """What a caller of ``replay`` wants changed; ``timed``: a time is predicted at all.

    Raises:
        ArgumentError: no time is, it is no mapping to numbers, or a change that cannot be made.
    """
    if what_if is None:
        return {}
    if not timed:
        raise ArgumentError("what_if is for the predicted time; give time=True as well")
    try:
        changes = {str(name): float(value) for name, value in dict(what_if).items()}
    except (TypeError, ValueError):
        raise ArgumentError(
            f"what_if is {what_if!r}; give names with numbers, as in "
            'what_if={"bank_conflicts": 0}'
        ) from None
    check_changes(changes)
    return changes


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
