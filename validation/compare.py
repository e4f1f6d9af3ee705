"""Sets a replay beside a hardware record, instruction by instruction."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.results import InstructionRecord, Run

from .errors import RecordError
from .metrics import SOURCE_COLUMNS
from .outputs import digest
from .records import Record, check_program


@dataclass(frozen=True, slots=True)
class Difference:
    """One count that came out other than measured.

    ``counter`` is the field of ``InstructionRecord``, ``metric`` ncu's name for it; ``pc`` is the
    byte offset of the instruction in its kernel.
    """

    kernel: str
    pc: int
    sass: str
    source_line: int | None
    counter: str
    metric: str
    predicted: int
    measured: int

    def __str__(self) -> str:
        return (
            f"{self.kernel} {self.pc:#06x} {self.sass}: {self.counter} "
            f"predicted {self.predicted}, measured {self.measured}"
        )


def compare_instructions(run: Run, record: Record) -> list[Difference]:
    """Every per-instruction count of a replay that differs from the record, in code order.

    An instruction that the record leaves out (ncu drops the padding behind a kernel) was executed
    0 times.

    Raises:
        RecordError: the record is of other machine code or another launch, or has no counters.
    """
    check_program(record, run.program_hash, run.compiler)
    _check_launch(run, record)
    measured = {
        column.metric: record.column(column.metric)
        for column in SOURCE_COLUMNS
        if column.metric in record.instructions
    }
    if not measured:
        reason = "; ".join(record.notes) or "it was only timed"
        raise RecordError(f"the record of {record.kernel} has no counters: {reason}")
    _check_offsets(run, record)
    return [
        _difference(run, instruction, column.counter, column.metric, count)
        for instruction in run.instructions
        for column in SOURCE_COLUMNS
        if column.metric in measured
        and (count := measured[column.metric].get(instruction.pc, 0))
        != getattr(instruction, column.counter)
    ]


def compared_counts(run: Run, record: Record) -> int:
    """How many counts ``compare_instructions`` sets side by side."""
    columns = sum(column.metric in record.instructions for column in SOURCE_COLUMNS)
    return columns * len(run.instructions)


def compare_outputs(run: Run, record: Record) -> list[int]:
    """Positions of the buffers whose bits differ between the replay and the GPU."""
    measured = {output["argument"]: output["sha256"] for output in record.outputs}
    return [
        position
        for position, array in sorted(run.outputs.items())
        if position in measured and digest(array) != measured[position]
    ]


def _difference(
    run: Run, instruction: InstructionRecord, counter: str, metric: str, measured: int
) -> Difference:
    return Difference(
        run.kernel,
        instruction.pc,
        instruction.sass,
        instruction.source_line,
        counter,
        metric,
        getattr(instruction, counter),
        measured,
    )


def _check_launch(run: Run, record: Record) -> None:
    predicted = {
        "grid": list(run.grid),
        "block": list(run.block),
        "shared_bytes": run.dynamic_shared_bytes,
    }
    for name, value in predicted.items():
        if value != record.launch[name]:
            raise RecordError(
                f"the record of {record.kernel} has {name} {record.launch[name]}, the replay "
                f"{value}: replay size {dict(record.size)} with seed {record.seed}"
            )


def _check_offsets(run: Run, record: Record) -> None:
    known = {instruction.pc for instruction in run.instructions}
    strange = sorted(set(record.instructions["pc"]) - known)
    if strange:
        raise RecordError(
            f"the record of {record.kernel} counts an instruction at {strange[0]:#06x}, "
            "where the replayed code has none; measure it again"
        )
