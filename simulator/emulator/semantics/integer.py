"""Integer sums, products and extremes, lane-wise and on the uniform datapath."""

from __future__ import annotations

from simulator.emulator.emitter import Emitter, unsupported
from simulator.emulator.semantics.operands import (
    addend64,
    carry_in,
    extremum_operands,
    split_predicates,
)
from simulator.emulator.semantics.table import opcode
from simulator.isa.kernel import PT, Instruction, Operand


@opcode("IADD3", "IADD", modifiers="X 64", uniform="UIADD3 UIADD")
def iadd3(e: Emitter, i: Instruction) -> None:
    """d = a + b + c (+ carries); up to two carry-outs that together hold the carry."""
    out, sources, carry = split_predicates(i.operands[1:])
    if i.has("64"):
        _iadd64(e, i, out, sources)
        return
    if not i.has("X"):
        carry = []
    if out:
        _iadd3_carry(e, i.operands[0], out, sources, carry)
        return
    total = e.integer(sources[0])
    for term in [e.integer(s) for s in sources[1:]] + carry_in(e, carry, e.i32):
        total = e.op("add", total, term)
    e.write(i.operands[0], total)


def _iadd3_carry(
    e: Emitter, d: Operand, out: list[Operand], sources: list[Operand], carry: list[Operand]
) -> None:
    total = addend64(e, sources[0])
    for term in [addend64(e, s) for s in sources[1:]] + carry_in(e, carry, e.i64):
        total = e.op("add", total, term, e.i64)
    result = e.cast("trunc", total, e.i64, e.i32)
    high = e.op("lshr", total, e.constant(32, "i64"), e.i64)
    carries = [
        e.mask(e.compare("icmp uge", high, e.constant(n + 1, "i64"), e.i64))
        for n in range(len(out))
    ]
    e.write(d, result)
    for predicate, mask in zip(out, carries, strict=True):
        e.write_predicate(predicate, mask)


def _iadd64(e: Emitter, i: Instruction, out: list[Operand], sources: list[Operand]) -> None:
    """A sum of register pairs."""
    if any(p.value != PT for p in out) or i.has("X"):
        raise unsupported(i, "carry of a 64-bit sum")
    total = e.wide(sources[0])
    for source in sources[1:]:
        total = e.op("add", total, e.wide(source), e.i64)
    e.write_wide(i.operands[0], total)


@opcode("IMAD", modifiers="MOV SHL IADD U32 X HI WIDE", uniform="UIMAD")
def imad(e: Emitter, i: Instruction) -> None:
    """d = a * b + c; .HI the high word, .WIDE all 64 bits (c is then a register pair)."""
    out, sources, carry = split_predicates(i.operands[1:])
    d = i.operands[0]
    if i.has("WIDE") or i.has("HI"):
        _imad_wide(e, i, d, out, sources, carry)
        return
    if out:
        raise unsupported(i, "carry-out of a 32-bit product")
    a, b, c = sources
    total = e.op("add", e.op("mul", e.integer(a), e.integer(b)), e.integer(c))
    if i.has("X"):
        for term in carry_in(e, carry, e.i32):
            total = e.op("add", total, term)
    e.write(d, total)


def _imad_wide(
    e: Emitter,
    i: Instruction,
    d: Operand,
    out: list[Operand],
    sources: list[Operand],
    carry: list[Operand],
) -> None:
    a, b, c = sources
    extend = "zext" if i.has("U32") else "sext"
    x = e.cast(extend, e.integer(a), e.i32, e.i64)
    y = e.cast(extend, e.integer(b), e.i32, e.i64)
    product = e.op("mul", x, y, e.i64)
    total = e.op("add", product, e.wide(c), e.i64)
    if i.has("X"):
        for term in carry_in(e, carry, e.i64):
            total = e.op("add", total, term, e.i64)
    overflow = e.mask(e.compare("icmp ult", total, product, e.i64)) if out else ""
    if i.has("HI"):
        high = e.op("lshr", total, e.constant(32, "i64"), e.i64)
        e.write(d, e.cast("trunc", high, e.i64, e.i32))
    else:
        e.write_wide(d, total)
    if out:
        e.write_predicate(out[0], overflow)


@opcode("IMNMX", modifiers="U32 S32 U64 S64", uniform="UIMNMX")
def imnmx(e: Emitter, i: Instruction) -> None:
    """d = min(a, b) where the predicate holds, else max."""
    d, (a, b), chooser = extremum_operands(e, i)
    wide = i.has("U64") or i.has("S64")
    sign = "u" if i.has("U32") or i.has("U64") else "s"
    x, y = (e.wide(o) if wide else e.integer(o) for o in (a, b))
    scalar = "i64" if wide else "i32"
    low = e.intrinsic(f"llvm.{sign}min", scalar, x, y)
    high = e.intrinsic(f"llvm.{sign}max", scalar, x, y)
    result = e.select(e.condition(e.predicate(chooser)), low, high, e.typed(scalar))
    if wide:
        e.write_wide(d, result)
    else:
        e.write(d, result)


@opcode("IABS", modifiers="", uniform="UIABS")
def iabs(e: Emitter, i: Instruction) -> None:
    """d = |a| as a 32-bit integer."""
    value = e.integer(i.operands[1])
    negative = e.op("sub", e.constant(0), value)
    e.write(i.operands[0], e.select(e.condition(value), negative, value))
