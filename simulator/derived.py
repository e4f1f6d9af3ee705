"""Counters of a launch that follow from its counts by instruction, by the rows of the table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.device.structure import LEAST_REGISTERS
from simulator.isa.kernel import Instruction, Kernel, OperandKind, Space
from simulator.metrics import (
    ALL,
    PIPE,
    Metric,
    Opcodes,
    is_listed,
    load_metrics,
    load_pipes,
    weaker,
)
from simulator.results import Counter, Status

Columns = Mapping[str, NDArray[np.int64]]

WARP = 32
_REQUESTS = {
    Space.SHARED: "shared_requests",
    Space.GLOBAL: "global_requests",
    Space.LOCAL: "local_requests",
}


@dataclass(frozen=True, slots=True)
class LaunchShape:
    """Grid, block and dynamic shared bytes of a launch."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared_bytes: int

    @property
    def warps_per_block(self) -> int:
        """Warps of a block, the last one maybe in part."""
        return -(-math.prod(self.block) // WARP)


def derive_counters(
    kernel: Kernel, shape: LaunchShape, counts: Columns, status: Status
) -> dict[str, Counter]:
    """All counters of the table that are sums over instructions or numbers of the launch.

    ``counts`` maps a column of ``records.FIELDS`` to int64[instruction]; ``status`` is that of an
    exact number in this run. A counter of a pipe is unmodelled where an executed opcode is not
    known to run in some pipe, and left out where an architecture's pipes are not known at all.
    """
    columns = {**counts, **_extra_columns(kernel, shape, counts)}
    select = _selector(kernel)
    unknown = unknown_opcodes(kernel, counts["executed"])
    found = {}
    for metric in load_metrics():
        if metric.ncu and metric.ncu_name(kernel.architecture) is None:
            continue
        value = _value(metric, kernel, shape, columns, select)
        if value is not None:
            known = Status.UNMODELLED if unknown and _uses_pipes(metric) else status
            found[metric.counter] = Counter(value, metric.unit, weaker(known, _by_itself(metric)))
    return found


def unknown_opcodes(kernel: Kernel, executed: NDArray[np.int64]) -> tuple[str, ...]:
    """Executed opcodes that no list of ``pipes.json`` names, sorted."""
    pipes = load_pipes(kernel.architecture) or {}
    signatures = {
        signature(i)
        for i, count in zip(kernel.instructions, executed.tolist(), strict=True)
        if count
    }
    return tuple(
        sorted(
            s for s in signatures if not any(is_listed(s, opcodes) for opcodes in pipes.values())
        )
    )


def signature(instruction: Instruction) -> str:
    """Opcode with modifiers, and the special register that it reads: ``S2R SR_TID.X``."""
    special = [o.name for o in instruction.operands if o.kind is OperandKind.SPECIAL]
    return " ".join([instruction.form, *special])


def _by_itself(metric: Metric) -> Status:
    """The status of the number as we define it; see ``Tolerance.difference``."""
    named = metric.tolerance is not None and metric.tolerance.difference is not None
    return Status.EXACT if named else metric.status


def _uses_pipes(metric: Metric) -> bool:
    return any(isinstance(o, str) and o.startswith(PIPE) for o in (metric.sum or {}).values())


def _value(
    metric: Metric,
    kernel: Kernel,
    shape: LaunchShape,
    columns: Columns,
    select: Callable[[Opcodes], NDArray[np.bool_] | None],
) -> int | None:
    if metric.launch is not None:
        return _launch_number(metric.launch, kernel, shape)
    if metric.sum is None:
        return None
    total = 0
    for column, opcodes in metric.sum.items():
        chosen = select(opcodes)
        if chosen is None:
            return None
        total += int(columns[column][chosen].sum())
    return total


def _selector(kernel: Kernel) -> Callable[[Opcodes], NDArray[np.bool_] | None]:
    """Which instructions a row's opcodes choose; None where a pipe is not known."""
    signatures, kinds = _kinds(kernel)
    pipes = load_pipes(kernel.architecture)

    def choose(opcodes: Sequence[str]) -> NDArray[np.bool_]:
        return np.array([is_listed(s, opcodes) for s in signatures], np.bool_)[kinds]

    def select(opcodes: Opcodes) -> NDArray[np.bool_] | None:
        if opcodes == ALL:
            return np.ones(len(kinds), np.bool_)
        if not isinstance(opcodes, str):
            return choose(opcodes)
        return None if pipes is None else choose(pipes[opcodes.removeprefix(PIPE)])

    return select


def _kinds(kernel: Kernel) -> tuple[list[str], NDArray[np.intp]]:
    """The kernel's distinct signatures, and the number of its own for every instruction.

    A kernel has thousands of instructions but some dozen signatures: rows are matched with these.
    """
    numbers: dict[str, int] = {}
    kinds = [numbers.setdefault(signature(i), len(numbers)) for i in kernel.instructions]
    return list(numbers), np.array(kinds, np.intp)


def _extra_columns(
    kernel: Kernel, shape: LaunchShape, counts: Columns
) -> dict[str, NDArray[np.int64]]:
    """``silent``: executions without an active lane; ``per_block``: executions once a block."""
    return {
        "silent": np.array([_silent(i, counts) for i in kernel.instructions], np.int64),
        "per_block": counts["executed"] // shape.warps_per_block,
    }


def _silent(instruction: Instruction, counts: Columns) -> int:
    """How often a memory instruction ran with all lanes off; 0 for a generic access: unknown."""
    access = instruction.access
    if access is None or access.space is Space.GENERIC:
        return 0
    requests = int(counts[_REQUESTS[access.space]][instruction.index])
    if access.space is Space.LOCAL:
        requests //= max(1, access.width_bytes // 4)  # a request a word
    return int(counts["executed"][instruction.index]) - requests


def _launch_number(name: str, kernel: Kernel, shape: LaunchShape) -> int:
    blocks = math.prod(shape.grid)
    numbers = {
        "blocks": blocks,
        "warps": blocks * shape.warps_per_block,
        "registers": max(kernel.registers, LEAST_REGISTERS),
        "static_shared_bytes": kernel.static_shared_bytes,
        "dynamic_shared_bytes": shape.dynamic_shared_bytes,
    }
    return numbers[name]
