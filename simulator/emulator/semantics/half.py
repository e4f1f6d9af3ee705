"""Packed float16 arithmetic: two halves a register."""

from __future__ import annotations

from collections.abc import Callable

from simulator.emulator.emitter import Emitter, unsupported
from simulator.emulator.semantics.table import opcode
from simulator.isa.kernel import Instruction, Operand, OperandKind

_PARTS = {"H0_H0": (0, 0), "H1_H1": (1, 1), "H0_NH1": (0, 1), "H1_H0": (1, 0)}


def half_type(e: Emitter) -> str:
    return e.typed("half")


def half_source(e: Emitter, i: Instruction, operands: list[Operand], part: int) -> str:
    """One half of an operand as float64, ``|x|`` and ``-`` applied.

    An immediate is written as two numbers: the high half first, then the low one.
    """
    operand = operands[0]
    if operand.kind is OperandKind.FLOAT:
        number = operands[1 - part].number
        return _constant(e, number)
    selected = next((_PARTS[m] for m in operand.modifiers if m in _PARTS), (0, 1))[part]
    bits = e.read(operand)
    if selected:
        bits = e.op("lshr", bits, e.constant(16))
    low = e.cast("trunc", bits, e.i32, e.typed("i16"))
    value = e.cast("fpext", e.cast("bitcast", low, e.typed("i16"), half_type(e)), half_type(e), e.f64)
    if operand.absolute:
        value = e.intrinsic("llvm.fabs", "double", value)
    return e.temp(f"fneg {e.f64} {value}") if operand.negate else value


def _constant(e: Emitter, number: float) -> str:
    import struct

    bits = int.from_bytes(struct.pack("<d", number), "little")
    return e.cast("bitcast", e.constant(bits, "i64"), e.i64, e.f64)


def pack(e: Emitter, parts: list[str]) -> str:
    """Two float64 values rounded to halves, as a register."""
    halves = []
    for value in parts:
        half = e.cast("fptrunc", _odd_float(e, value), e.f32, half_type(e))
        bits = e.cast("bitcast", half, half_type(e), e.typed("i16"))
        nan = e.compare("fcmp uno", value, value, e.f64)
        bits = e.select(nan, e.constant(0x7FFF, "i16"), bits, e.typed("i16"))
        halves.append(e.cast("zext", bits, e.typed("i16"), e.i32))
    return e.op("or", halves[0], e.op("shl", halves[1], e.constant(16)))


def _odd_float(e: Emitter, value: str) -> str:
    """float64 to float32, rounded to odd: a further rounding to half then rounds just once.

    A direct conversion to half would be a library call that LLVM's runtime does not resolve here.
    """
    bits = e.cast("bitcast", value, e.f64, e.i64)
    dropped = e.op("and", bits, e.constant((1 << 29) - 1, "i64"), e.i64)
    inexact = e.compare("icmp ne", dropped, e.constant(0, "i64"), e.i64)
    kept = e.op("and", bits, e.constant(-(1 << 29), "i64"), e.i64)
    sticky = e.select(inexact, e.constant(1 << 29, "i64"), e.constant(0, "i64"), e.i64)
    odd = e.cast("bitcast", e.op("or", kept, sticky, e.i64), e.i64, e.f64)
    return e.cast("fptrunc", odd, e.f64, e.f32)


def _sources(operands: tuple[Operand, ...]) -> list[list[Operand]]:
    """Group operands: two consecutive numbers are one packed immediate."""
    groups: list[list[Operand]] = []
    rest = list(operands)
    while rest:
        count = 2 if rest[0].kind is OperandKind.FLOAT and len(rest) > 1 else 1
        groups.append(rest[:count])
        rest = rest[count:]
    return groups


def _packed(
    e: Emitter, i: Instruction, compute: Callable[[list[str]], str], count: int
) -> None:
    groups = _sources(i.operands[1:])
    if len(groups) != count:
        raise unsupported(i, "operand count")
    parts = [compute([half_source(e, i, g, part) for g in groups]) for part in (0, 1)]
    e.write(i.operands[0], pack(e, parts))


@opcode("HFMA2", modifiers="MMA")
def hfma2(e: Emitter, i: Instruction) -> None:
    """d = a * b + c on both halves, rounded once."""
    _packed(e, i, lambda v: e.intrinsic("llvm.fma", "double", *v), 3)


@opcode("HADD2", modifiers="")
def hadd2(e: Emitter, i: Instruction) -> None:
    """d = a + b on both halves."""
    _packed(e, i, lambda v: e.op("fadd", v[0], v[1], e.f64), 2)


@opcode("HMUL2", modifiers="")
def hmul2(e: Emitter, i: Instruction) -> None:
    """d = a * b on both halves."""
    _packed(e, i, lambda v: e.op("fmul", v[0], v[1], e.f64), 2)
