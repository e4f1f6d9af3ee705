"""A shared request in words: one short line that says why it takes the wavefronts it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.device import structure
from simulator.memory.shared import hardware_group

WORD_BYTES, BANKS = structure.SHARED_BANK_BYTES, structure.SHARED_BANKS
MOST_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class _Phase:
    """The active lanes that the data stage takes at once, with their addresses in units.

    A unit is ``words`` words (1, 2 or 4): what one lane accesses, at least a word.
    """

    lanes: tuple[int, ...]
    units: tuple[int, ...]
    words: int

    def bank(self, position: int) -> int:
        """First bank of a lane's unit."""
        return self.units[position] * self.words % BANKS

    def sharers(self, serialised: bool) -> list[int]:
        """Positions of lanes in the busiest bank: one a distinct unit, or all if serialised."""
        by_bank: dict[int, dict[int, int]] = {}
        for position, unit in enumerate(self.units):
            key = position if serialised else unit
            by_bank.setdefault(self.bank(position), {}).setdefault(key, position)
        return sorted(max(by_bank.values(), key=len).values())


def explain(offsets: Sequence[int], lane_mask: int, width_bytes: int, op: str = "load") -> str:
    """What the lanes of a shared request do to the banks, in at most 60 characters.

    ``offsets`` are 32 byte offsets, those of active lanes aligned to ``width_bytes``; ``op`` is
    "load", "store" or "atomic", which serialises lanes even at one address. Strides are in words.
    """
    serialised = op == "atomic"
    active = [offsets[lane] if lane_mask >> lane & 1 else 0 for lane in range(32)]
    phases = _split_phases(active, lane_mask, width_bytes, op == "load")
    if not phases:
        return "no active lane"
    lanes = sum(len(phase.lanes) for phase in phases)
    units = len({unit for phase in phases for unit in phase.units})
    if units == 1 and lanes > 1:
        return _explain_one_unit(lanes, width_bytes, serialised)
    worst = max(phases, key=lambda phase: len(phase.sharers(serialised)))
    if len(worst.sharers(serialised)) == 1:
        return f"{_count_units(units, width_bytes)}, conflict-free"
    return _explain_stride(worst, serialised) or _explain_bank(worst, serialised)


def _split_phases(
    offsets: Sequence[int], lane_mask: int, width: int, is_load: bool
) -> list[_Phase]:
    unit_bytes = max(width, WORD_BYTES)
    group = hardware_group(np.array(offsets, np.uint32), lane_mask, width, is_load)
    phases = []
    for first in range(0, 32, group):
        lanes = tuple(n for n in range(first, first + group) if lane_mask >> n & 1)
        if lanes:
            units = tuple(offsets[lane] // unit_bytes for lane in lanes)
            phases.append(_Phase(lanes, units, unit_bytes // WORD_BYTES))
    return phases


def _count_units(units: int, width: int) -> str:
    size = "word" if width <= WORD_BYTES else f"{width}-byte word"
    return f"{units} distinct {size}s" if units > 1 else f"one {size}"


def _explain_one_unit(lanes: int, width: int, serialised: bool) -> str:
    who = "all lanes" if lanes == 32 else f"all {lanes} active lanes"
    how = "one after the other" if serialised else "broadcast"
    return f"{who} on {_count_units(1, width)} ({how})"


def _explain_stride(phase: _Phase, serialised: bool) -> str | None:
    """A run of neighbouring lanes at one stride, if it alone explains the busiest bank."""
    run = _leading_run(phase)
    first, last = run.lanes[0], run.lanes[-1]
    if len(run.sharers(serialised)) < len(phase.sharers(serialised)):
        return None
    stride = (run.units[1] - run.units[0]) * run.words
    if stride == 0:
        return None
    banks = len({run.bank(position) for position in range(len(run.lanes))}) * run.words
    noun = "bank" if banks == 1 else "banks"
    return f"lanes {first}-{last} hit {banks} {noun} at stride {stride}"


def _leading_run(phase: _Phase) -> _Phase:
    """The longest start of a phase with consecutive lanes and one stride."""
    end = 1
    while end < len(phase.lanes) and phase.lanes[end] == phase.lanes[end - 1] + 1:
        step = phase.units[end] - phase.units[end - 1]
        if end > 1 and step != phase.units[1] - phase.units[0]:
            break
        end += 1
    return _Phase(phase.lanes[:end], phase.units[:end], phase.words)


def _explain_bank(phase: _Phase, serialised: bool) -> str:
    """The lanes that meet in the busiest bank."""
    sharers = phase.sharers(serialised)
    bank = phase.bank(sharers[0])
    banks = f"bank {bank}" if phase.words == 1 else f"banks {bank}-{bank + phase.words - 1}"
    what = "" if serialised else " (different words)"
    names = [str(phase.lanes[position]) for position in sharers]
    for shown in range(len(names), 0, -1):
        rest = len(names) - shown
        more = f" and {rest} more" if rest else ""
        text = f"lanes {','.join(names[:shown])}{more} share {banks}{what}"
        if len(text) <= MOST_CHARACTERS:
            break
    return text
