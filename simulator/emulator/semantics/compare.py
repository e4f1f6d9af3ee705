"""Comparisons and predicate logic."""

from __future__ import annotations

from simulator.emulator.emitter import Emitter, unsupported
from simulator.emulator.semantics.operands import split_predicates
from simulator.emulator.semantics.table import opcode
from simulator.isa.kernel import Instruction, Operand

_ORDER = {"LT": "lt", "EQ": "eq", "LE": "le", "GT": "gt", "NE": "ne", "GE": "ge"}
_FLOAT = {
    **{name: f"o{ir}" for name, ir in _ORDER.items()},
    **{f"{name}U": f"u{ir}" for name, ir in _ORDER.items()},
    "NUM": "ord",
    "NAN": "uno",
}
_LOGIC = {"AND": "and", "OR": "or", "XOR": "xor"}
INTEGER_MODIFIERS = "LT EQ LE GT NE GE F T U32 S32 U64 S64 AND OR XOR EX"
FLOAT_MODIFIERS = "LT EQ LE GT NE GE LTU EQU LEU GTU NEU GEU NUM NAN F T AND OR XOR"


def logic(i: Instruction) -> str:
    """The IR operation that joins a comparison with its predicate."""
    for modifier in i.modifiers:
        if modifier in _LOGIC:
            return _LOGIC[modifier]
    return "and"


def integer_condition(e: Emitter, i: Instruction, a: Operand, b: Operand) -> str:
    """``a cmp b`` as conditions."""
    if i.has("T") or i.has("F"):
        value = int(i.has("T"))
        return e.constant(value, "i1") if e.vector else ("true" if value else "false")
    name = next(_ORDER[m] for m in i.modifiers if m in _ORDER)
    unsigned = i.has("U32") or i.has("U64")
    sign = "" if name in ("eq", "ne") else "u" if unsigned else "s"
    if i.has("U64") or i.has("S64"):
        return e.compare(f"icmp {sign}{name}", e.wide(a), e.wide(b), e.i64)
    return e.compare(f"icmp {sign}{name}", e.integer(a), e.integer(b))


def float_comparison(i: Instruction) -> str:
    """The fcmp of a float comparison's modifiers."""
    for modifier in i.modifiers:
        if modifier in _FLOAT:
            return f"fcmp {_FLOAT[modifier]}"
    if i.has("T"):
        return "fcmp true"
    if i.has("F"):
        return "fcmp false"
    raise unsupported(i, "no comparison")


def write_pair(
    e: Emitter, i: Instruction, targets: list[Operand], result: str, source: Operand
) -> None:
    """P = result op Q, and the second target = not result op Q."""
    combine, other = logic(i), e.predicate(source)
    first = e.op(combine, result, other)
    second = e.op(combine, e.op("xor", result, e.constant(-1)), other)
    e.write_predicate(targets[0], first)
    if len(targets) > 1:
        e.write_predicate(targets[1], second)


@opcode("ISETP", modifiers=INTEGER_MODIFIERS, uniform="UISETP")
def isetp(e: Emitter, i: Instruction) -> None:
    """P, Q = (a cmp b) op R; .EX decides on the low words' result when the words are equal."""
    targets, (a, b), trailing = split_predicates(i.operands)
    condition = integer_condition(e, i, a, b)
    result = e.mask(condition)
    if i.has("EX"):
        equal = e.compare("icmp eq", e.integer(a), e.integer(b))
        result = _extended(e, i, result, equal, e.predicate(trailing[1]))
    write_pair(e, i, targets, result, trailing[0])


def _extended(e: Emitter, i: Instruction, result: str, equal: str, low: str) -> str:
    if i.has("EQ"):
        return e.op("and", result, low)
    if i.has("NE"):
        return e.op("or", result, low)
    return e.select(equal, low, result)


@opcode("FSETP", modifiers=FLOAT_MODIFIERS + " FTZ")
def fsetp(e: Emitter, i: Instruction) -> None:
    """P, Q = (a cmp b) op R on float32."""
    targets, (a, b), trailing = split_predicates(i.operands)
    x, y = e.float32(a), e.float32(b)
    if i.has("FTZ"):
        x, y = flush(e, x), flush(e, y)
    result = e.mask(e.compare(float_comparison(i), x, y, e.f32))
    write_pair(e, i, targets, result, trailing[0])


@opcode("FSET", modifiers=FLOAT_MODIFIERS + " BF FTZ")
def fset(e: Emitter, i: Instruction) -> None:
    """d = (a cmp b) op R as 1.0/0.0 (.BF) or -1/0."""
    d, a, b, source = i.operands
    x, y = e.float32(a), e.float32(b)
    if i.has("FTZ"):
        x, y = flush(e, x), flush(e, y)
    result = e.mask(e.compare(float_comparison(i), x, y, e.f32))
    result = e.op(logic(i), result, e.predicate(source))
    if i.has("BF"):
        result = e.op("and", result, e.constant(0x3F800000))
    e.write(d, result)


def flush(e: Emitter, value: str) -> str:
    """A denormal float32 as zero of the same sign (.FTZ)."""
    bits = e.as_bits(value)
    exponent = e.op("and", bits, e.constant(0x7F800000))
    small = e.compare("icmp eq", exponent, e.constant(0))
    return e.as_float(e.select(small, e.op("and", bits, e.constant(1 << 31)), bits))


@opcode("FCHK", modifiers="DIVIDE")
def fchk(e: Emitter, i: Instruction) -> None:
    """Whether a / b needs the slow path: where an exponent of the fast one could leave its range.

    The conditions are those measured for every pair of exponents on an NVIDIA H200; the fractions
    do not matter.
    """
    p, a, b = i.operands
    x, y = _exponent(e, e.read(a)), _exponent(e, e.read(b))
    difference = e.op("sub", x, y)
    tests = [
        e.compare("icmp sgt", difference, e.constant(126)),
        e.compare("icmp slt", difference, e.constant(-124)),
        e.compare("icmp slt", x, e.constant(-102)),
        e.compare("icmp sgt", x, e.constant(127)),
        e.compare("icmp slt", y, e.constant(-125)),
        e.compare("icmp sgt", y, e.constant(124)),
    ]
    slow = tests[0]
    for test in tests[1:]:
        slow = e.op("or", slow, test, e.i1)
    e.write_predicate(p, e.mask(slow))


def _exponent(e: Emitter, bits: str) -> str:
    field = e.op("and", e.op("lshr", bits, e.constant(23)), e.constant(0xFF))
    return e.op("sub", field, e.constant(127))
