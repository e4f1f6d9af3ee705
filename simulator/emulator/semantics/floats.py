"""Float32 arithmetic."""

from __future__ import annotations

from simulator.emulator.emitter import Emitter, unsupported
from simulator.emulator.runtime.codes import MUFU_CODES
from simulator.emulator.semantics.compare import flush
from simulator.emulator.semantics.rounding import directed, direction_of
from simulator.emulator.semantics.table import Mode, opcode, runtime_call
from simulator.emulator.semantics.tiny import flush_edge
from simulator.isa.kernel import Instruction, Operand, OperandKind


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


def _pair_operand(e: Emitter, i: Instruction, operand: Operand, part: int) -> str:
    """One half of a register pair of two float32."""
    pair = operand.kind in (OperandKind.REGISTER, OperandKind.UNIFORM_REGISTER)
    if not pair or operand.modifiers != ("F32x2", "HI_LO"):
        raise unsupported(i, f"operand {operand.text}")
    value = e.as_float(e.signed_bits(e.read(operand, part), operand))
    return flush(e, value) if i.has("FTZ") else value


@opcode("FADD2", "FMUL2", "FFMA2", modifiers="FTZ RN")
def packed_float(e: Emitter, i: Instruction) -> None:
    """FADD, FMUL or FFMA on both float32 of register pairs."""
    d, *sources = i.operands
    for part in (0, 1):
        values = [_pair_operand(e, i, s, part) for s in sources]
        if i.opcode == "FFMA2":
            result = fused(e, i, values[0], values[1], values[2])
        else:
            name = "fadd" if i.opcode == "FADD2" else "fmul"
            result = e.op(name, values[0], values[1], e.f32)
            if name == "fmul" and i.has("FTZ"):
                result = flush_edge(e, None, values, e.as_float(e.constant(0)), result)
        _write_part(e, i, d, result, part)


def _write_part(e: Emitter, i: Instruction, d: Operand, value: str, part: int) -> None:
    value = flush(e, value) if i.has("FTZ") else value
    nan = e.compare("fcmp uno", value, value, e.f32)
    e.write(d, e.select(nan, e.constant(0x7FFFFFFF), e.as_bits(value)), part)


@opcode("FMNMX", "FMNMX3", modifiers="FTZ NAN")
def fmnmx(e: Emitter, i: Instruction) -> None:
    """d = the least where the predicate holds, else the greatest; a NaN loses (.NAN: wins).

    -0 counts as less than +0.
    """
    d, *sources, chooser = i.operands
    suffix = "" if i.has("NAN") else "num"
    low = high = _source(e, i, sources[0])
    for value in (_source(e, i, s) for s in sources[1:]):
        low = e.intrinsic(f"llvm.minimum{suffix}", "float", low, value)
        high = e.intrinsic(f"llvm.maximum{suffix}", "float", high, value)
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
