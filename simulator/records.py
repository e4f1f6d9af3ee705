"""From arrays of counts to the records and counters of a Run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from simulator.derived import LaunchShape, derive_counters
from simulator.instruction_mix import flops_of
from simulator.isa.kernel import AccessKind, Instruction, Kernel
from simulator.memory.fields import FIELDS as MEMORY_FIELDS
from simulator.results import COUNT_FIELDS, Counter, Flops, InstructionRecord, Status
from simulator.status import weakest

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
    "global_output_wavefronts": "wavefronts",
}
_BOUNDED = ("global_sectors_hardware", "global_tags_hardware", "global_output_wavefronts")


# What blocks of a sample must agree in: bounded counts vary with the addresses' place in memory.
EXACT_COLUMNS = tuple(n for n, name in enumerate(FIELDS) if name not in _BOUNDED)


def instruction_records(
    kernel: Kernel, counts: NDArray[np.int64], status: Status
) -> tuple[InstructionRecord, ...]:
    """One record an instruction from int64[instruction, FIELDS]; ``status`` of exact counts."""
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
            status=weakest([status, Status.BOUNDED]) if _grouped(i) else status,
            **dict(zip(COUNT_FIELDS, row, strict=True)),
        )
        for i, row in zip(kernel.instructions, picked, strict=True)
    )


def _grouped(instruction: Instruction) -> bool:
    """Whether shared wavefronts of the source page follow an approximate rule (copies past L1)."""
    access = instruction.access
    return access is not None and access.kind is AccessKind.ASYNC_COPY_BYPASS


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
    grouped = any(columns["executed"][i.index] for i in kernel.instructions if _grouped(i))
    bounded = (*_BOUNDED, "shared_wavefronts") if grouped else _BOUNDED
    found = {}
    for name, column in columns.items():
        known = weakest([status, Status.BOUNDED]) if name in bounded else status
        found[name] = Counter(int(column.sum()), _unit(name), known)
    found |= _used_per_sector(found) | _flops(kernel, columns, status)
    return found | derive_counters(kernel, shape, columns, status)


def _used_per_sector(found: Mapping[str, Counter]) -> dict[str, Counter]:
    """Bytes used of each sector's 32, 0 without sectors."""
    used = {}
    for space in ("global", "local"):
        sectors, asked = found[f"{space}_sectors"], found[f"{space}_bytes_used"]
        share = asked.value / sectors.value if sectors.value else 0.0
        used[f"{space}_bytes_used_per_sector"] = Counter(share, "bytes/sector", asked.status)
    return used


def _flops(
    kernel: Kernel, columns: Mapping[str, NDArray[np.int64]], status: Status
) -> dict[str, Counter]:
    on, executed = columns["thread_executed_predicated_on"].tolist(), columns["executed"].tolist()
    total = Flops(0, 0, 0, 0)
    for i, threads, warps in zip(kernel.instructions, on, executed, strict=True):
        total += flops_of(i.opcode, i.modifiers, i.text, threads, warps)
    kinds = {"fp16": total.fp16, "fp32": total.fp32, "fp64": total.fp64, "tensor": total.tensor}
    return {f"flop_{kind}": Counter(count, "flop", status) for kind, count in kinds.items()}
