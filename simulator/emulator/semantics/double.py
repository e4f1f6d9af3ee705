"""Float64 arithmetic."""

from __future__ import annotations

from simulator.emulator.emitter import Emitter
from simulator.emulator.semantics.compare import (
    FLOAT_MODIFIERS,
    float_comparison,
    logic,
    write_pair,
)
from simulator.emulator.semantics.formats import double_bits, read_double, write_double
from simulator.emulator.semantics.operands import split_predicates
from simulator.emulator.semantics.rounding import directed, direction_of
from simulator.emulator.semantics.table import opcode
from simulator.isa.kernel import Instruction

_ROUNDINGS = "RN RZ RM RP"


def _binary(e: Emitter, i: Instruction, name: str) -> None:
    d, a, b = i.operands
    values = [read_double(e, a), read_double(e, b)]
    direction = direction_of(i)
    if direction is None:
        result = e.op(name, values[0], values[1], e.f64)
    else:
        result = directed(e, name, direction, "double", values)
    write_double(e, d, result, [double_bits(e, b), double_bits(e, a)])


@opcode("DADD", modifiers=_ROUNDINGS)
def dadd(e: Emitter, i: Instruction) -> None:
    """d = a + b."""
    _binary(e, i, "fadd")


@opcode("DMUL", modifiers=_ROUNDINGS)
def dmul(e: Emitter, i: Instruction) -> None:
    """d = a * b."""
    _binary(e, i, "fmul")


@opcode("DFMA", modifiers=_ROUNDINGS)
def dfma(e: Emitter, i: Instruction) -> None:
    """d = a * b + c, rounded once."""
    d, a, b, c = i.operands
    values = [read_double(e, s) for s in (a, b, c)]
    direction = direction_of(i)
    if direction is None:
        result = e.intrinsic("llvm.fma", "double", *values)
    else:
        result = directed(e, "fma", direction, "double", values)
    write_double(e, d, result, [double_bits(e, s) for s in (b, c, a)])


@opcode("DSETP", modifiers=FLOAT_MODIFIERS + " MIN MAX")
def dsetp(e: Emitter, i: Instruction) -> None:
    """P, Q = (a cmp b) op R.

    .MIN and .MAX: P says that a is the one to keep, Q that both are NaN (b is kept then).
    """
    targets, (a, b), trailing = split_predicates(i.operands)
    x, y = read_double(e, a), read_double(e, b)
    if not (i.has("MIN") or i.has("MAX")):
        result = e.mask(e.compare(float_comparison(i), x, y, e.f64))
        write_pair(e, i, targets, result, trailing[0])
        return
    first, neither = _chosen(e, x, y, i.has("MIN"))
    other = e.predicate(trailing[0])
    e.write_predicate(targets[0], e.op(logic(i), e.mask(first), other))
    e.write_predicate(targets[1], e.op(logic(i), e.mask(neither), other))


def _chosen(e: Emitter, x: str, y: str, minimum: bool) -> tuple[str, str]:
    """Whether min or max keeps x (a NaN loses, -0 < +0), and whether both are NaN."""
    better = e.compare(f"fcmp {'olt' if minimum else 'ogt'}", x, y, e.f64)
    a, b = (e.cast("bitcast", v, e.f64, e.i64) for v in (x, y))
    equal = e.compare("fcmp oeq", x, y, e.f64)
    # Equal numbers differ in their bits only as zeros: the sign decides.
    name = "icmp slt" if minimum else "icmp sgt"
    zero = e.op("and", equal, e.compare(name, a, b, e.i64), e.i1)
    missing = e.compare("fcmp uno", y, y, e.f64)
    both = e.op("and", missing, e.compare("fcmp uno", x, x, e.f64), e.i1)
    alone = e.op("and", missing, e.compare("fcmp ord", x, x, e.f64), e.i1)
    first = e.op("or", e.op("or", better, zero, e.i1), alone, e.i1)
    return first, both
