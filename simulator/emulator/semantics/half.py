"""Packed float16 and bfloat16 arithmetic: two elements a register.

An element is widened to float32 exactly, results are computed in float64 so that one rounding to
sixteen bits is left.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from simulator.emulator.emitter import Emitter, float_bits, unsupported
from simulator.emulator.semantics.compare import FLOAT_MODIFIERS, float_comparison, logic
from simulator.emulator.semantics.formats import BF16, F16, Half, format_of, narrow, widen
from simulator.emulator.semantics.operands import split_predicates
from simulator.emulator.semantics.rounding import odd_float, odd_sum
from simulator.emulator.semantics.table import opcode
from simulator.isa.kernel import PT, RZ, Instruction, Operand, OperandKind

_PARTS = {"H0_H0": (0, 0), "H1_H1": (1, 1)}
# The bits of 2**-14 * (1 - 2**-12) as float64.
_TINY = int.from_bytes(struct.pack("<d", 2.0**-14 * (1 - 2.0**-12)), "little")
Group = list[Operand]


def grouped(operands: list[Operand]) -> list[Group]:
    """Group operands: two numbers in a row are one packed immediate, the high part first."""
    groups: list[Group] = []
    while operands:
        count = 2 if operands[0].kind is OperandKind.FLOAT else 1
        groups.append(operands[:count])
        operands = operands[count:]
    return groups


def element(e: Emitter, i: Instruction, group: Group, part: int, kind: Half) -> str:
    """One element of an operand as float32, ``|x|`` and ``-`` applied."""
    operand = group[0]
    if operand.kind is OperandKind.FLOAT:
        if len(group) != 2:
            raise unsupported(i, f"operand {operand.text}")
        return e.as_float(e.constant(float_bits(group[1 - part].number)))
    unknown = [m for m in operand.modifiers if m not in _PARTS]
    if unknown:
        raise unsupported(i, f"operand {operand.text}")
    selected = next((_PARTS[m] for m in operand.modifiers), (0, 1))[part]
    bits = e.read(operand)
    if selected:
        bits = e.op("lshr", bits, e.constant(16))
    if i.has("FTZ"):
        bits = _flushed(e, bits)
    return e.as_float(e.signed_bits(e.as_bits(widen(e, bits, kind)), operand))


def _flushed(e: Emitter, bits: str) -> str:
    """A float16 denormal as zero of its sign; bits above the sixteenth are dropped."""
    exponent = e.op("and", bits, e.constant(0x7C00))
    sign = e.op("and", bits, e.constant(0x8000))
    small = e.compare("icmp eq", exponent, e.constant(0))
    return e.select(small, sign, e.op("and", bits, e.constant(0xFFFF)))


def _wide(e: Emitter, value: str) -> str:
    return e.cast("fpext", value, e.f32, e.f64)


def _rounded(e: Emitter, i: Instruction, value: str, kind: Half) -> str:
    """A float64 result as sixteen bits, after .SAT or .RELU."""
    zero = e.cast("bitcast", e.constant(0, "i64"), e.i64, e.f64)
    if i.has("RELU"):
        value = e.select(e.compare("fcmp ole", value, zero, e.f64), zero, value, e.f64)
    if i.has("SAT"):
        one = e.cast("bitcast", e.constant(0x3FF << 52, "i64"), e.i64, e.f64)
        value = e.select(e.compare("fcmp ogt", value, zero, e.f64), value, zero, e.f64)
        value = e.select(e.compare("fcmp ogt", value, one, e.f64), one, value, e.f64)
    bits = narrow(e, odd_float(e, value), kind)
    if not i.has("FTZ"):
        return bits
    # Tiny is what 2**-14 is not reached by with the full eleven bits (see semantics.tiny).
    limit = e.cast("bitcast", e.constant(_TINY, "i64"), e.i64, e.f64)
    tiny = e.compare("fcmp olt", e.intrinsic("llvm.fabs", "double", value), limit, e.f64)
    return e.select(tiny, e.op("and", bits, e.constant(0x8000)), bits)


def pack(e: Emitter, low: str, high: str) -> str:
    """Two sixteen-bit values in one register."""
    return e.op("or", low, e.op("shl", high, e.constant(16)))


def _packed(
    e: Emitter, i: Instruction, compute: Callable[[list[str], Half], str], count: int
) -> None:
    groups = grouped(list(i.operands[1:]))
    if len(groups) != count:
        raise unsupported(i, "operand count")
    kind = format_of(i)
    parts = []
    for part in (0, 1):
        values = [_wide(e, element(e, i, g, part, kind)) for g in groups]
        parts.append(_rounded(e, i, compute(values, kind), kind))
    e.write(i.operands[0], pack(e, *parts))


def _constant_load(i: Instruction) -> int | None:
    """The register an HFMA2 of -RZ, RZ and a number only loads; None for another one.

    The product is -0, which leaves every addend as it is.
    """
    a, b, *numbers = i.operands[1:]
    zeros = all(o.kind is OperandKind.REGISTER and o.value == RZ for o in (a, b))
    changed = any(i.has(m) for m in ("SAT", "RELU", "FTZ"))
    if not zeros or not a.negate or b.negate or changed:
        return None
    if len(numbers) != 2 or any(n.number != n.number for n in numbers):
        return None
    high, low = (sixteen_bits(n.number, format_of(i)) for n in numbers)
    return high << 16 | low


def sixteen_bits(number: float, kind: Half) -> int:
    """The bits of a number that the format holds exactly."""
    if kind is F16:
        return int.from_bytes(struct.pack("<e", number), "little")
    return float_bits(number) >> 16


@opcode("HFMA2", modifiers="MMA BF16_V2 RELU SAT FTZ")
def hfma2(e: Emitter, i: Instruction) -> None:
    """d = a * b + c on both elements, rounded once."""
    loaded = _constant_load(i)
    if loaded is not None:
        e.write(i.operands[0], e.constant(loaded))
        return
    _packed(e, i, lambda v, kind: _sum(e, e.op("fmul", v[0], v[1], e.f64), v[2], kind), 3)


def _sum(e: Emitter, a: str, b: str, kind: Half) -> str:
    """A float64 sum that can be rounded again: of float16 it is exact or far from a tie."""
    return odd_sum(e, a, b) if kind is BF16 else e.op("fadd", a, b, e.f64)


@opcode("HADD2", modifiers="F32 BF16_V2 RELU SAT FTZ")
def hadd2(e: Emitter, i: Instruction) -> None:
    """d = a + b on both elements; .F32: one float32 sum of the low elements."""
    if not i.has("F32"):
        _packed(e, i, lambda v, kind: _sum(e, v[0], v[1], kind), 2)
        return
    a, b = (element(e, i, g, 0, format_of(i)) for g in grouped(list(i.operands[1:])))
    e.write_float(i.operands[0], e.op("fadd", a, b, e.f32))


@opcode("HMUL2", modifiers="BF16_V2 RELU SAT FTZ")
def hmul2(e: Emitter, i: Instruction) -> None:
    """d = a * b on both elements."""
    _packed(e, i, lambda v, _: e.op("fmul", v[0], v[1], e.f64), 2)


@opcode("HMNMX2", modifiers="BF16_V2 NAN FTZ")
def hmnmx2(e: Emitter, i: Instruction) -> None:
    """d = min where the predicate holds, else max; a NaN loses (.NAN: wins), -0 < +0."""
    _, sources, (chooser,) = split_predicates(i.operands[1:])
    groups, kind = grouped(sources), format_of(i)
    suffix = "" if i.has("NAN") else "num"
    parts = []
    for part in (0, 1):
        x, y = (element(e, i, g, part, kind) for g in groups)
        low = e.intrinsic(f"llvm.minimum{suffix}", "float", x, y)
        high = e.intrinsic(f"llvm.maximum{suffix}", "float", x, y)
        value = e.select(e.condition(e.predicate(chooser)), low, high, e.f32)
        parts.append(narrow(e, e.as_bits(value), kind))
    e.write(i.operands[0], pack(e, *parts))


def _comparisons(e: Emitter, i: Instruction, groups: list[Group]) -> list[str]:
    """a cmp b of both elements as masks."""
    kind, name = format_of(i), float_comparison(i)
    found = []
    for part in (0, 1):
        x, y = (element(e, i, g, part, kind) for g in groups)
        found.append(e.mask(e.compare(name, x, y, e.f32)))
    return found


@opcode("HSET2", modifiers=FLOAT_MODIFIERS + " BF BF16_V2")
def hset2(e: Emitter, i: Instruction) -> None:
    """d = (a cmp b) op R on both elements: all ones or, with .BF, 1.0; else zero."""
    _, sources, (other,) = split_predicates(i.operands[1:])
    one = format_of(i).one if i.has("BF") else 0xFFFF
    parts = [
        e.op("and", e.op(logic(i), result, e.predicate(other)), e.constant(one))
        for result in _comparisons(e, i, grouped(sources))
    ]
    e.write(i.operands[0], pack(e, *parts))


@opcode("HSETP2", modifiers=FLOAT_MODIFIERS + " H_AND BF16_V2")
def hsetp2(e: Emitter, i: Instruction) -> None:
    """P, Q = the low and the high elements' a cmp b, op R; .H_AND: P for both of them."""
    targets, sources, (other,) = split_predicates(i.operands)
    low, high = _comparisons(e, i, grouped(sources))
    if i.has("H_AND"):
        if targets[1].value != PT:
            raise unsupported(i, f"operand {targets[1].text}")
        low = e.op("and", low, high)
    for target, result in zip(targets, (low, high), strict=True):
        e.write_predicate(target, e.op(logic(i), result, e.predicate(other)))
