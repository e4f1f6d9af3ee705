"""Basic blocks of a kernel: straight runs of instructions with one way in and one way out."""

from __future__ import annotations

import numpy as np

from simulator.emulator.basic_block import BasicBlock
from simulator.emulator.semantics.table import Mode, lookup
from simulator.isa.kernel import INSTRUCTION_BYTES, Instruction, Kernel, OperandKind

# Long blocks are cut so that code generation stays linear and the event buffer always has room.
MAX_BLOCK = 256
_JUMP_TABLE_BANK = 2


def basic_blocks(kernel: Kernel) -> tuple[BasicBlock, ...]:
    """Cut a kernel at branch targets and after control instructions."""
    leaders = {0, *(address // INSTRUCTION_BYTES for address in kernel.functions.values())}
    for i in kernel.instructions:
        if lookup(i).mode is Mode.CONTROL:
            leaders.add(i.index + 1)
        leaders.update(_targets(i))
    leaders.update(_return_addresses(kernel))
    starts = sorted(n for n in leaders if n < len(kernel.instructions))
    return tuple(_cut(starts, len(kernel.instructions)))


def _targets(i: Instruction) -> set[int]:
    return {o.value // INSTRUCTION_BYTES for o in i.operands if o.kind is OperandKind.LABEL}


def _return_addresses(kernel: Kernel) -> set[int]:
    """Instructions whose address an immediate move holds: where RET and BRX may go."""
    if not any(i.opcode in ("RET", "BRX", "JMX", "CALL") for i in kernel.instructions):
        return set()
    limit = len(kernel.instructions) * INSTRUCTION_BYTES
    return (
        _jump_tables(kernel, limit)
        | {
            o.value // INSTRUCTION_BYTES
            for i in kernel.instructions
            for o in i.operands
            if o.kind is OperandKind.IMMEDIATE
            and i.opcode in ("MOV", "IMAD", "UMOV", "HFMA2")
            and 0 < o.value < limit
            and o.value % INSTRUCTION_BYTES == 0
        }
        | _after_calls(kernel)
    )


def _jump_tables(kernel: Kernel, limit: int) -> set[int]:
    """Instructions whose address stands in constant bank 2, where BRX reads its targets."""
    data = kernel.constants.get(_JUMP_TABLE_BANK, b"")
    words = np.frombuffer(data[: len(data) & -4], "<u4")
    inside = words[(words < limit) & (words % INSTRUCTION_BYTES == 0)]
    return {int(word) // INSTRUCTION_BYTES for word in inside}


def _after_calls(kernel: Kernel) -> set[int]:
    return {i.index + 1 for i in kernel.instructions if i.opcode == "CALL"}


def _cut(starts: list[int], count: int) -> list[BasicBlock]:
    blocks: list[BasicBlock] = []
    for start, stop in zip(starts, [*starts[1:], count], strict=True):
        for first in range(start, stop, MAX_BLOCK):
            blocks.append(BasicBlock(len(blocks), first, min(first + MAX_BLOCK, stop)))
    return blocks
