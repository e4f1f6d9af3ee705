"""Lane by bank: which word of which bank each lane of a shared request touches.

Within a phase a bank delivers one unit (a word, or the 8 or 16 bytes of a wide access) a
wavefront, so as many wavefronts pass as the busiest bank has units that cannot be shared. Who
shares and who waits stands in :mod:`reports.data.requests`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reports.data.requests import (
    FULL_WAVEFRONT,
    WORD_BYTES,
    Kind,
    Rule,
    bypass_wavefronts,
    meetings,
    reading,
    request_rule,
)
from simulator.instruction_mix import instruction_form
from simulator.results import InstructionRecord, Run, SharedExample
from simulator.shared_report import source_text

BANKS = 32
Likeness = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """One word that one lane touches.

    ``row`` is the word's place in its bank (byte offset // 128). ``ways`` is how many units the
    bank has to deliver for this phase (of a copy: how many lanes meet); 1 is free of conflicts. Of
    a copy past L1 it is how many times its ``wavefront``, known for those only, could be fuller.
    """

    lane: int
    bank: int
    row: int
    phase: int
    ways: int
    wavefront: int | None = None


@dataclass(frozen=True)
class LaneMap:
    """The worst request of one or more instructions of a source line that do the same.

    ``reading`` is one line on what the lanes do to the banks.
    """

    records: tuple[InstructionRecord, ...]
    text: str
    rule: Rule
    width_bytes: int
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
    banks = tuple(source % 128 for source in example.sources)
    return (*place, example.lane_mask, example.width_bytes, moved, example.source_mask, banks)


def _lane_map(run: Run, group: Sequence[tuple[InstructionRecord, SharedExample]]) -> LaneMap:
    record, example = max(group, key=lambda pair: pair[0].bank_conflicts)
    rule = request_rule(record, example)
    return LaneMap(
        records=tuple(record for record, _ in group),
        text=source_text(run, record.source_file, record.source_line),
        rule=rule,
        width_bytes=example.width_bytes,
        wavefronts=example.wavefronts,
        reading=reading(example, rule),
        cells=tuple(find_cells(example, rule)),
    )


def find_cells(example: SharedExample, rule: Rule) -> Iterator[Cell]:
    """Every word every lane that counts touches."""
    ways, turns = _ways_of_lanes(example, rule), {}
    if rule.kind is Kind.BYPASS:
        turns = bypass_wavefronts(example)
    for lane in rule.active_lanes():
        first = example.offsets[lane] // rule.unit_bytes * rule.unit_bytes // WORD_BYTES
        phase = lane // rule.phase_lanes
        for word in range(first, first + rule.unit_bytes // WORD_BYTES):
            place = (lane, word % BANKS, word // BANKS)
            yield Cell(*place, phase, ways[lane], turns.get(lane))


def _ways_of_lanes(example: SharedExample, rule: Rule) -> Mapping[int, int]:
    if rule.kind is Kind.BYPASS:
        return _emptiness(example, rule)
    if rule.kind is Kind.COPY:
        return meetings(example, rule)
    if rule.kind is Kind.SPIN:
        return dict.fromkeys(rule.active_lanes(), 1)
    units: dict[tuple[int, int], set[int]] = defaultdict(set)
    homes = {}
    for lane in rule.active_lanes():
        unit = example.offsets[lane] // rule.unit_bytes
        bank = unit * rule.unit_bytes // WORD_BYTES % BANKS
        homes[lane] = (lane // rule.phase_lanes, bank)
        units[homes[lane]].add(lane if rule.serialised else unit)
    return {lane: len(units[home]) for lane, home in homes.items()}


def _emptiness(example: SharedExample, rule: Rule) -> Mapping[int, int]:
    """How many times more lanes of a copy could go in the wavefront of each."""
    turns = bypass_wavefronts(example)
    sizes = Counter(turns.values())
    return {
        lane: -(-FULL_WAVEFRONT // sizes[turns[lane]]) if lane in turns else 1
        for lane in rule.active_lanes()
    }
