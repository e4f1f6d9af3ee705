"""Float operations rounded in the direction an instruction asks for.

A float32 result is a float64 one, exact or rounded to odd, that is then cut off by hand. A float64
result comes from a small function of the generated module that sets the processor's rounding mode
around one constrained intrinsic: slow, but such instructions are rare.
"""

from __future__ import annotations

from simulator.emulator.emitter import VECTOR, Emitter
from simulator.isa.kernel import Instruction

# The modes of llvm.set.rounding; 1 is to nearest, ties to even.
DIRECTIONS = {"RZ": 0, "RP": 2, "RM": 3}
_SUFFIXES = {"float": "f32", "double": "f64", "i32": "i32", "i64": "i64"}


def direction_of(i: Instruction) -> int | None:
    """The rounding mode of an instruction; None for the usual one (to nearest even)."""
    return next((DIRECTIONS[m] for m in i.modifiers if m in DIRECTIONS), None)


def directed(
    e: Emitter, name: str, direction: int, source: str, values: list[str], target: str = ""
) -> str:
    """``name`` (``fadd``, ``fmul``, ``fma``, ``fptrunc``, ``sitofp``, ``uitofp``) in a mode.

    ``source`` and ``target`` are scalar types; without ``target`` the result has the source's.
    """
    target = target or source
    if target == "float" and source != "i64":
        return _short(e, name, direction, source, values)
    a, r = e.typed(source), e.typed(target)
    function = f"round_{name}_{_suffix(e, source)}_{_suffix(e, target)}_{direction}"
    types = [a] * len(values)
    e.intrinsics |= _definition(e, function, name, direction, types, r, (source, target))
    arguments = ", ".join(f"{t} {v}" for t, v in zip(types, values, strict=True))
    return e.temp(f"call {r} @{function}({arguments})")


def _short(e: Emitter, name: str, direction: int, source: str, values: list[str]) -> str:
    """A float32 result by way of float64."""
    if source == "float":
        values = [e.cast("fpext", v, e.f32, e.f64) for v in values]
    if name == "fptrunc":
        return e.as_float(shortened(e, values[0], direction)[0])
    if name in ("sitofp", "uitofp"):
        wide = e.cast(name, values[0], e.typed(source), e.f64)
        return e.as_float(shortened(e, wide, direction)[0])
    if name == "fmul":
        return e.as_float(shortened(e, e.op("fmul", values[0], values[1], e.f64), direction)[0])
    if name == "fma":
        values = [e.op("fmul", values[0], values[1], e.f64), values[2]]
    wide = odd_sum(e, *values)
    bits, _ = shortened(e, wide, direction)
    if direction == DIRECTIONS["RM"]:
        bits = _zero_sum(e, values, wide, bits)
    return e.as_float(bits)


def _zero_sum(e: Emitter, values: list[str], wide: str, bits: str) -> str:
    """Rounded down, a sum that is zero is -0 unless both terms are +0."""
    a, b = (e.cast("bitcast", v, e.f64, e.i64) for v in values)
    sign = e.op("lshr", e.op("or", a, b, e.i64), e.constant(32, "i64"), e.i64)
    sign = e.op("and", e.cast("trunc", sign, e.i64, e.i32), e.constant(1 << 31))
    zero = e.cast("bitcast", e.constant(0, "i64"), e.i64, e.f64)
    return e.select(e.compare("fcmp oeq", wide, zero, e.f64), sign, bits)


def shortened(e: Emitter, wide: str, direction: int) -> tuple[str, str]:
    """(float32 bits of float64 values rounded in a direction, whether that was inexact)."""
    short = e.cast("fptrunc", wide, e.f64, e.f32)
    back = e.cast("fpext", short, e.f32, e.f64)
    inexact = e.compare("fcmp one", back, wide, e.f64)
    bits = e.as_bits(short)
    one = e.constant(1)
    if direction == DIRECTIONS["RZ"]:
        size, limit = (e.intrinsic("llvm.fabs", "double", v) for v in (back, wide))
        wrong, inward = e.compare("fcmp ogt", size, limit, e.f64), e.constant(-1)
    else:
        up = direction == DIRECTIONS["RP"]
        wrong = e.compare(f"fcmp {'olt' if up else 'ogt'}", back, wide, e.f64)
        negative = e.compare("icmp slt", bits, e.constant(0))
        steps = (e.constant(-1), one) if up else (one, e.constant(-1))
        inward = e.select(negative, *steps)
    moved = e.op("add", bits, e.op("and", inward, e.mask(wrong)))
    return moved, inexact


def _suffix(e: Emitter, scalar: str) -> str:
    return (f"v{VECTOR}" if e.vector else "") + _SUFFIXES[scalar]


def _definition(
    e: Emitter, function: str, name: str, direction: int, types: list[str], result: str,
    scalars: tuple[str, str],
) -> set[str]:  # fmt: skip
    """The function's text and the declarations it needs."""
    overload = _suffix(e, scalars[1])
    if scalars[0] != scalars[1]:
        overload += f".{_suffix(e, scalars[0])}"
    intrinsic = f"llvm.experimental.constrained.{name}.{overload}"
    parameters = ", ".join(f"{t} %a{n}" for n, t in enumerate(types))
    modes = 'metadata !"round.dynamic", metadata !"fpexcept.strict"'
    text = (
        f"define internal {result} @{function}({parameters}) noinline strictfp {{\n"
        f"  call void @llvm.set.rounding(i32 {direction})\n"
        f"  %r = call {result} @{intrinsic}({parameters}, {modes}) strictfp\n"
        "  call void @llvm.set.rounding(i32 1)\n"
        f"  ret {result} %r\n}}\n"
    )
    return {
        text,
        "declare void @llvm.set.rounding(i32)",
        f"declare {result} @{intrinsic}({', '.join(types)}, metadata, metadata)",
    }


def odd_float(e: Emitter, value: str) -> str:
    """The bits of float64 values as float32 rounded to odd.

    Rounded to odd (toward zero, the last bit set where that was inexact) a value can be rounded
    again to half the precision without an error from rounding twice.
    """
    bits, inexact = shortened(e, value, DIRECTIONS["RZ"])
    return e.op("or", bits, e.cast("zext", inexact, e.i1, e.i32))


def odd_sum(e: Emitter, a: str, b: str) -> str:
    """The sum of float64 values rounded to odd."""
    total, error = two_sum(e, a, b)
    zero = e.cast("bitcast", e.constant(0, "i64"), e.i64, e.f64)
    inexact = e.compare("fcmp one", error, zero, e.f64)
    bits = e.cast("bitcast", total, e.f64, e.i64)
    apart = e.op("xor", bits, e.cast("bitcast", error, e.f64, e.i64), e.i64)
    outward = e.compare("icmp slt", apart, e.constant(0, "i64"), e.i64)
    outward = e.op("and", outward, inexact, e.i1)
    bits = e.op("add", bits, e.cast("sext", outward, e.i1, e.i64), e.i64)
    bits = e.op("or", bits, e.cast("zext", inexact, e.i1, e.i64), e.i64)
    return e.cast("bitcast", bits, e.i64, e.f64)


def two_sum(e: Emitter, a: str, b: str) -> tuple[str, str]:
    """a + b to nearest, and what that loses (Knuth's two-sum); NaN for infinities."""
    total = e.op("fadd", a, b, e.f64)
    virtual = e.op("fsub", total, a, e.f64)
    rest = e.op("fsub", a, e.op("fsub", total, virtual, e.f64), e.f64)
    return total, e.op("fadd", rest, e.op("fsub", b, virtual, e.f64), e.f64)
