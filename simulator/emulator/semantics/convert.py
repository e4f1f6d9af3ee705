"""Conversions between integers and floats, and between float formats."""

from __future__ import annotations

from simulator.emulator.emitter import Emitter, unsupported
from simulator.emulator.semantics.compare import flush
from simulator.emulator.semantics.formats import (
    BF16,
    F16,
    double_bits,
    narrow,
    read_double,
    widen,
    write_double,
)
from simulator.emulator.semantics.half import pack
from simulator.emulator.semantics.rounding import DIRECTIONS, directed, direction_of, odd_float
from simulator.emulator.semantics.table import opcode
from simulator.isa.kernel import RZ, Instruction, Operand

_INTEGERS = ("U8", "S8", "U16", "S16", "U32", "S32", "U64", "S64")
_FLOATS = ("F16", "BF16", "F32", "F64")
_ROUND = {"TRUNC": "llvm.trunc", "FLOOR": "llvm.floor", "CEIL": "llvm.ceil"}
_HALVES = {"F16": F16, "BF16": BF16}


def integer_type(i: Instruction, default: str = "S32") -> str:
    """The integer type among the modifiers."""
    return next((m for m in i.modifiers if m in _INTEGERS), default)


def part_of(e: Emitter, operand: Operand, kind: str) -> str:
    """An 8- or 16-bit integer operand, extended; B1..B3 and H1 pick the part."""
    bits = int(kind[1:])
    part = next((int(m[1]) for m in operand.modifiers if m[0] in "BH" and m[1:2].isdigit()), 0)
    top = e.op("shl", e.integer(operand), e.constant(32 - bits * (part + 1)))
    return e.op("ashr" if kind[0] == "S" else "lshr", top, e.constant(32 - bits))


def integer_source(e: Emitter, operand: Operand, kind: str) -> tuple[str, str]:
    """(value, its scalar type) of an integer operand of any width."""
    if kind in ("U64", "S64"):
        return e.wide(operand), "i64"
    if kind in ("U32", "S32"):
        return e.integer(operand), "i32"
    return part_of(e, operand, kind), "i32"


@opcode(
    "I2F", "I2FP", modifiers="F32 F64 F16 RN RZ RM RP " + " ".join(_INTEGERS), uniform="UI2F UI2FP"
)
def i2f(e: Emitter, i: Instruction) -> None:
    """Integer to float."""
    d, a = i.operands
    kind = integer_type(i)
    value, source = integer_source(e, a, kind)
    name = "sitofp" if kind[0] == "S" else "uitofp"
    direction = direction_of(i)
    if i.has("F16"):
        if direction is not None or source == "i64":
            raise unsupported(i, "rounding to float16")
        exact = e.cast(name, value, e.i32, e.f64)
        e.write(d, narrow(e, odd_float(e, exact), F16))
        return
    target = "double" if i.has("F64") else "float"
    if direction is None:
        result = e.cast(name, value, e.typed(source), e.typed(target))
    else:
        # A zero stays out of it: rounded down, the host's own steps for it can end in -0.
        zero = e.compare("icmp eq", value, e.constant(0, source), e.typed(source))
        some = e.select(zero, e.constant(1, source), value, e.typed(source))
        result = directed(e, name, direction, source, [some], target)
        nothing = e.cast("sitofp", e.constant(0), e.i32, e.typed(target))
        result = e.select(zero, nothing, result, e.typed(target))
    if i.has("F64"):
        write_double(e, d, result, [])
    else:
        e.write_float(d, result)


def float_source(e: Emitter, i: Instruction, operand: Operand, kind: str) -> tuple[str, str]:
    """(value, its scalar type) of a float operand: float64, or float32 for the smaller ones."""
    if kind == "F64":
        return read_double(e, operand), "double"
    if kind in _HALVES:
        unknown = [m for m in operand.modifiers if m not in ("H0", "H1", "H0_H0", "H1_H1")]
        if unknown:
            raise unsupported(i, f"operand {operand.text}")
        bits = e.read(operand)
        if operand.modifiers and operand.modifiers[0].startswith("H1"):
            bits = e.op("lshr", bits, e.constant(16))
        value = e.as_bits(widen(e, bits, _HALVES[kind]))
        return e.as_float(e.signed_bits(value, operand)), "float"
    value = e.float32(operand)
    return (flush(e, value) if i.has("FTZ") else value), "float"


def _float_kinds(i: Instruction) -> list[str]:
    return [m for m in i.modifiers if m in _FLOATS]


@opcode(
    "F2I",
    modifiers="FTZ NTZ F32 F64 F16 BF16 TRUNC FLOOR CEIL " + " ".join(_INTEGERS),
    uniform="UF2I",
)
def f2i(e: Emitter, i: Instruction) -> None:
    """Float to integer, saturating; a NaN gives the top bit alone, with .NTZ zero."""
    d, a = i.operands
    kinds = _float_kinds(i)
    value, scalar = float_source(e, i, a, kinds[0] if kinds else "F32")
    rounding = next((_ROUND[m] for m in i.modifiers if m in _ROUND), "llvm.roundeven")
    _write_integer(e, i, d, e.intrinsic(rounding, scalar, value), scalar)


def _write_integer(e: Emitter, i: Instruction, d: Operand, value: str, scalar: str) -> None:
    kind = integer_type(i)
    bits = int(kind[1:])
    name = "fptosi" if kind[0] == "S" else "fptoui"
    floats = ("v8" if e.vector else "") + {"float": "f32", "double": "f64"}[scalar]
    integers = ("v8" if e.vector else "") + f"i{bits}"
    t = e.typed(f"i{bits}")
    result = e.call(t, f"llvm.{name}.sat.{integers}.{floats}", ((e.typed(scalar), value),))
    if bits < 32:
        result = e.cast("sext" if kind[0] == "S" else "zext", result, t, e.i32)
        bits, t = 32, e.i32
    nan = e.compare("fcmp uno", value, value, e.typed(scalar))
    missing = 0 if i.has("NTZ") else 1 << (bits - 1)
    result = e.select(nan, e.constant(missing, f"i{bits}"), result, t)
    if bits == 64:
        e.write_wide(d, result)
    else:
        e.write(d, result)


@opcode("F2IP", modifiers="U8 S8 F32 NTZ TRUNC FLOOR CEIL FTZ")
def f2ip(e: Emitter, i: Instruction) -> None:
    """One float32 to a saturated byte; packing two of them is refused."""
    d, first, a, rest = i.operands
    if first.value != RZ or rest.value != RZ or not i.has("NTZ"):
        raise unsupported(i, "packing of two bytes")
    value, scalar = float_source(e, i, a, "F32")
    rounding = next((_ROUND[m] for m in i.modifiers if m in _ROUND), "llvm.roundeven")
    _write_integer(e, i, d, e.intrinsic(rounding, scalar, value), scalar)


@opcode("FRND", modifiers="FTZ F32 F64 F16 BF16 TRUNC FLOOR CEIL", uniform="UFRND")
def frnd(e: Emitter, i: Instruction) -> None:
    """Round to an integral float."""
    d, a = i.operands
    kinds = _float_kinds(i)
    kind = kinds[0] if kinds else "F32"
    value, scalar = float_source(e, i, a, kind)
    rounding = next((_ROUND[m] for m in i.modifiers if m in _ROUND), "llvm.roundeven")
    result = e.intrinsic(rounding, scalar, value)
    if kind == "F64":
        write_double(e, d, result, [double_bits(e, a)])
    elif kind in _HALVES:
        e.write(d, narrow(e, e.as_bits(result), _HALVES[kind]))
    else:
        e.write_float(d, result)


def _quiet_nan(e: Emitter, a: Operand, source: str) -> str:
    """The float64 bits that a NaN operand becomes: sign and payload kept, made quiet."""
    if source == "F64":
        bits = double_bits(e, a)
    else:
        width, gap = (32, 29) if source == "F32" else (16, 42 if source == "F16" else 45)
        short = e.cast("zext", e.read(a), e.i32, e.i64)
        sign = e.op("shl", short, e.constant(64 - width, "i64"), e.i64)
        sign = e.op("and", sign, e.constant(1 << 63, "i64"), e.i64)
        payload = e.op("shl", short, e.constant(gap, "i64"), e.i64)
        payload = e.op("and", payload, e.constant((1 << 52) - 1, "i64"), e.i64)
        bits = e.op("or", sign, payload, e.i64)
    return e.op("or", bits, e.constant(0xFFF << 51, "i64"), e.i64)


def _short_nan(e: Emitter, bits: str, target: str) -> str:
    """Float64 NaN bits as those of a smaller format: sign, quiet, the payload's upper part."""
    exponent, width = {"F32": (0x7FC00000, 32), "F16": (0x7E00, 16), "BF16": (0x7FC0, 16)}[target]
    gap = {"F32": 29, "F16": 42, "BF16": 45}[target]
    fraction = (1 << (52 - gap)) - 1
    payload = e.op("lshr", bits, e.constant(gap, "i64"), e.i64)
    payload = e.op("and", payload, e.constant(fraction, "i64"), e.i64)
    sign = e.op("lshr", bits, e.constant(64 - width, "i64"), e.i64)
    sign = e.op("and", sign, e.constant(1 << (width - 1), "i64"), e.i64)
    low = e.cast("trunc", e.op("or", sign, payload, e.i64), e.i64, e.i32)
    return e.op("or", low, e.constant(exponent))


@opcode("F2F", modifiers="FTZ F16 BF16 F32 F64 RN RZ RM RP")
def f2f(e: Emitter, i: Instruction) -> None:
    """Float to float: the target's format, then the source's. A NaN keeps its payload."""
    d, a = i.operands
    kinds = _float_kinds(i)
    if len(kinds) != 2 or kinds[0] == kinds[1]:
        raise unsupported(i)
    if a.modifiers and kinds[1] in _HALVES:
        raise unsupported(i, f"operand {a.text}")
    value, scalar = float_source(e, i, a, kinds[1])
    wide = e.cast("fpext", value, e.typed(scalar), e.f64) if scalar == "float" else value
    nan = e.compare("fcmp uno", wide, wide, e.f64)
    payload = _quiet_nan(e, a, kinds[1])
    if kinds[0] == "F64":
        bits = e.cast("bitcast", wide, e.f64, e.i64)
        e.write_wide(d, e.select(nan, payload, bits, e.i64))
        return
    short = _short_nan(e, payload, kinds[0])
    e.write(d, e.select(nan, short, _rounded_bits(e, i, wide, kinds[0])))


def _rounded_bits(e: Emitter, i: Instruction, wide: str, target: str) -> str:
    """A float64 rounded to a smaller format, as bits."""
    direction = direction_of(i)
    if target in _HALVES:
        if direction not in (None, DIRECTIONS["RZ"]):
            raise unsupported(i, "direction of rounding")
        return narrow(e, odd_float(e, wide), _HALVES[target], direction is not None)
    if direction is None:
        result = e.cast("fptrunc", wide, e.f64, e.f32)
    else:
        result = directed(e, "fptrunc", direction, "double", [wide], "float")
    return e.as_bits(flush(e, result) if i.has("FTZ") else result)


@opcode("F2FP", modifiers="F16 BF16 F32 PACK_AB RN RZ RELU")
def f2fp(e: Emitter, i: Instruction) -> None:
    """d = two float32 as 16-bit floats: the first in the high half; float16 by default."""
    d, high, low = i.operands
    kind = BF16 if i.has("BF16") else F16
    parts = []
    for operand in (low, high):
        value = e.float32(operand)
        if i.has("RELU"):
            zero = e.as_float(e.constant(0))
            value = e.select(e.compare("fcmp ole", value, zero, e.f32), zero, value, e.f32)
        parts.append(narrow(e, e.as_bits(value), kind, i.has("RZ")))
    e.write(d, pack(e, *parts))
