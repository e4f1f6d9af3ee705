"""Sixteen-bit float formats as bits in 32-bit integers, and float64 pairs."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace

from simulator.emulator.emitter import Emitter
from simulator.isa.kernel import Instruction, Operand, OperandKind

NAN64 = 0xFFF8000000000000


@dataclass(frozen=True, slots=True)
class Half:
    """A 16-bit format; ``one`` is 1.0. Every NaN that arithmetic makes is 0x7fff in both."""

    name: str
    one: int


F16 = Half("f16", 0x3C00)
BF16 = Half("bf16", 0x3F80)


def format_of(i: Instruction) -> Half:
    """The format of a packed instruction: float16 unless a modifier says bfloat16."""
    return BF16 if i.has("BF16_V2") or i.has("BF16") else F16


def widen(e: Emitter, bits: str, kind: Half) -> str:
    """Sixteen bits (of an i32, the rest is ignored) as float32, exactly."""
    if kind is BF16:
        return e.as_float(e.op("shl", bits, e.constant(16)))
    magnitude = e.op("shl", e.op("and", bits, e.constant(0x7FFF)), e.constant(13))
    # An exponent is 112 larger in float32; the product also turns denormals into normal numbers.
    scaled = e.as_bits(
        e.op("fmul", e.as_float(magnitude), e.as_float(e.constant((127 + 112) << 23)), e.f32)
    )
    special = e.compare("icmp uge", magnitude, e.constant(0x0F800000))
    scaled = e.select(special, e.op("or", magnitude, e.constant(0x7F800000)), scaled)
    sign = e.op("shl", e.op("and", bits, e.constant(0x8000)), e.constant(16))
    return e.as_float(e.op("or", scaled, sign))


def narrow(e: Emitter, bits: str, kind: Half, toward_zero: bool = False) -> str:
    """Float32 bits rounded to sixteen bits of an i32: to nearest even, or toward zero."""
    magnitude = e.op("and", bits, e.constant(0x7FFFFFFF))
    rounded = (_narrow_bf16 if kind is BF16 else _narrow_f16)(e, magnitude)
    if toward_zero:
        back = e.op("and", e.as_bits(widen(e, rounded, kind)), e.constant(0x7FFFFFFF))
        above = e.compare("icmp ugt", back, magnitude)
        rounded = e.select(above, e.op("sub", rounded, e.constant(1)), rounded)
    sign = e.op("and", e.op("lshr", bits, e.constant(16)), e.constant(0x8000))
    nan = e.compare("icmp ugt", magnitude, e.constant(0x7F800000))
    return e.select(nan, e.constant(0x7FFF), e.op("or", rounded, sign))


def _narrow_bf16(e: Emitter, magnitude: str) -> str:
    last = e.op("and", e.op("lshr", magnitude, e.constant(16)), e.constant(1))
    total = e.op("add", e.op("add", magnitude, e.constant(0x7FFF)), last)
    return e.op("lshr", total, e.constant(16))


def _narrow_f16(e: Emitter, magnitude: str) -> str:
    last = e.op("and", e.op("lshr", magnitude, e.constant(13)), e.constant(1))
    total = e.op("add", e.op("add", magnitude, e.constant(0xFFF - (112 << 23))), last)
    normal = e.op("lshr", total, e.constant(13))
    # Adding 0.5, whose last bit counts 2**-24, leaves a denormal's sixteen bits at the end.
    shifted = e.op("fadd", e.as_float(magnitude), e.as_float(e.constant(0x3F000000)), e.f32)
    denormal = e.op("sub", e.as_bits(shifted), e.constant(0x3F000000))
    small = e.compare("icmp ult", magnitude, e.constant(0x38800000))
    large = e.compare("icmp uge", magnitude, e.constant(0x47800000))
    return e.select(large, e.constant(0x7C00), e.select(small, denormal, normal))


def double_bits(e: Emitter, operand: Operand) -> str:
    """The bits of a float64 operand as they stand: a register or constant pair, or a number."""
    if operand.kind is OperandKind.FLOAT:
        bits = int.from_bytes(struct.pack("<d", operand.number), "little")
        if operand.number != operand.number:
            bits = operand.value << 32  # an immediate is the high word
        return e.constant(bits, "i64")
    return e.wide(replace(operand, negate=False))


def read_double(e: Emitter, operand: Operand) -> str:
    """A float64 operand, ``|x|`` and ``-`` applied."""
    value = double_bits(e, operand)
    if operand.absolute:
        value = e.op("and", value, e.constant((1 << 63) - 1, "i64"), e.i64)
    if operand.negate:
        value = e.op("xor", value, e.constant(1 << 63, "i64"), e.i64)
    return as_double(e, value)


def as_double(e: Emitter, bits: str) -> str:
    """64-bit integers as float64."""
    return e.cast("bitcast", bits, e.i64, e.f64)


def write_double(e: Emitter, d: Operand, value: str, sources: Sequence[str]) -> None:
    """Write a float64 result to a register pair.

    A NaN is that of the first NaN among ``sources`` (float64 bits before ``-`` and ``|x|``), made
    quiet, else the one of an invalid operation. Measured on an NVIDIA H200.
    """
    nan = e.compare("fcmp uno", value, value, e.f64)
    chosen = e.constant(NAN64, "i64")
    for bits in reversed(sources):
        number = as_double(e, bits)
        missing = e.compare("fcmp uno", number, number, e.f64)
        quiet = e.op("or", bits, e.constant(1 << 51, "i64"), e.i64)
        chosen = e.select(missing, quiet, chosen, e.i64)
    bits = e.cast("bitcast", value, e.f64, e.i64)
    e.write_wide(d, e.select(nan, chosen, bits, e.i64))
