"""What a run says about global and local memory, as data: sums by operation, worst source lines.

Sectors, ideal and tags are those of ncu's source page (see ``results.InstructionRecord``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from simulator.instruction_mix import instruction_form
from simulator.isa.access import memory_access
from simulator.isa.kernel import AccessKind, Space
from simulator.results import InstructionRecord, Run
from simulator.shared_report import source_text

_OPERATIONS = {
    AccessKind.LOAD: "load",
    AccessKind.STORE: "store",
    AccessKind.ATOMIC: "atomic",
    AccessKind.ATOMIC_CAS: "atomic",
    AccessKind.REDUCTION: "reduction",
    AccessKind.ASYNC_COPY: "copy",
    AccessKind.ASYNC_COPY_BYPASS: "copy",
}


@dataclass(frozen=True, slots=True)
class Traffic:
    """Sums over memory instructions; ``bytes_used`` are the different bytes of each request."""

    operation: str
    requests: int
    sectors: int
    ideal: int
    tags: int
    bytes_used: int

    @property
    def sectors_per_request(self) -> float:
        """Sectors of a request on average."""
        return self.sectors / self.requests if self.requests else 0.0

    @property
    def bytes_used_per_sector(self) -> float:
        """Of a sector's 32 bytes."""
        return self.bytes_used / self.sectors if self.sectors else 0.0


@dataclass(frozen=True, slots=True)
class WastefulLine:
    """A source line whose accesses move more sectors than they would need to."""

    source_file: str | None
    source_line: int | None
    source_text: str
    instructions: tuple[InstructionRecord, ...]
    sectors: int
    ideal: int

    @property
    def excess(self) -> int:
        """Sectors beyond the ideal."""
        return self.sectors - self.ideal


def _operation(record: InstructionRecord) -> str:
    access = memory_access(*instruction_form(record))
    if access is None:
        return "other"
    generic = "generic " if access.space is Space.GENERIC else ""
    return generic + _OPERATIONS.get(access.kind, "other")


def sum_global(operation: str, records: Sequence[InstructionRecord]) -> Traffic:
    """Global traffic of some instructions."""
    return Traffic(
        operation,
        requests=sum(record.global_requests for record in records),
        sectors=sum(record.global_sectors for record in records),
        ideal=sum(record.global_sectors_ideal for record in records),
        tags=sum(record.global_tags for record in records),
        bytes_used=sum(record.global_bytes_used for record in records),
    )


def global_traffic(run: Run) -> tuple[Traffic, ...]:
    """Global traffic by operation in the order of first use; empty without any."""
    groups: dict[str, list[InstructionRecord]] = {}
    for record in run.instructions:
        if record.global_requests:
            groups.setdefault(_operation(record), []).append(record)
    return tuple(sum_global(operation, records) for operation, records in groups.items())


def local_traffic(run: Run) -> tuple[Traffic, ...]:
    """Local memory (spills, stacks, arrays) by operation."""
    groups: dict[str, list[InstructionRecord]] = {}
    for record in run.instructions:
        if record.local_requests:
            groups.setdefault(_operation(record), []).append(record)
    return tuple(sum_local(f"local {name}", records) for name, records in groups.items())


def sum_local(operation: str, records: Sequence[InstructionRecord]) -> Traffic:
    """Local traffic of some instructions."""
    return Traffic(
        operation,
        requests=sum(record.local_requests for record in records),
        sectors=sum(record.local_sectors for record in records),
        ideal=sum(map(_local_ideal, records)),
        tags=sum(record.local_tags for record in records),
        bytes_used=sum(record.local_bytes_used for record in records),
    )


def wasteful_lines(run: Run) -> tuple[WastefulLine, ...]:
    """Source lines that move more global or local sectors than the ideal, worst first."""
    groups: dict[tuple[str | None, int | None], list[InstructionRecord]] = defaultdict(list)
    for record in run.instructions:
        if _sectors(record) > _ideal(record):
            groups[record.source_file, record.source_line].append(record)
    lines = [
        WastefulLine(
            file,
            line,
            source_text(run, file, line),
            tuple(records),
            sum(map(_sectors, records)),
            sum(map(_ideal, records)),
        )
        for (file, line), records in groups.items()
    ]
    return tuple(sorted(lines, key=lambda line: -line.excess))


def _sectors(record: InstructionRecord) -> int:
    return record.global_sectors + record.local_sectors


def _ideal(record: InstructionRecord) -> int:
    return record.global_sectors_ideal + _local_ideal(record)


def _local_ideal(record: InstructionRecord) -> int:
    """Runs saved by an earlier version have none: no sector of theirs counts as wasted."""
    return record.local_sectors_ideal or record.local_sectors
