"""From arrays of counts to the records and counters of a Run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from simulator.isa.kernel import Kernel
from simulator.memory.fields import FIELDS as MEMORY_FIELDS
from simulator.results import COUNT_FIELDS, Counter, InstructionRecord, Status

EXECUTION_FIELDS = ("executed", "thread_executed", "thread_executed_predicated_on")
# Columns of a count: int64[instruction, len(FIELDS)].
FIELDS = (*EXECUTION_FIELDS, *MEMORY_FIELDS)

# Floating-point operations of one thread: FMA counts two.
_FLOPS = {"FADD": 1, "FMUL": 1, "FFMA": 2, "FADD32I": 1, "FMUL32I": 1, "FFMA32I": 2}

# What a number of a launch counts; statuses other than exact are named here.
_UNITS = {
    "executed": "warp-instructions",
    "thread_executed": "thread-instructions",
    "thread_executed_predicated_on": "thread-instructions",
    "bank_conflicts": "wavefronts",
}
_BOUNDED = ("global_sectors_hardware", "global_tags_hardware", "global_output_wavefronts")


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


def _unit(name: str) -> str:
    return _UNITS.get(name) or name.split("_")[1]


def counters_of(
    kernel: Kernel,
    records: Sequence[InstructionRecord],
    totals: Mapping[str, int],
    status: Status,
) -> dict[str, Counter]:
    """Launch totals with unit and status; ``status`` is that of the exact ones in this run."""
    found = {}
    for name, value in totals.items():
        bounded = name in _BOUNDED
        found[name] = Counter(value, _unit(name), Status.BOUNDED if bounded else status)
    flops = sum(
        _FLOPS.get(i.opcode, 0) * r.thread_executed_predicated_on
        for i, r in zip(kernel.instructions, records, strict=True)
    )
    found["flop_fp32"] = Counter(flops, "flop", status)
    found |= _by_operation(kernel, records, status)
    return found


def _by_operation(
    kernel: Kernel, records: Sequence[InstructionRecord], status: Status
) -> dict[str, Counter]:
    """Shared hardware counts of loads and of stores, as ncu separates them."""
    found = {}
    for name, kinds in (("load", ("load", "ldsm")), ("store", ("store", "stsm"))):
        mine = [
            r
            for i, r in zip(kernel.instructions, records, strict=True)
            if i.access is not None and i.access.kind.value in kinds
        ]
        wavefronts = sum(r.shared_wavefronts_hardware for r in mine)
        conflicts = sum(r.bank_conflicts for r in mine)
        found[f"shared_{name}_wavefronts_hardware"] = Counter(wavefronts, "wavefronts", status)
        found[f"shared_{name}_bank_conflicts"] = Counter(conflicts, "wavefronts", status)
    return found
