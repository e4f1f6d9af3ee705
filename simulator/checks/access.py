"""Accesses outside every buffer, as findings with their source line, block and thread."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from simulator.isa.kernel import Instruction, Kernel
from simulator.results import Finding

Dim3 = tuple[int, int, int]


class FaultLike(Protocol):
    """What a replay keeps of the first bad access of an instruction (linear indices)."""

    @property
    def instruction(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def block(self) -> int: ...
    @property
    def thread(self) -> int: ...
    @property
    def address(self) -> int: ...


def access_findings(
    kernel: Kernel, grid: Dim3, block: Dim3, faults: Iterable[FaultLike]
) -> tuple[Finding, ...]:
    """One finding an instruction: its first bad access and how many lanes made one."""
    return tuple(_finding(kernel, grid, block, fault) for fault in faults)


def _finding(kernel: Kernel, grid: Dim3, block: Dim3, fault: FaultLike) -> Finding:
    instruction = kernel.instructions[fault.instruction]
    source = instruction.source
    return Finding(
        check="access",
        message=_message(instruction, fault.address),
        kernel=kernel.name,
        pc=instruction.address,
        source_file=source.file if source else None,
        source_line=source.line if source else None,
        block=_split(fault.block, grid),
        thread=_split(fault.thread, block),
        address=fault.address,
        count=fault.count,
    )


def _message(instruction: Instruction, address: int) -> str:
    access = instruction.access
    if access is None:
        return f"{instruction.opcode} stopped the thread"
    width = access.width_bytes
    space = access.space.name.lower()
    if address % max(width, 1):
        return f"misaligned {width}-byte {space} {access.kind.value} at {address:#x}"
    where = "the block's shared memory" if space == "shared" else "every buffer"
    if space == "local":
        where = "the thread's local memory"
    return f"{width}-byte {space} {access.kind.value} at {address:#x}, outside {where}"


def _split(index: int, size: Dim3) -> Dim3:
    return index % size[0], index // size[0] % size[1], index // (size[0] * size[1])
