"""What a run says about shared memory, as data: rows, totals, worst lines, intensity.

Wavefronts and ideal are those of ncu's source page, conflicts those of its hardware counters
(see :class:`simulator.results.InstructionRecord`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from simulator.instruction_mix import instruction_form
from simulator.isa.access import memory_access
from simulator.isa.kernel import AccessKind, Space
from simulator.results import InstructionRecord, Run, SharedExample, Status
from simulator.status import weakest

Explain = Callable[[Sequence[int], int, int, str], str]  # offsets, lane mask, width, operation

_MATRIX_BYTES = 128
# What a request is called where it is put in words. Matrix accesses and asynchronous copies have
# none: what their lanes do is not told by 32 offsets alone.
_OPERATIONS = {
    AccessKind.LOAD: "load",
    AccessKind.STORE: "store",
    AccessKind.ATOMIC: "atomic",
    AccessKind.ATOMIC_CAS: "atomic",
    AccessKind.POPC_INC: "load",  # one address is free, as for a load
}
_COPIES = ("LDGSTS",)  # space GLOBAL names the source; the target is shared memory


@dataclass(frozen=True, slots=True)
class SharedTotals:
    """Sums over the shared-memory instructions of a launch; ``bytes`` are those requested.

    ``status`` is that of the sum that can be trusted least.
    """

    requests: int
    wavefronts: int
    ideal: int
    hardware: int
    conflicts: int
    bytes: int
    status: Status = Status.EXACT

    @property
    def ways(self) -> float:
        """Hardware wavefronts relative to what they would be without conflicts."""
        return count_ways(self.hardware, self.conflicts)


@dataclass(frozen=True, slots=True)
class Hotspot:
    """The instructions of one source line that conflict.

    ``share`` is their part of all conflicts of the launch, ``reading`` says in words what the
    worst request of the worst of them does (empty when the run kept no example of it).
    """

    source_file: str | None
    source_line: int | None
    source_text: str
    instructions: tuple[InstructionRecord, ...]
    conflicts: int
    share: float
    ways: float
    reading: str


@dataclass(frozen=True, slots=True)
class Intensity:
    """FP32 operations against what shared memory was asked for."""

    flops: int
    bytes: int
    wavefronts: int

    @property
    def per_byte(self) -> float:
        """FLOP per byte requested of shared memory; 0 without requests."""
        return self.flops / self.bytes if self.bytes else 0.0

    @property
    def per_wavefront(self) -> float:
        """FLOP per hardware wavefront; 0 without wavefronts."""
        return self.flops / self.wavefronts if self.wavefronts else 0.0


def count_ways(wavefronts: int, conflicts: int) -> float:
    """How many times the conflict-free wavefronts there are: 4.0 is a 4-way conflict."""
    free = wavefronts - conflicts
    return wavefronts / free if free else 1.0


def ways_of(record: InstructionRecord) -> float:
    """The n of an instruction's n-way conflict, 1.0 without conflicts."""
    return count_ways(record.shared_wavefronts_hardware, record.bank_conflicts)


def is_shared(record: InstructionRecord) -> bool:
    """Whether an instruction can only be about shared memory, or did touch it (generic ones)."""
    opcode, modifiers = instruction_form(record)
    access = memory_access(opcode, modifiers)
    named = access is not None and (access.space is Space.SHARED or opcode in _COPIES)
    return named or record.shared_requests > 0


def requested_bytes(record: InstructionRecord) -> int:
    """Bytes the active lanes asked shared memory for (matrix loads: 128 a matrix and warp)."""
    opcode, modifiers = instruction_form(record)
    access = memory_access(opcode, modifiers)
    if access is None or not record.shared_requests:
        return 0
    if access.matrices:
        return record.shared_requests * access.matrices * _MATRIX_BYTES
    return record.thread_executed_predicated_on * access.width_bytes


def shared_instructions(run: Run) -> tuple[InstructionRecord, ...]:
    """The shared-memory instructions in program order, those never executed included."""
    return tuple(record for record in run.instructions if is_shared(record))


def sum_shared(records: Sequence[InstructionRecord]) -> SharedTotals:
    """Sums over some instructions."""
    return SharedTotals(
        requests=sum(record.shared_requests for record in records),
        wavefronts=sum(record.shared_wavefronts for record in records),
        ideal=sum(record.shared_wavefronts_ideal for record in records),
        hardware=sum(record.shared_wavefronts_hardware for record in records),
        conflicts=sum(record.bank_conflicts for record in records),
        bytes=sum(requested_bytes(record) for record in records),
        status=weakest(record.status for record in records if record.executed),
    )


def total_shared(run: Run) -> SharedTotals:
    """Sums over all shared-memory instructions."""
    return sum_shared(shared_instructions(run))


def shared_rows(run: Run) -> tuple[tuple[str, SharedTotals], ...]:
    """Sums by opcode in the order of first use, then all together; empty without requests."""
    groups: dict[str, list[InstructionRecord]] = {}
    for record in shared_instructions(run):
        if record.shared_requests:
            groups.setdefault(instruction_form(record)[0], []).append(record)
    rows = [(opcode, sum_shared(records)) for opcode, records in groups.items()]
    return (*rows, ("all", total_shared(run))) if len(rows) > 1 else tuple(rows)


def shared_intensity(run: Run) -> Intensity:
    """FP32 operations of the launch (counter ``flop_fp32``) against its shared-memory requests."""
    totals = total_shared(run)
    return Intensity(int(run.counters["flop_fp32"].value), totals.bytes, totals.hardware)


def source_text(run: Run, file: str | None, line: int | None) -> str:
    """The text of a source line without its indentation; empty when it is not known."""
    if file is None or line is None:
        return ""
    lines = run.source_text.get(file, "").splitlines()
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""


def find_hotspots(run: Run, explain: Explain) -> tuple[Hotspot, ...]:
    """The source lines with bank conflicts, worst first; ``explain`` puts a request in words."""
    examples = {example.instruction: example for example in run.examples}
    groups: dict[tuple[str | None, int | None], list[InstructionRecord]] = defaultdict(list)
    for record in shared_instructions(run):
        if record.bank_conflicts:
            groups[record.source_file, record.source_line].append(record)
    spots = []
    for place, records in groups.items():
        worst = max(records, key=lambda record: record.bank_conflicts)
        reading = _read_example(worst, examples.get(worst.index), explain)
        spots.append(_make_hotspot(run, *place, reading, records))
    return tuple(sorted(spots, key=lambda spot: -spot.conflicts))


def _read_example(
    record: InstructionRecord, example: SharedExample | None, explain: Explain
) -> str:
    access = memory_access(*instruction_form(record))
    operation = _OPERATIONS.get(access.kind) if access else None
    if example is None or operation is None:
        return ""
    return explain(example.offsets, example.lane_mask, example.width_bytes, operation)


def _make_hotspot(
    run: Run,
    file: str | None,
    line: int | None,
    reading: str,
    records: Sequence[InstructionRecord],
) -> Hotspot:
    conflicts = sum(record.bank_conflicts for record in records)
    hardware = sum(record.shared_wavefronts_hardware for record in records)
    return Hotspot(
        source_file=file,
        source_line=line,
        source_text=source_text(run, file, line),
        instructions=tuple(records),
        conflicts=conflicts,
        share=conflicts / total_shared(run).conflicts,
        ways=count_ways(hardware, conflicts),
        reading=reading,
    )
