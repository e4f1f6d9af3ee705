"""Every number that the models of caches and time need of a GPU: its own, or another's.

What a GPU's own file lacks is worked out from what it has, else taken from a GPU of the same
compute capability, else from ``LENDER``, on which all parts of the model were measured. What all
SMs share is taken by their number: a hypothesis, as all that comes from another chip.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from simulator.device.load import device_names, load_device
from simulator.device.model import Device

LENDER = "h200"
CLOCKS = ("clock_observed_fp32_hz", "clock_boost_hz")
# What all SMs share. (DRAM's bandwidth is worked out from the documented one, its channels each
# GPU's file has.)
_BY_SMS = ("l2_read_bytes_per_cycle", "l2_write_bytes_per_second", "l2_slices")

_HBM_STACK_BITS = 1024

Numbers = dict[str, float]


def find_numbers(device: Device) -> tuple[Numbers, tuple[str, ...]]:
    """A GPU's numbers by fact name (the first of those that are rows), and the names of those that
    were measured on another GPU. Clocks are nobody's but its own."""
    own = _facts(device)
    own.update(_other_units(own))
    found = dict(own)
    for lender in _lenders(device):
        _lend(device, lender, found)
    return found, tuple(sorted(found.keys() - own.keys()))


def several(device: Device, key: str) -> tuple[float, ...]:
    """A fact with several numbers, the lender's if the device lacks it."""
    value = (device.facts.get(key) or load_device(LENDER).facts[key]).value
    return value if isinstance(value, tuple) else (value,)


def _facts(device: Device) -> Numbers:
    first = ((key, fact.value) for key, fact in device.facts.items())
    return {key: float(v[0] if isinstance(v, tuple) else v) for key, v in first}


def usual_clock(numbers: Mapping[str, float]) -> float | None:
    """The clock that a GPU's SMs run at under load, in Hz, as far as known."""
    return next((numbers[key] for key in CLOCKS if key in numbers), None)


def _other_units(own: Numbers) -> Numbers:
    """L2's rate a cycle, where only the one a second is known."""
    clock, rate = usual_clock(own), own.get("l2_read_bytes_per_second")
    if "l2_read_bytes_per_cycle" in own or clock is None or rate is None:
        return {}
    return {"l2_read_bytes_per_cycle": rate / clock}


def _lenders(device: Device) -> Iterator[Device]:
    others = (load_device(name) for name in device_names())
    if device.name != LENDER:
        yield from (d for d in others if d.architecture == device.architecture and d != device)
        yield load_device(LENDER)


def _lend(device: Device, lender: Device, found: Numbers) -> None:
    """Add to ``found`` what the lender knows and the device does not, of all that is needed."""
    lent, needed = _facts(lender), load_device(LENDER).facts
    lent.update(_other_units(lent))
    _add_shares(found, lent)
    for key in lent.keys() & needed.keys():
        if not key.startswith("clock_"):
            part = device.sm_count / lender.sm_count if key in _BY_SMS else 1.0
            found.setdefault(key, lent[key] * part)


def _checks_memory(found: Numbers) -> bool:
    """Whether memory comes with its check bits (ECC), so that L2 has to complete a sector before it
    can be written: HBM's does, stacks of 1,024 bits each; GDDR takes writes with a mask (JEDEC)."""
    return found.get("dram_bus_bits", 0.0) >= _HBM_STACK_BITS


def _add_shares(found: Numbers, lent: Numbers) -> None:
    """What is known but for the part of it that can be reached, which is taken from the lender:
    DRAM's bandwidth of the documented one, L2's of writing of that of reading, and what L2 keeps of
    what is stored."""
    read, peak = "dram_read_bytes_per_second", "dram_bytes_per_second"
    if peak in found and {read, peak} <= lent.keys():
        found.setdefault(read, found[peak] * lent[read] / lent[peak])
    if not _checks_memory(found):
        found.setdefault("l2_unfinished_bytes", 0.0)
    for kept in ("l2_dirty_capacity_bytes", "l2_unfinished_bytes"):
        if kept in lent:
            found.setdefault(kept, found["l2_bytes"] * lent[kept] / lent["l2_bytes"])
    clock, key = usual_clock(found), "l2_read_bytes_per_cycle"
    write, lent_clock = "l2_write_bytes_per_second", usual_clock(lent)
    if clock and lent_clock and key in found and {key, write} <= lent.keys():
        share = lent[write] / (lent[key] * lent_clock)
        found.setdefault(write, share * found[key] * clock)
