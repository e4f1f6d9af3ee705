"""Shifts: funnels, shifted sums, and fields of bits."""

from __future__ import annotations

from simulator.emulator.emitter import Emitter, unsupported
from simulator.emulator.semantics.operands import addend64, carry_in, split_predicates
from simulator.emulator.semantics.table import opcode
from simulator.isa.kernel import Instruction, Operand, OperandKind


@opcode("LEA", modifiers="HI X SX32", uniform="ULEA")
def lea(e: Emitter, i: Instruction) -> None:
    """d = (a << s) + b; .HI adds the high word of the shifted 64-bit a instead."""
    out, sources, carry = split_predicates(i.operands[1:])
    d, a, b, shift = i.operands[0], sources[0], sources[1], sources[-1]
    if shift.kind is not OperandKind.IMMEDIATE:
        raise unsupported(i, "shift from a register")
    if i.has("HI"):
        if a.negate:
            raise unsupported(i, "negated 64-bit shift")
        high = _high_source(e, i, sources)
        low = e.cast("zext", e.integer(a), e.i32, e.i64)
        value = e.op("shl", e.join(low, high), e.constant(shift.value, "i64"), e.i64)
        value = e.op("lshr", value, e.constant(32, "i64"), e.i64)
        shifted = e.cast("trunc", value, e.i64, e.i32)
    else:
        shifted = e.op("shl", e.integer(a), e.constant(shift.value))
    _lea_add(e, i, d, out, shifted, b, carry)


def _high_source(e: Emitter, i: Instruction, sources: list[Operand]) -> str:
    if i.has("SX32"):
        sign = e.op("ashr", e.integer(sources[0]), e.constant(31))
        return e.cast("zext", sign, e.i32, e.i64)
    if len(sources) != 4:
        raise unsupported(i, "operand count")
    return e.cast("zext", e.integer(sources[2]), e.i32, e.i64)


def _lea_add(
    e: Emitter,
    i: Instruction,
    d: Operand,
    out: list[Operand],
    shifted: str,
    b: Operand,
    carry: list[Operand],
) -> None:
    total = e.op("add", e.cast("zext", shifted, e.i32, e.i64), addend64(e, b), e.i64)
    if i.has("X"):
        for term in carry_in(e, carry, e.i64):
            total = e.op("add", total, term, e.i64)
    result = e.cast("trunc", total, e.i64, e.i32)
    over = e.compare("icmp uge", total, e.constant(1 << 32, "i64"), e.i64)
    over = e.mask(over)
    e.write(d, result)
    for predicate in out:
        e.write_predicate(predicate, over)


@opcode("SHF", modifiers="L R W U32 S32 U64 S64 HI", uniform="USHF")
def shf(e: Emitter, i: Instruction) -> None:
    """Funnel shift of the pair {c, a}; .HI takes the high word, .W wraps the shift amount."""
    d, a, amount, c = i.operands
    wide = i.has("U64") or i.has("S64")
    pair = e.join(
        e.cast("zext", e.integer(a), e.i32, e.i64), e.cast("zext", e.integer(c), e.i32, e.i64)
    )
    shift = _shift_amount(e, i, amount, 64 if wide else 32)
    arithmetic = i.has("S32") or i.has("S64")
    name = "shl" if i.has("L") else "ashr" if arithmetic else "lshr"
    inside = e.call(
        e.i64,
        f"llvm.umin.{'v8' if e.vector else ''}i64",
        ((e.i64, shift), (e.i64, e.constant(63, "i64"))),
    )
    value = e.op(name, pair, inside, e.i64)
    if wide and name != "ashr":
        gone = e.compare("icmp ugt", shift, e.constant(63, "i64"), e.i64)
        value = e.select(gone, e.constant(0, "i64"), value, e.i64)
    if i.has("HI"):
        value = e.op("lshr", value, e.constant(32, "i64"), e.i64)
    e.write(d, e.cast("trunc", value, e.i64, e.i32))


def _shift_amount(e: Emitter, i: Instruction, amount: Operand, limit: int) -> str:
    if i.has("W"):
        shift = e.op("and", e.integer(amount), e.constant(limit - 1))
    else:
        shift = e.intrinsic("llvm.umin", "i32", e.integer(amount), e.constant(limit))
    return e.cast("zext", shift, e.i32, e.i64)


@opcode("SGXT", modifiers="U32 W", uniform="USGXT")
def sgxt(e: Emitter, i: Instruction) -> None:
    """The low b bits of a, sign- or zero-extended; b = 0 gives 0."""
    d, a, width = i.operands
    bits = e.intrinsic("llvm.umin", "i32", e.integer(width), e.constant(32))
    if i.has("W"):
        bits = e.op("and", e.integer(width), e.constant(31))
    gap = e.op("sub", e.constant(32), bits)
    wide = e.cast("zext", e.integer(a), e.i32, e.i64)
    shift = e.cast("zext", gap, e.i32, e.i64)
    left = e.cast("trunc", e.op("shl", wide, shift, e.i64), e.i64, e.i32)
    extend = "zext" if i.has("U32") else "sext"
    name = "lshr" if i.has("U32") else "ashr"
    value = e.op(name, e.cast(extend, left, e.i32, e.i64), shift, e.i64)
    e.write(d, e.cast("trunc", value, e.i64, e.i32))


@opcode("BMSK", modifiers="W", uniform="UBMSK")
def bmsk(e: Emitter, i: Instruction) -> None:
    """A mask of b ones from bit a upwards."""
    d, start, width = i.operands
    if i.has("W"):
        first = e.op("and", e.integer(start), e.constant(31))
        count = e.op("and", e.integer(width), e.constant(31))
    else:
        first = e.intrinsic("llvm.umin", "i32", e.integer(start), e.constant(32))
        count = e.intrinsic("llvm.umin", "i32", e.integer(width), e.constant(32))
    one = e.constant(1, "i64")
    ones = e.op("shl", one, e.cast("zext", count, e.i32, e.i64), e.i64)
    ones = e.op("sub", ones, one, e.i64)
    value = e.op("shl", ones, e.cast("zext", first, e.i32, e.i64), e.i64)
    e.write(d, e.cast("trunc", value, e.i64, e.i32))
