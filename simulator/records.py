"""From arrays of counts to the records and counters of a Run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simulator.derived import LaunchShape, derive_counters
from simulator.instruction_mix import FP32_FLOPS
from simulator.isa.kernel import Kernel
from simulator.memory.fields import FIELDS as MEMORY_FIELDS
from simulator.results import COUNT_FIELDS, Counter, InstructionRecord, Status

# The last are the lanes for which a branch's second predicate holds too: the counters of a launch
# hold these, while ncu's source page holds those of the guard (both seen on an NVIDIA H200).
EXECUTION_FIELDS = (
    "executed",
    "thread_executed",
    "thread_executed_predicated_on",
    "thread_executed_both_on",
)
# Columns of a count: int64[instruction, len(FIELDS)].
FIELDS = (*EXECUTION_FIELDS, *MEMORY_FIELDS)

# What a number of a launch counts; statuses other than exact are named here.
_UNITS = {
    "executed": "warp-instructions",
    "thread_executed": "thread-instructions",
    "thread_executed_predicated_on": "thread-instructions",
    "bank_conflicts": "wavefronts",
}
_BOUNDED = ("global_sectors_hardware", "global_tags_hardware", "global_output_wavefronts")


# What blocks of a sample must agree in: bounded counts vary with the addresses' place in memory.
EXACT_COLUMNS = tuple(n for n, name in enumerate(FIELDS) if name not in _BOUNDED)


def instruction_records(kernel: Kernel, counts: NDArray[np.int64]) -> tuple[InstructionRecord, ...]:
    """One record an instruction from int64[instruction, FIELDS]."""
    columns = [FIELDS.index(name) for name in COUNT_FIELDS]
    picked = counts[:, columns].tolist()
    return tuple(
        InstructionRecord(
            index=i.index,
            pc=i.address,
            sass=i.text,
            opcode=i.form,
            source_file=i.source.file if i.source else None,
            source_line=i.source.line if i.source else None,
            **dict(zip(COUNT_FIELDS, row, strict=True)),
        )
        for i, row in zip(kernel.instructions, picked, strict=True)
    )


def bank_pressure_of(
    records: Sequence[InstructionRecord], counts: NDArray[np.int64]
) -> dict[int, tuple[int, ...]] | None:
    """Units of each bank by instruction, from the columns after FIELDS; None without these."""
    units = counts[:, len(FIELDS) :]
    if not units.shape[1]:
        return None
    return {r.index: tuple(units[r.index].tolist()) for r in records if r.shared_requests}


def _unit(name: str) -> str:
    return _UNITS.get(name) or name.split("_")[1]


def counters_of(
    kernel: Kernel,
    shape: LaunchShape,
    counts: NDArray[np.int64],
    status: Status,
) -> dict[str, Counter]:
    """Numbers of the launch with unit and status, from int64[instruction, FIELDS].

    ``status`` is that of the exact ones in this run.
    """
    columns = dict(zip(FIELDS, counts.T[: len(FIELDS)], strict=True))
    columns["thread_executed_predicated_on"] = columns.pop("thread_executed_both_on")
    found = {}
    for name, column in columns.items():
        bounded = name in _BOUNDED
        value = int(column.sum())
        found[name] = Counter(value, _unit(name), Status.BOUNDED if bounded else status)
    on = columns["thread_executed_predicated_on"].tolist()
    flops = sum(
        FP32_FLOPS.get(i.opcode, 0) * threads
        for i, threads in zip(kernel.instructions, on, strict=True)
    )
    found["flop_fp32"] = Counter(flops, "flop", status)
    return found | derive_counters(kernel, shape, columns, status)
