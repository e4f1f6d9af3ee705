"""Which registers an instruction reads from the two banks, and which are kept from before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from simulator.device.structure import REGISTER_BANKS
from simulator.isa.kernel import RZ, Instruction, Operand, OperandKind
from simulator.registers import first_source
from simulator.timing import opcodes as op

# The registers at hand, by operand slot and bank.
Kept = dict[tuple[int, int], int]

_IN_SECOND_SLOT = ("MOV",)  # their only source


def register_operands(i: Instruction) -> list[tuple[int, Operand]]:
    """Registers an instruction reads, with the operand's slot; of an address or of data of several
    registers the first. Results have no slot."""
    sources = i.operands[first_source(i) :]
    found: list[tuple[int, Operand]] = []
    for slot, o in enumerate(sources, start=int(i.opcode in _IN_SECOND_SLOT)):
        register = o.base if o.kind is OperandKind.MEMORY else o
        if register is not None and _is_read(register):
            found.append((slot, register))
    return found


def _is_read(o: Operand) -> bool:
    return o.kind is OperandKind.REGISTER and o.value != RZ


def read_cycles(i: Instruction, kind: int, operand: int) -> int:
    """Cycles a register read takes its bank. Operands of memory instructions and of the special
    unit go out over a narrow port, ``operand`` cycles each; the one of a load from shared memory
    does not hold its bank."""
    if kind == op.SHARED and not i.opcode.startswith("ST"):
        return 1
    return operand if kind in op.MEMORY or op.pipe_of(i) == op.XU else 1


def bank_reads(
    operands: Sequence[tuple[int, Operand]], kept: Mapping[tuple[int, int], int]
) -> list[int]:
    """Reads of each bank: a register's bank is its number's parity, one that stands in two slots is
    read once, and one that is kept in its slot not at all."""
    read = {o.value for slot, o in operands if kept.get((slot, _bank(o))) != o.value}
    odd = sum(value % REGISTER_BANKS for value in read)
    return [len(read) - odd, odd]


def keep_operands(operands: Sequence[tuple[int, Operand]], kept: Kept) -> Kept:
    """What is at hand after an instruction. A register that is marked for reuse stays until another
    one of its bank is read in its slot; each read that is not marked ends it (Huerta et al.,
    MICRO 2025, for GA102; ``dispatch.cu``)."""
    after = dict(kept)
    for slot, o in operands:
        place = slot, _bank(o)
        after.pop(place, None)
        if o.reuse:
            after[place] = o.value
    return after


def _bank(register: Operand) -> int:
    return register.value % REGISTER_BANKS
