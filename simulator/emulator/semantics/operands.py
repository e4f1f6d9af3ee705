"""What the operands of integer instructions mean: predicates around them, carries, signs."""

from __future__ import annotations

from dataclasses import replace

from simulator.emulator.emitter import Emitter, unsupported
from simulator.isa.kernel import PT, Instruction, Operand, OperandKind

PREDICATES = (OperandKind.PREDICATE, OperandKind.UNIFORM_PREDICATE)


def split_predicates(
    operands: tuple[Operand, ...],
) -> tuple[list[Operand], list[Operand], list[Operand]]:
    """Leading predicates, the rest, trailing predicates."""
    rest = list(operands)
    leading: list[Operand] = []
    trailing: list[Operand] = []
    while rest and rest[0].kind in PREDICATES:
        leading.append(rest.pop(0))
    while rest and rest[-1].kind in PREDICATES:
        trailing.insert(0, rest.pop())
    return leading, rest, trailing


def carry_in(e: Emitter, predicates: list[Operand], type_: str) -> list[str]:
    """Carry-in predicates as 0/1 integers of ``type_``."""
    return [e.cast("zext", e.condition(e.predicate(p)), e.i1, type_) for p in predicates]


def addend64(e: Emitter, operand: Operand) -> str:
    """An operand as a 33-bit addend: ``-b`` counts as 2**32 - b, so that carries come out."""
    value = e.cast("zext", e.integer(replace(operand, negate=False)), e.i32, e.i64)
    if operand.negate:
        value = e.op("sub", e.constant(1 << 32, "i64"), value, e.i64)
    return value


def extremum_operands(e: Emitter, i: Instruction) -> tuple[Operand, list[Operand], Operand]:
    """(target, sources, chooser) of a minimum or maximum.

    The 64-bit forms chain: their further predicates must be idle.
    """
    leading, rest, trailing = split_predicates(i.operands)
    d = rest.pop(0)
    while rest and rest[0].kind in PREDICATES:
        leading.append(rest.pop(0))
    idle = all(p.value == PT for p in leading) and all(
        p.value == PT and p.invert for p in trailing[1:]
    )
    if not idle:
        raise unsupported(i, "chained minimum or maximum")
    return d, rest, trailing[0]
