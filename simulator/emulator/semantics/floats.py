"""Float32 arithmetic."""

from __future__ import annotations

from simulator.emulator.emitter import Emitter, unsupported
from simulator.emulator.semantics.compare import flush
from simulator.emulator.semantics.table import Mode, opcode, runtime_call
from simulator.emulator.runtime.codes import MUFU_CODES
from simulator.isa.kernel import Instruction, Operand

ROUNDINGS = {"RZ": 0, "RM": 1, "RP": 2}


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


def _directed(i: Instruction) -> int | None:
    for modifier in i.modifiers:
        if modifier in ROUNDINGS:
            return ROUNDINGS[modifier]
    return None


def fused(e: Emitter, i: Instruction, a: str, b: str, c: str) -> str:
    """a * b + c rounded once, in the direction the instruction asks for."""
    direction = _directed(i)
    if direction is None:
        return e.intrinsic("llvm.fma", "float", a, b, c)
    if not e.vector:
        raise unsupported(i, "directed rounding on the uniform datapath")
    return directed_fma(e, a, b, c, direction)


def directed_fma(e: Emitter, a: str, b: str, c: str, direction: int) -> str:
    """a * b + c rounded toward zero (0), down (1) or up (2).

    The product is exact in float64; see :func:`directed_sum` for the rest.
    """
    wide = [e.cast("fpext", v, e.f32, e.f64) for v in (a, b, c)]
    return directed_sum(e, e.op("fmul", wide[0], wide[1], e.f64), wide[2], direction)


def directed_sum(e: Emitter, product: str, addend: str, direction: int) -> str:
    """The sum of two float64 as a float32 rounded toward zero (0), down (1) or up (2).

    The sum's rounding error comes from Knuth's two-sum. The result rounded to the nearest float32
    is moved by one unit where it went past the exact value in the wrong direction.
    """
    total = e.op("fadd", product, addend, e.f64)
    virtual = e.op("fsub", total, product, e.f64)
    rest = e.op("fsub", product, e.op("fsub", total, virtual, e.f64), e.f64)
    error = e.op("fadd", rest, e.op("fsub", addend, virtual, e.f64), e.f64)
    near = e.cast("fptrunc", total, e.f64, e.f32)
    back = e.cast("fpext", near, e.f32, e.f64)
    zero = e.cast("bitcast", e.constant(0, "i64"), e.i64, e.f64)
    excess = e.op("fadd", e.op("fsub", back, total, e.f64), _negated(e, error), e.f64)
    over = e.compare("fcmp ogt", excess, zero, e.f64)
    under = e.compare("fcmp olt", excess, zero, e.f64)
    positive = e.compare("fcmp ogt", back, zero, e.f64)
    negative = e.compare("fcmp olt", back, zero, e.f64)
    bits = e.as_bits(near)
    if direction == 1:
        toward, away = over, e.constant(0)
        return e.as_float(_step_down(e, bits, toward, positive, away))
    if direction == 2:
        return e.as_float(_step_up(e, bits, under, negative))
    shrink = e.op(
        "or", e.op("and", positive, over, e.i1), e.op("and", negative, under, e.i1), e.i1
    )
    return e.as_float(e.select(shrink, e.op("sub", bits, e.constant(1)), bits))


def _negated(e: Emitter, value: str) -> str:
    return e.temp(f"fneg {e.f64} {value}")


def _step_down(e: Emitter, bits: str, where: str, positive: str, zero: str) -> str:
    smaller = e.op("sub", bits, e.constant(1))
    larger = e.op("add", bits, e.constant(1))
    stepped = e.select(positive, smaller, larger)
    is_zero = e.compare("icmp eq", e.op("shl", bits, e.constant(1)), zero)
    stepped = e.select(is_zero, e.constant(0x80000001), stepped)
    return e.select(where, stepped, bits)


def _step_up(e: Emitter, bits: str, where: str, negative: str) -> str:
    smaller = e.op("sub", bits, e.constant(1))
    larger = e.op("add", bits, e.constant(1))
    stepped = e.select(negative, smaller, larger)
    is_zero = e.compare("icmp eq", e.op("shl", bits, e.constant(1)), e.constant(0))
    stepped = e.select(is_zero, e.constant(1), stepped)
    return e.select(where, stepped, bits)


@opcode("FADD", modifiers="FTZ SAT RN RZ RM RP")
def fadd(e: Emitter, i: Instruction) -> None:
    """d = a + b."""
    d, a, b = i.operands
    x, y = _source(e, i, a), _source(e, i, b)
    if _directed(i) is None:
        _result(e, i, d, e.op("fadd", x, y, e.f32))
    else:
        _result(e, i, d, fused(e, i, x, e.as_float(e.constant(0x3F800000)), y))


@opcode("FMUL", modifiers="FTZ SAT RN RZ RM RP")
def fmul(e: Emitter, i: Instruction) -> None:
    """d = a * b."""
    d, a, b = i.operands
    x, y = _source(e, i, a), _source(e, i, b)
    if _directed(i) is None:
        _result(e, i, d, e.op("fmul", x, y, e.f32))
    else:
        _result(e, i, d, fused(e, i, x, y, e.as_float(e.constant(1 << 31))))


@opcode("FFMA", modifiers="FTZ SAT RN RZ RM RP")
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
