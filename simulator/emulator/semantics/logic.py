"""Logic by truth tables, on integers and predicates; counting and moving bits and bytes."""

from __future__ import annotations

from simulator.emulator.emitter import Emitter
from simulator.emulator.semantics.operands import split_predicates
from simulator.emulator.semantics.table import opcode
from simulator.isa.kernel import Instruction, Operand


@opcode("LOP3", modifiers="LUT PAND", uniform="ULOP3")
def lop3(e: Emitter, i: Instruction) -> None:
    """Any function of three inputs by its truth table; optionally "result is not zero"."""
    leading, rest, trailing = split_predicates(i.operands)
    d, a, b, c, table = rest
    value = _truth_table(e, [e.integer(a), e.integer(b), e.integer(c)], table.value)
    nonzero = ""
    if leading:
        nonzero = e.mask(e.compare("icmp ne", value, e.constant(0)))
        joined = "and" if i.has("PAND") else "or"
        nonzero = e.op(joined, nonzero, e.predicate(trailing[0]))
    e.write(d, value)
    if leading:
        e.write_predicate(leading[0], nonzero)


def _truth_table(e: Emitter, inputs: list[str], table: int) -> str:
    """Shannon expansion on the first input: bit (a<<2 | b<<1 | c) of ``table`` is the result."""
    if len(inputs) == 0:
        return e.constant(-(table & 1))
    half = 1 << (len(inputs) - 1)
    ones = (1 << half) - 1
    low, high = table & ones, table >> half & ones
    if low == high:
        return _truth_table(e, inputs[1:], low)
    if low == ones ^ high:
        return e.op("xor", inputs[0], _truth_table(e, inputs[1:], low))
    if low == 0:
        return _and(e, inputs[0], inputs[1:], high)
    inverted = e.op("xor", inputs[0], e.constant(-1))
    if high == 0:
        return _and(e, inverted, inputs[1:], low)
    return e.op("or", _and(e, inputs[0], inputs[1:], high), _and(e, inverted, inputs[1:], low))


def _and(e: Emitter, value: str, inputs: list[str], table: int) -> str:
    if table == (1 << (1 << len(inputs))) - 1:
        return value
    return e.op("and", value, _truth_table(e, inputs, table))


@opcode("PLOP3", modifiers="LUT", uniform="UPLOP3")
def plop3(e: Emitter, i: Instruction) -> None:
    """Two functions of three predicates by their truth tables."""
    p, q, a, b, c, first, second = i.operands
    inputs = [e.predicate(a), e.predicate(b), e.predicate(c)]
    one = _truth_table(e, inputs, first.value)
    two = _truth_table(e, inputs, second.value)
    e.write_predicate(p, one)
    e.write_predicate(q, two)


@opcode("POPC", modifiers="", uniform="UPOPC")
def popc(e: Emitter, i: Instruction) -> None:
    """Number of set bits."""
    e.write(i.operands[0], e.intrinsic("llvm.ctpop", "i32", e.integer(i.operands[1])))


@opcode("BREV", modifiers="", uniform="UBREV")
def brev(e: Emitter, i: Instruction) -> None:
    """Bits in reverse order."""
    e.write(i.operands[0], e.intrinsic("llvm.bitreverse", "i32", e.integer(i.operands[1])))


@opcode("FLO", modifiers="U32 SH", uniform="UFLO")
def flo(e: Emitter, i: Instruction) -> None:
    """Index of the leading one (.SH: its distance from bit 31), -1 when there is none.

    The signed form looks for the first bit that differs from the sign.
    """
    d, a = i.operands[0], i.operands[-1]
    value = e.integer(a)
    if not i.has("U32"):
        value = e.op("xor", value, e.op("ashr", value, e.constant(31)))
    vector = "v8" if e.vector else ""
    distance = e.call(e.i32, f"llvm.ctlz.{vector}i32", ((e.i32, value), ("i1", "false")))
    index = distance if i.has("SH") else e.op("sub", e.constant(31), distance)
    none = e.compare("icmp eq", value, e.constant(0))
    e.write(d, e.select(none, e.constant(-1), index))


# Modes of PRMT: the selector that each value of the two low bits of b stands for.
_PRMT_MODES = {
    "F4E": (0x3210, 0x4321, 0x5432, 0x6543),
    "B4E": (0x5670, 0x6701, 0x7012, 0x0123),
    "RC8": (0x0000, 0x1111, 0x2222, 0x3333),
    "ECL": (0x3210, 0x3211, 0x3222, 0x3333),
    "ECR": (0x0000, 0x1110, 0x2210, 0x3210),
    "RC16": (0x1010, 0x3232, 0x1010, 0x3232),
}


def _prmt_selector(e: Emitter, i: Instruction, selector: Operand) -> str:
    chosen = e.integer(selector)
    modes = next((_PRMT_MODES[m] for m in i.modifiers), None)
    if modes is None:
        return chosen
    index = e.op("and", chosen, e.constant(3))
    result = e.constant(modes[0])
    for n in (1, 2, 3):
        same = e.compare("icmp eq", index, e.constant(n))
        result = e.select(same, e.constant(modes[n]), result)
    return result


@opcode("PRMT", modifiers=" ".join(_PRMT_MODES), uniform="UPRMT")
def prmt(e: Emitter, i: Instruction) -> None:
    """Four bytes picked from {c, a} by the nibbles of b; bit 3 of a nibble spreads the sign."""
    d, a, selector, c = i.operands
    pair = e.join(
        e.cast("zext", e.integer(a), e.i32, e.i64), e.cast("zext", e.integer(c), e.i32, e.i64)
    )
    chosen = _prmt_selector(e, i, selector)
    result = e.constant(0)
    for n in range(4):
        result = e.op("or", result, _permuted_byte(e, pair, chosen, n))
    e.write(d, result)


def _permuted_byte(e: Emitter, pair: str, chosen: str, n: int) -> str:
    nibble = e.op("lshr", chosen, e.constant(4 * n))
    index = e.op("shl", e.op("and", nibble, e.constant(7)), e.constant(3))
    moved = e.op("lshr", pair, e.cast("zext", index, e.i32, e.i64), e.i64)
    byte = e.op("and", e.cast("trunc", moved, e.i64, e.i32), e.constant(0xFF))
    spread = e.op("ashr", e.op("shl", byte, e.constant(24)), e.constant(31))
    signed = e.compare("icmp ne", e.op("and", nibble, e.constant(8)), e.constant(0))
    byte = e.select(signed, e.op("and", spread, e.constant(0xFF)), byte)
    return e.op("shl", byte, e.constant(8 * n))
