"""Lane by bank: which word of which bank each lane of a shared request touches.

Phases are groups of lanes that the data stage takes at once; those of a wide load may merge two
by two (see :mod:`simulator.memory.shared`). Within a phase a bank delivers one unit (a word, or
the 8 or 16 bytes of a wide access) a wavefront, so as many wavefronts pass as the busiest bank has
distinct units.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from simulator.instruction_mix import instruction_form
from simulator.isa.access import memory_access
from simulator.isa.kernel import AccessKind
from simulator.memory.explain import explain
from simulator.memory.shared import hardware_group
from simulator.results import InstructionRecord, Run, SharedExample
from simulator.shared_report import source_text

BANKS = 32
LANES = 32
WORD_BYTES = 4
Likeness = tuple[object, ...]
_OPERATIONS = {
    AccessKind.LOAD: "load",
    AccessKind.STORE: "store",
    AccessKind.ATOMIC: "atomic",
    AccessKind.ATOMIC_CAS: "atomic",
    AccessKind.POPC_INC: "load",  # lanes at one address are free, as for a load
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One word that one lane touches.

    ``row`` is the word's place in its bank (byte offset // 128). ``ways`` is how many units the
    bank has to deliver for this phase: 1 is free of conflicts.
    """

    lane: int
    bank: int
    row: int
    phase: int
    ways: int


@dataclass(frozen=True)
class LaneMap:
    """The worst request of one or more instructions of a source line that do the same.

    ``phase_lanes`` are the lanes of a phase, ``merged`` whether that is twice the usual number.
    ``operation`` is None where 32 offsets do not say what the lanes do (matrix accesses, copies):
    then ``ways`` counts the words of a bank over the whole request.
    """

    records: tuple[InstructionRecord, ...]
    text: str
    operation: str | None
    width_bytes: int
    phase_lanes: int
    merged: bool
    wavefronts: int
    reading: str
    cells: tuple[Cell, ...]

    @property
    def conflicts(self) -> int:
        """Bank conflicts of these instructions over the whole launch."""
        return sum(record.bank_conflicts for record in self.records)

    @property
    def phases(self) -> int:
        """Phases with an active lane."""
        return len({cell.phase for cell in self.cells})

    @property
    def worst_ways(self) -> int:
        """The n of the worst n-way conflict; 0 without an active lane."""
        return max((cell.ways for cell in self.cells), default=0)


def lane_maps(run: Run) -> tuple[LaneMap, ...]:
    """One map for each pattern of each source line, most bank conflicts first.

    Instructions of one line whose worst requests are the same but for a shift share a map: a shift
    turns the banks round and changes no conflict.
    """
    records = {record.index: record for record in run.instructions}
    groups: dict[Likeness, list[tuple[InstructionRecord, SharedExample]]] = defaultdict(list)
    for example in run.examples:
        record = records[example.instruction]
        groups[_likeness(record, example)].append((record, example))
    maps = [_lane_map(run, group) for group in groups.values()]
    return tuple(sorted(maps, key=lambda item: (-item.conflicts, item.records[0].index)))


def _likeness(record: InstructionRecord, example: SharedExample) -> Likeness:
    """Equal for requests that are the same but for a shift."""
    active = [o for n, o in enumerate(example.offsets) if example.lane_mask >> n & 1]
    base = min(active, default=0)
    moved = tuple(offset - base for offset in active)
    place = (record.source_file, record.source_line, instruction_form(record)[0])
    return (*place, example.lane_mask, example.width_bytes, moved)


def operation_of(record: InstructionRecord) -> str | None:
    """``load``, ``store``, ``atomic``, or None where 32 offsets do not tell what lanes do."""
    access = memory_access(*instruction_form(record))
    return _OPERATIONS.get(access.kind) if access and not access.matrices else None


def _lane_map(run: Run, group: Sequence[tuple[InstructionRecord, SharedExample]]) -> LaneMap:
    record, example = max(group, key=lambda pair: pair[0].bank_conflicts)
    operation = operation_of(record)
    lanes, merged = phase_size(example, operation)
    told = (example.offsets, example.lane_mask, example.width_bytes)
    return LaneMap(
        records=tuple(record for record, _ in group),
        text=source_text(run, record.source_file, record.source_line),
        operation=operation,
        width_bytes=example.width_bytes,
        phase_lanes=lanes,
        merged=merged,
        wavefronts=example.wavefronts,
        reading=explain(*told, operation) if operation else "",
        cells=tuple(find_cells(example, lanes, operation == "atomic")),
    )


def phase_size(example: SharedExample, operation: str | None) -> tuple[int, bool]:
    """Lanes of one phase, and whether two phases run as one."""
    if operation is None:
        return LANES, False
    active = [o if example.lane_mask >> n & 1 else 0 for n, o in enumerate(example.offsets)]
    offsets, mask, width = np.array(active, np.uint32), example.lane_mask, example.width_bytes
    usual = int(hardware_group(offsets, mask, width, False))
    group = int(hardware_group(offsets, mask, width, True)) if operation == "load" else usual
    return group, group > usual


def find_cells(example: SharedExample, phase_lanes: int, serialised: bool) -> Iterator[Cell]:
    """Every word every active lane touches; ``serialised`` lanes never share a unit (atomics)."""
    unit_bytes = max(example.width_bytes, WORD_BYTES)
    units = _units_of_banks(example, phase_lanes, serialised)
    for lane, offset in _active(example):
        first = offset // unit_bytes * unit_bytes // WORD_BYTES
        phase = lane // phase_lanes
        ways = len(units[phase, first % BANKS])
        for word in range(first, first + unit_bytes // WORD_BYTES):
            yield Cell(lane, word % BANKS, word // BANKS, phase, ways)


def _active(example: SharedExample) -> Iterator[tuple[int, int]]:
    for lane, offset in enumerate(example.offsets):
        if example.lane_mask >> lane & 1:
            yield lane, offset


def _units_of_banks(
    example: SharedExample, phase_lanes: int, serialised: bool
) -> Mapping[tuple[int, int], set[int]]:
    """By phase and first bank: the units asked for, or the lanes where these queue up."""
    unit_bytes = max(example.width_bytes, WORD_BYTES)
    found: dict[tuple[int, int], set[int]] = defaultdict(set)
    for lane, offset in _active(example):
        unit = offset // unit_bytes
        bank = unit * unit_bytes // WORD_BYTES % BANKS
        found[lane // phase_lanes, bank].add(lane if serialised else unit)
    return found
