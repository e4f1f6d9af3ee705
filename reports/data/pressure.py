"""Bank by instruction: how often each bank is asked for a unit.

A run keeps the worst request of an instruction, not all of them, so the map is what the launch
would do if every request were like the worst. Where all requests cost alike the sums are the
launch's, but later requests may still meet in other banks: a shift turns the banks round. The
figure's title says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from reports.data.lanes import BANKS, LaneMap, find_cells, operation_of, phase_size
from simulator.results import InstructionRecord, Run, SharedExample


@dataclass(frozen=True)
class Pressure:
    """``deliveries`` of one instruction: wavefronts in which each of 32 banks delivers.

    ``uniform`` says that all its requests cost as much as the worst.
    """

    record: InstructionRecord
    deliveries: tuple[int, ...]
    uniform: bool


def pressure_rows(run: Run) -> tuple[Pressure, ...]:
    """One row an instruction that made a shared request, in program order."""
    records = {record.index: record for record in run.instructions}
    return tuple(_row(records[example.instruction], example) for example in run.examples)


def _row(record: InstructionRecord, example: SharedExample) -> Pressure:
    once = bank_deliveries(record, example)
    requests = record.shared_requests
    uniform = example.wavefronts * requests == record.shared_wavefronts
    return Pressure(record, tuple(count * requests for count in once), uniform)


def bank_deliveries(record: InstructionRecord, example: SharedExample) -> tuple[int, ...]:
    """Units that each bank delivers for one request: the largest are its wavefronts."""
    operation = operation_of(record)
    lanes, _ = phase_size(example, operation)
    serialised = operation == "atomic"
    asked: dict[int, set[tuple[int, int]]] = {bank: set() for bank in range(BANKS)}
    for cell in find_cells(example, lanes, serialised):
        asked[cell.bank].add((cell.phase, cell.lane if serialised else cell.row))
    return tuple(len(asked[bank]) for bank in range(BANKS))


def busiest_bank(lane_map: LaneMap) -> int | None:
    """The bank with the most units in one phase; None without an active lane."""
    worst = max(lane_map.cells, key=lambda cell: cell.ways, default=None)
    return worst.bank if worst else None
