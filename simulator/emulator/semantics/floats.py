"""Float32 arithmetic."""

from __future__ import annotations

from simulator.emulator.emitter import Emitter
from simulator.emulator.runtime.codes import MUFU_CODES
from simulator.emulator.semantics.compare import flush
from simulator.emulator.semantics.rounding import directed, direction_of
from simulator.emulator.semantics.table import Mode, opcode, runtime_call
from simulator.emulator.semantics.tiny import flush_edge
from simulator.isa.kernel import Instruction, Operand


def _source(e: Emitter, i: Instruction, operand: Operand) -> str:
    value = e.float32(operand)
    return flush(e, value) if i.has("FTZ") else value


def _result(e: Emitter, i: Instruction, d: Operand, value: str) -> None:
    if i.has("FTZ"):
        value = flush(e, value)
    if i.has("SAT"):
        value = saturate(e, value)
    e.write_float(d, value)


def saturate(e: Emitter, value: str) -> str:
    """Clamp to [0, 1]; a NaN becomes 0."""
    zero = e.as_float(e.constant(0))
    one = e.as_float(e.constant(0x3F800000))
    above = e.compare("fcmp ogt", value, zero, e.f32)
    value = e.select(above, value, zero, e.f32)
    over = e.compare("fcmp ogt", value, one, e.f32)
    return e.select(over, one, value, e.f32)


def fused(e: Emitter, i: Instruction, a: str, b: str, c: str) -> str:
    """a * b + c rounded once, in the direction the instruction asks for."""
    direction = direction_of(i)
    if direction is None:
        result = e.intrinsic("llvm.fma", "float", a, b, c)
    else:
        result = directed(e, "fma", direction, "float", [a, b, c])
    return flush_edge(e, direction, [a, b], c, result) if i.has("FTZ") else result


def _binary(e: Emitter, i: Instruction, name: str) -> None:
    d, a, b = i.operands
    values = [_source(e, i, a), _source(e, i, b)]
    direction = direction_of(i)
    if direction is None:
        result = e.op(name, values[0], values[1], e.f32)
    else:
        result = directed(e, name, direction, "float", values)
    if name == "fmul" and i.has("FTZ"):
        result = flush_edge(e, direction, values, e.as_float(e.constant(0)), result)
    _result(e, i, d, result)


@opcode("FADD", modifiers="FTZ SAT RN RZ RM RP", uniform="UFADD")
def fadd(e: Emitter, i: Instruction) -> None:
    """d = a + b."""
    _binary(e, i, "fadd")


@opcode("FMUL", modifiers="FTZ SAT RN RZ RM RP", uniform="UFMUL")
def fmul(e: Emitter, i: Instruction) -> None:
    """d = a * b."""
    _binary(e, i, "fmul")


@opcode("FFMA", modifiers="FTZ SAT RN RZ RM RP", uniform="UFFMA")
def ffma(e: Emitter, i: Instruction) -> None:
    """d = a * b + c, rounded once."""
    d, a, b, c = i.operands
    _result(e, i, d, fused(e, i, _source(e, i, a), _source(e, i, b), _source(e, i, c)))


@opcode("FMNMX", modifiers="FTZ NAN")
def fmnmx(e: Emitter, i: Instruction) -> None:
    """d = min(a, b) where the predicate holds, else max; a NaN loses (.NAN: wins), -0 < +0."""
    d, a, b, chooser = i.operands
    x, y = _source(e, i, a), _source(e, i, b)
    minimum, maximum = ("minimum", "maximum") if i.has("NAN") else ("minimumnum", "maximumnum")
    low = e.intrinsic(f"llvm.{minimum}", "float", x, y)
    high = e.intrinsic(f"llvm.{maximum}", "float", x, y)
    e.write_float(d, e.select(e.condition(e.predicate(chooser)), low, high, e.f32))


@opcode("FSEL", modifiers="FTZ")
def fsel(e: Emitter, i: Instruction) -> None:
    """d = a where the predicate holds, else b; bits are kept."""
    d, a, b, chooser = i.operands
    x, y = e.signed_bits(e.read(a), a), e.signed_bits(e.read(b), b)
    e.write(d, e.select(e.condition(e.predicate(chooser)), x, y))


@opcode("MUFU", modifiers=" ".join(MUFU_CODES) + " FTZ", mode=Mode.SCALAR)
def mufu(e: Emitter, i: Instruction) -> None:
    """The special-function unit: a call on the whole row."""
    d, a = i.operands
    code = next(MUFU_CODES[m] for m in i.modifiers if m in MUFU_CODES)
    flags = int(a.absolute) | int(a.negate) << 1 | int(i.has("FTZ")) << 2
    source = e.source_row(a)
    runtime_call(e, "smr_mufu", e.lane_bits(), e.target_row(d), source, code, flags)
