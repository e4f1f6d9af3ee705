"""Which instructions of a kernel can run after each one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from simulator.isa.kernel import INSTRUCTION_BYTES, PREDICATES, Instruction, Kernel, OperandKind

_INDIRECT = ("RET", "BRX", "JMX")


@lru_cache(maxsize=2)
def find_successors(kernel: Kernel) -> Sequence[Sequence[int]]:
    """Instructions that can run after each one."""
    count = len(kernel.instructions)
    returns = sorted(_returns(kernel)) or range(count)
    following: dict[int, list[int]] = defaultdict(list)
    for i in kernel.instructions:
        if i.opcode in _INDIRECT or (i.opcode == "CALL" and not own_targets(i)):
            # A jump table or a function's address can lead anywhere.
            following[i.index] += returns if i.opcode == "RET" else range(count)
        if i.opcode in ("BRA", "JMP", "CALL"):
            following[i.index] += own_targets(i)
        leaves = i.opcode in ("EXIT", "BRA", "JMP", "CALL", *_INDIRECT)
        always = i.predicate is None and not any(o.kind in PREDICATES for o in i.operands)
        if i.index + 1 < count and not (leaves and always and not i.has("DIV")):
            following[i.index].append(i.index + 1)
    return [following[n] for n in range(count)]


def own_targets(i: Instruction) -> list[int]:
    """Where the instruction itself says that it leads."""
    return [o.value // INSTRUCTION_BYTES for o in i.operands if o.kind is OperandKind.LABEL]


def _returns(kernel: Kernel) -> set[int]:
    """Where returns can lead: behind calls, and to the address moved into their register before.

    The label of ``RET.REL`` is what the address in its register counts from, no place it goes to.
    """
    registers = {
        operand.value
        for i in kernel.instructions
        if i.opcode == "RET"
        for operand in i.operands
        if operand.kind is OperandKind.REGISTER
    }
    places: set[int] = set()
    moved: set[int] = set()
    for i in kernel.instructions:
        if i.opcode == "MOV" and i.operands[0].value in registers:
            moved = {i.operands[-1].value // INSTRUCTION_BYTES}
        if i.opcode == "CALL":
            places |= {i.index + 1} | moved
    return {index for index in places if index < len(kernel.instructions)}
