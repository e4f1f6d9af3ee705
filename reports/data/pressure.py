"""Bank by instruction: how often each bank works over the whole launch.

A run whose banks were counted (``run.bank_pressure``) has them as they are. One without keeps the
worst request of an instruction, not all of them, so its map is what the launch would do if every
request were like the worst. Where all requests cost alike the sums are the launch's, but later
requests may still meet in other banks: a shift turns the banks round. The figure's title says
which of the two it shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from reports.data.lanes import BANKS, find_cells
from reports.data.requests import request_rule
from simulator.instruction_mix import instruction_form
from simulator.results import InstructionRecord, Run, SharedExample

MOST_ROWS = 48  # more instructions than that are shown by source line and opcode


@dataclass(frozen=True)
class Pressure:
    """One instruction, or those of one source line and opcode together.

    ``units`` are what each of the 32 banks delivers or takes. ``uniform`` says that all requests
    cost as much as the worst; of interest where only that one is known.
    """

    records: tuple[InstructionRecord, ...]
    units: tuple[int, ...]
    uniform: bool = True

    @property
    def unevenness(self) -> float:
        """The busiest bank's units over the mean of all banks; 1 where they work alike."""
        return max(self.units) * BANKS / max(1, sum(self.units))


def is_counted(run: Run) -> bool:
    """Whether the banks of the launch were counted, not only its worst requests."""
    return run.bank_pressure is not None


def pressure_rows(run: Run, most: int = MOST_ROWS) -> tuple[Pressure, ...]:
    """One row an instruction that made a shared request, in program order; at most ``most``, else
    one row a source line and opcode."""
    rows = tuple(_counted(run) if is_counted(run) else _estimated(run))
    return rows if len(rows) <= most else _by_line(rows)


def _counted(run: Run) -> Iterator[Pressure]:
    records = {record.index: record for record in run.instructions}
    for index, units in sorted((run.bank_pressure or {}).items()):
        yield Pressure((records[index],), tuple(units))


def _estimated(run: Run) -> Iterator[Pressure]:
    records = {record.index: record for record in run.instructions}
    for example in run.examples:
        record = records[example.instruction]
        requests = record.shared_requests
        uniform = example.wavefronts * requests == record.shared_wavefronts
        once = bank_units(record, example)
        yield Pressure((record,), tuple(count * requests for count in once), uniform)


def _by_line(rows: Sequence[Pressure]) -> tuple[Pressure, ...]:
    groups: dict[tuple[object, ...], list[Pressure]] = {}
    for row in rows:
        record = row.records[0]
        key = (record.source_file, record.source_line, *instruction_form(record))
        groups.setdefault(key, []).append(row)
    return tuple(_together(group) for group in groups.values())


def _together(rows: Sequence[Pressure]) -> Pressure:
    records = tuple(record for row in rows for record in row.records)
    units = np.sum([row.units for row in rows], axis=0)
    return Pressure(records, tuple(units.tolist()), all(row.uniform for row in rows))


def bank_units(record: InstructionRecord, example: SharedExample) -> tuple[int, ...]:
    """Units of each bank for one request."""
    rule = request_rule(record, example)
    asked: dict[int, set[tuple[int, int]]] = {bank: set() for bank in range(BANKS)}
    for cell in find_cells(example, rule):
        asked[cell.bank].add((cell.phase, cell.lane if rule.serialised else cell.row))
    return tuple(len(asked[bank]) for bank in range(BANKS))
