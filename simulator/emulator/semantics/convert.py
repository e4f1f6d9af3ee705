"""Conversions between integers and floats."""

from __future__ import annotations

from simulator.emulator.emitter import Emitter, unsupported
from simulator.emulator.semantics.compare import flush
from simulator.emulator.semantics.floats import directed_sum
from simulator.emulator.semantics.table import opcode
from simulator.isa.kernel import Instruction, Operand

_INTEGERS = ("U8", "S8", "U16", "S16", "U32", "S32", "U64", "S64")
_ROUND = {"TRUNC": "llvm.trunc", "FLOOR": "llvm.floor", "CEIL": "llvm.ceil"}


def integer_types(i: Instruction, default: str = "S32") -> str:
    """The integer type among the modifiers."""
    return next((m for m in i.modifiers if m in _INTEGERS), default)


def narrow(e: Emitter, operand: Operand, kind: str) -> str:
    """An 8- or 16-bit integer operand, extended; B1..B3 and H1 pick the part."""
    bits = int(kind[1:])
    part = next((int(m[1]) for m in operand.modifiers if m[0] in "BH" and m[1:2].isdigit()), 0)
    top = e.op("shl", e.integer(operand), e.constant(32 - bits * (part + 1)))
    return e.op("ashr" if kind[0] == "S" else "lshr", top, e.constant(32 - bits))


def integer_source(e: Emitter, operand: Operand, kind: str) -> tuple[str, str]:
    """(value, its type) of an integer operand of any width."""
    if kind in ("U64", "S64"):
        return e.wide(operand), e.i64
    if kind in ("U32", "S32"):
        return e.integer(operand), e.i32
    return narrow(e, operand, kind), e.i32


@opcode("I2F", "I2FP", modifiers="F32 F64 F16 RN RZ RM RP " + " ".join(_INTEGERS))
def i2f(e: Emitter, i: Instruction) -> None:
    """Integer to float."""
    d, a = i.operands
    kind = integer_types(i)
    value, type_ = integer_source(e, a, kind)
    name = "sitofp" if kind[0] == "S" else "uitofp"
    if i.has("F16"):
        raise unsupported(i, "modifier .F16")
    if i.has("F64"):
        e.write_wide(d, e.cast("bitcast", e.cast(name, value, type_, e.f64), e.f64, e.i64))
        return
    direction = next((m for m in i.modifiers if m in ("RZ", "RM", "RP")), None)
    if direction is None:
        e.write_float(d, e.cast(name, value, type_, e.f32))
        return
    if kind in ("U64", "S64"):
        raise unsupported(i, f"modifier .{direction} from 64 bits")
    exact = e.cast(name, value, type_, e.f64)
    zero = e.cast("bitcast", e.constant(0, "i64"), e.i64, e.f64)
    e.write_float(d, directed_sum(e, exact, zero, {"RZ": 0, "RM": 1, "RP": 2}[direction]))


@opcode("F2I", "F2IP", modifiers="FTZ NTZ F32 F64 F16 TRUNC FLOOR CEIL " + " ".join(_INTEGERS))
def f2i(e: Emitter, i: Instruction) -> None:
    """Float to integer: saturating; a NaN gives 0x80000000 (64 bits: 1 << 63)."""
    d, a = i.operands
    if i.has("F16"):
        raise unsupported(i, "modifier .F16")
    kind = integer_types(i)
    scalar = "double" if i.has("F64") else "float"
    if i.has("F64"):
        value = e.cast("bitcast", wide_float_bits(e, a), e.i64, e.f64)
    else:
        value = e.float32(a)
        value = flush(e, value) if i.has("FTZ") else value
    rounding = next((_ROUND[m] for m in i.modifiers if m in _ROUND), "llvm.roundeven")
    _write_integer(e, d, e.intrinsic(rounding, scalar, value), scalar, kind)


def wide_float_bits(e: Emitter, operand: Operand) -> str:
    """A float64 register pair as bits, ``|x|`` and ``-`` applied."""
    from dataclasses import replace

    bits = e.wide(replace(operand, negate=False))
    if operand.absolute:
        bits = e.op("and", bits, e.constant((1 << 63) - 1, "i64"), e.i64)
    if operand.negate:
        bits = e.op("xor", bits, e.constant(1 << 63, "i64"), e.i64)
    return bits


def _write_integer(e: Emitter, d: Operand, value: str, scalar: str, kind: str) -> None:
    bits = max(32, int(kind[1:]))
    small = int(kind[1:]) < 32
    name = "fptosi" if kind[0] == "S" else "fptoui"
    floats = ("v8" if e.vector else "") + {"float": "f32", "double": "f64"}[scalar]
    target = f"i{int(kind[1:])}"
    integers = ("v8" if e.vector else "") + target
    t = e.typed(target)
    result = e.call(t, f"llvm.{name}.sat.{integers}.{floats}", ((e.typed(scalar), value),))
    if small:
        extend = "sext" if kind[0] == "S" else "zext"
        result = e.cast(extend, result, t, e.i32)
    nan = e.compare("fcmp uno", value, value, e.typed(scalar))
    indefinite = e.constant(1 << (bits - 1), f"i{bits}")
    if small:
        indefinite = e.constant(0)
    result = e.select(nan, indefinite, result, e.typed(f"i{bits}"))
    if bits == 64:
        e.write_wide(d, result)
    else:
        e.write(d, result)


@opcode("FRND", modifiers="FTZ F32 F64 TRUNC FLOOR CEIL")
def frnd(e: Emitter, i: Instruction) -> None:
    """Round to an integral float."""
    d, a = i.operands
    rounding = next((_ROUND[m] for m in i.modifiers if m in _ROUND), "llvm.roundeven")
    if i.has("F64"):
        value = e.cast("bitcast", wide_float_bits(e, a), e.i64, e.f64)
        result = e.intrinsic(rounding, "double", value)
        e.write_wide(d, e.cast("bitcast", result, e.f64, e.i64))
        return
    value = e.float32(a)
    value = flush(e, value) if i.has("FTZ") else value
    e.write_float(d, e.intrinsic(rounding, "float", value))
