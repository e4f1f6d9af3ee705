"""Float operations rounded in the direction an instruction asks for.

A directed operation is a small function of the generated module that sets the processor's
rounding mode around one constrained intrinsic, so that nothing else is computed in that mode.
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
    a, r = e.typed(source), e.typed(target)
    function = f"round_{name}_{_suffix(e, source)}_{_suffix(e, target)}_{direction}"
    types = [a] * len(values)
    e.intrinsics |= _definition(e, function, name, direction, types, r, (source, target))
    arguments = ", ".join(f"{t} {v}" for t, v in zip(types, values, strict=True))
    return e.temp(f"call {r} @{function}({arguments})")


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
    short = directed(e, "fptrunc", DIRECTIONS["RZ"], "double", [value], "float")
    back = e.cast("fpext", short, e.f32, e.f64)
    inexact = e.compare("fcmp une", back, value, e.f64)
    bits = e.as_bits(short)
    finite = e.compare("fcmp ord", value, value, e.f64)
    sticky = e.cast("zext", e.op("and", inexact, finite, e.i1), e.i1, e.i32)
    return e.op("or", bits, sticky)


def odd_sum(e: Emitter, a: str, b: str) -> str:
    """The sum of float64 values rounded to odd."""
    total = directed(e, "fadd", DIRECTIONS["RZ"], "double", [a, b])
    error = two_sum_error(e, a, b)
    zero = e.cast("bitcast", e.constant(0, "i64"), e.i64, e.f64)
    inexact = e.compare("fcmp one", error, zero, e.f64)
    bits = e.cast("bitcast", total, e.f64, e.i64)
    bits = e.op("or", bits, e.cast("zext", inexact, e.i1, e.i64), e.i64)
    return e.cast("bitcast", bits, e.i64, e.f64)


def two_sum_error(e: Emitter, a: str, b: str) -> str:
    """What a + b loses when it is rounded to nearest (Knuth's two-sum); NaN for infinities."""
    total = e.op("fadd", a, b, e.f64)
    virtual = e.op("fsub", total, a, e.f64)
    rest = e.op("fsub", a, e.op("fsub", total, virtual, e.f64), e.f64)
    return e.op("fadd", rest, e.op("fsub", b, virtual, e.f64), e.f64)
