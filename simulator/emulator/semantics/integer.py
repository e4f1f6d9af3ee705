"""Integer arithmetic, logic and shifts, lane-wise and on the uniform datapath."""

from __future__ import annotations

from simulator.emulator.emitter import Emitter, unsupported
from simulator.emulator.semantics.table import opcode
from simulator.isa.kernel import PT, Instruction, Operand, OperandKind

PREDICATES = (OperandKind.PREDICATE, OperandKind.UNIFORM_PREDICATE)


def split_predicates(
    operands: tuple[Operand, ...],
) -> tuple[list[Operand], list[Operand], list[Operand]]:
    """Leading predicates, the rest, trailing predicates."""
    rest = list(operands)
    leading: list[Operand] = []
    trailing: list[Operand] = []
    while rest and rest[0].kind in PREDICATES:
        leading.append(rest.pop(0))
    while rest and rest[-1].kind in PREDICATES:
        trailing.insert(0, rest.pop())
    return leading, rest, trailing


def _carry_in(e: Emitter, predicates: list[Operand], type_: str) -> list[str]:
    """Carry-in predicates as 0/1 integers of ``type_``."""
    return [e.cast("zext", e.condition(e.predicate(p)), e.i1, type_) for p in predicates]


def _addend64(e: Emitter, operand: Operand) -> str:
    """An operand as a 33-bit addend: ``-b`` counts as 2**32 - b, so that carries come out."""
    negate, operand = operand.negate, _without_negate(operand)
    value = e.cast("zext", e.integer(operand), e.i32, e.i64)
    if negate:
        value = e.op("sub", e.constant(1 << 32, "i64"), value, e.i64)
    return value


def _without_negate(operand: Operand) -> Operand:
    from dataclasses import replace

    return replace(operand, negate=False) if operand.negate else operand


@opcode("IADD3", "IADD", modifiers="X 64", uniform="UIADD3 UIADD")
def iadd3(e: Emitter, i: Instruction) -> None:
    """d = a + b + c (+ carries); up to two carry-outs that together hold the carry."""
    out, sources, carry = split_predicates(i.operands[1:])
    if i.has("64"):
        _iadd64(e, i, out, sources)
        return
    if not i.has("X"):
        carry = []
    if out:
        _iadd3_carry(e, i.operands[0], out, sources, carry)
        return
    total = e.integer(sources[0])
    for term in [e.integer(s) for s in sources[1:]] + _carry_in(e, carry, e.i32):
        total = e.op("add", total, term)
    e.write(i.operands[0], total)


def _iadd3_carry(
    e: Emitter, d: Operand, out: list[Operand], sources: list[Operand], carry: list[Operand]
) -> None:
    total = _addend64(e, sources[0])
    for term in [_addend64(e, s) for s in sources[1:]] + _carry_in(e, carry, e.i64):
        total = e.op("add", total, term, e.i64)
    result = e.cast("trunc", total, e.i64, e.i32)
    high = e.op("lshr", total, e.constant(32, "i64"), e.i64)
    carries = [
        e.mask(e.compare("icmp uge", high, e.constant(n + 1, "i64"), e.i64))
        for n in range(len(out))
    ]
    e.write(d, result)
    for predicate, mask in zip(out, carries, strict=True):
        e.write_predicate(predicate, mask)


def _iadd64(e: Emitter, i: Instruction, out: list[Operand], sources: list[Operand]) -> None:
    """A sum of register pairs."""
    if any(p.value != PT for p in out) or i.has("X"):
        raise unsupported(i, "carry of a 64-bit sum")
    total = e.wide(sources[0])
    for source in sources[1:]:
        total = e.op("add", total, e.wide(source), e.i64)
    e.write_wide(i.operands[0], total)


@opcode("IMAD", modifiers="MOV SHL IADD U32 X HI WIDE", uniform="UIMAD")
def imad(e: Emitter, i: Instruction) -> None:
    """d = a * b + c; .HI the high word, .WIDE all 64 bits (c is then a register pair)."""
    out, sources, carry = split_predicates(i.operands[1:])
    d = i.operands[0]
    if i.has("WIDE") or i.has("HI"):
        _imad_wide(e, i, d, out, sources, carry)
        return
    if out:
        raise unsupported(i, "carry-out of a 32-bit product")
    a, b, c = sources
    total = e.op("add", e.op("mul", e.integer(a), e.integer(b)), e.integer(c))
    if i.has("X"):
        for term in _carry_in(e, carry, e.i32):
            total = e.op("add", total, term)
    e.write(d, total)


def _imad_wide(
    e: Emitter,
    i: Instruction,
    d: Operand,
    out: list[Operand],
    sources: list[Operand],
    carry: list[Operand],
) -> None:
    a, b, c = sources
    extend = "zext" if i.has("U32") else "sext"
    x = e.cast(extend, e.integer(a), e.i32, e.i64)
    y = e.cast(extend, e.integer(b), e.i32, e.i64)
    product = e.op("mul", x, y, e.i64)
    total = e.op("add", product, e.wide(c), e.i64)
    if i.has("X"):
        for term in _carry_in(e, carry, e.i64):
            total = e.op("add", total, term, e.i64)
    overflow = e.mask(e.compare("icmp ult", total, product, e.i64)) if out else ""
    if i.has("HI"):
        high = e.op("lshr", total, e.constant(32, "i64"), e.i64)
        e.write(d, e.cast("trunc", high, e.i64, e.i32))
    else:
        e.write_wide(d, total)
    if out:
        e.write_predicate(out[0], overflow)


@opcode("LEA", modifiers="HI X SX32", uniform="ULEA")
def lea(e: Emitter, i: Instruction) -> None:
    """d = (a << s) + b; .HI adds the high word of the shifted 64-bit a instead."""
    out, sources, carry = split_predicates(i.operands[1:])
    d, a, b, shift = i.operands[0], sources[0], sources[1], sources[-1]
    if shift.kind is not OperandKind.IMMEDIATE:
        raise unsupported(i, "shift from a register")
    if i.has("HI"):
        if a.negate:
            raise unsupported(i, "negated 64-bit shift")
        high = _high_source(e, i, sources)
        low = e.cast("zext", e.integer(a), e.i32, e.i64)
        value = e.op("shl", e.join(low, high), e.constant(shift.value, "i64"), e.i64)
        value = e.op("lshr", value, e.constant(32, "i64"), e.i64)
        shifted = e.cast("trunc", value, e.i64, e.i32)
    else:
        shifted = e.op("shl", e.integer(a), e.constant(shift.value))
    _lea_add(e, i, d, out, shifted, b, carry)


def _high_source(e: Emitter, i: Instruction, sources: list[Operand]) -> str:
    if i.has("SX32"):
        sign = e.op("ashr", e.integer(sources[0]), e.constant(31))
        return e.cast("zext", sign, e.i32, e.i64)
    if len(sources) != 4:
        raise unsupported(i, "operand count")
    return e.cast("zext", e.integer(sources[2]), e.i32, e.i64)


def _lea_add(
    e: Emitter,
    i: Instruction,
    d: Operand,
    out: list[Operand],
    shifted: str,
    b: Operand,
    carry: list[Operand],
) -> None:
    total = e.op("add", e.cast("zext", shifted, e.i32, e.i64), _addend64(e, b), e.i64)
    if i.has("X"):
        for term in _carry_in(e, carry, e.i64):
            total = e.op("add", total, term, e.i64)
    result = e.cast("trunc", total, e.i64, e.i32)
    over = e.compare("icmp uge", total, e.constant(1 << 32, "i64"), e.i64)
    over = e.mask(over)
    e.write(d, result)
    for predicate in out:
        e.write_predicate(predicate, over)


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


@opcode("SHF", modifiers="L R W U32 S32 U64 S64 HI", uniform="USHF")
def shf(e: Emitter, i: Instruction) -> None:
    """Funnel shift of the pair {c, a}; .HI takes the high word, .W wraps the shift amount."""
    d, a, amount, c = i.operands
    wide = i.has("U64") or i.has("S64")
    pair = e.join(
        e.cast("zext", e.integer(a), e.i32, e.i64), e.cast("zext", e.integer(c), e.i32, e.i64)
    )
    shift = _shift_amount(e, i, amount, 64 if wide else 32)
    arithmetic = i.has("S32") or i.has("S64")
    name = "shl" if i.has("L") else "ashr" if arithmetic else "lshr"
    inside = e.call(
        e.i64,
        f"llvm.umin.{'v8' if e.vector else ''}i64",
        ((e.i64, shift), (e.i64, e.constant(63, "i64"))),
    )
    value = e.op(name, pair, inside, e.i64)
    if wide and name != "ashr":
        gone = e.compare("icmp ugt", shift, e.constant(63, "i64"), e.i64)
        value = e.select(gone, e.constant(0, "i64"), value, e.i64)
    if i.has("HI"):
        value = e.op("lshr", value, e.constant(32, "i64"), e.i64)
    e.write(d, e.cast("trunc", value, e.i64, e.i32))


def _shift_amount(e: Emitter, i: Instruction, amount: Operand, limit: int) -> str:
    if i.has("W"):
        shift = e.op("and", e.integer(amount), e.constant(limit - 1))
    else:
        shift = e.intrinsic("llvm.umin", "i32", e.integer(amount), e.constant(limit))
    return e.cast("zext", shift, e.i32, e.i64)


def extremum_operands(e: Emitter, i: Instruction) -> tuple[Operand, list[Operand], Operand]:
    """(target, sources, chooser) of a minimum or maximum.

    The 64-bit forms chain: their further predicates must be idle.
    """
    leading, rest, trailing = split_predicates(i.operands)
    d = rest.pop(0)
    while rest and rest[0].kind in PREDICATES:
        leading.append(rest.pop(0))
    idle = all(p.value == PT for p in leading) and all(
        p.value == PT and p.invert for p in trailing[1:]
    )
    if not idle:
        raise unsupported(i, "chained minimum or maximum")
    return d, rest, trailing[0]


@opcode("IMNMX", modifiers="U32 S32 U64 S64", uniform="UIMNMX")
def imnmx(e: Emitter, i: Instruction) -> None:
    """d = min(a, b) where the predicate holds, else max."""
    d, (a, b), chooser = extremum_operands(e, i)
    wide = i.has("U64") or i.has("S64")
    sign = "u" if i.has("U32") or i.has("U64") else "s"
    x, y = (e.wide(o) if wide else e.integer(o) for o in (a, b))
    scalar = "i64" if wide else "i32"
    low = e.intrinsic(f"llvm.{sign}min", scalar, x, y)
    high = e.intrinsic(f"llvm.{sign}max", scalar, x, y)
    result = e.select(e.condition(e.predicate(chooser)), low, high, e.typed(scalar))
    if wide:
        e.write_wide(d, result)
    else:
        e.write(d, result)


@opcode("VIADDMNMX", modifiers="U32 S32 RELU")
def viaddmnmx(e: Emitter, i: Instruction) -> None:
    """d = min or max of a + b and c."""
    if i.has("RELU"):
        raise unsupported(i, "modifier .RELU")
    d, a, b, c, chooser = i.operands
    sign = "u" if i.has("U32") else "s"
    total, other = e.op("add", e.integer(a), e.integer(b)), e.integer(c)
    low = e.intrinsic(f"llvm.{sign}min", "i32", total, other)
    high = e.intrinsic(f"llvm.{sign}max", "i32", total, other)
    e.write(d, e.select(e.condition(e.predicate(chooser)), low, high))


@opcode("IABS", modifiers="", uniform="UIABS")
def iabs(e: Emitter, i: Instruction) -> None:
    """d = |a| as a 32-bit integer."""
    value = e.integer(i.operands[1])
    negative = e.op("sub", e.constant(0), value)
    e.write(i.operands[0], e.select(e.condition(value), negative, value))


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


@opcode("SGXT", modifiers="U32 W", uniform="USGXT")
def sgxt(e: Emitter, i: Instruction) -> None:
    """The low b bits of a, sign- or zero-extended; b = 0 gives 0."""
    d, a, width = i.operands
    bits = e.intrinsic("llvm.umin", "i32", e.integer(width), e.constant(32))
    if i.has("W"):
        bits = e.op("and", e.integer(width), e.constant(31))
    gap = e.op("sub", e.constant(32), bits)
    wide = e.cast("zext", e.integer(a), e.i32, e.i64)
    shift = e.cast("zext", gap, e.i32, e.i64)
    left = e.cast("trunc", e.op("shl", wide, shift, e.i64), e.i64, e.i32)
    extend = "zext" if i.has("U32") else "sext"
    name = "lshr" if i.has("U32") else "ashr"
    value = e.op(name, e.cast(extend, left, e.i32, e.i64), shift, e.i64)
    e.write(d, e.cast("trunc", value, e.i64, e.i32))


@opcode("BMSK", modifiers="W", uniform="UBMSK")
def bmsk(e: Emitter, i: Instruction) -> None:
    """A mask of b ones from bit a upwards."""
    d, start, width = i.operands
    if i.has("W"):
        first = e.op("and", e.integer(start), e.constant(31))
        count = e.op("and", e.integer(width), e.constant(31))
    else:
        first = e.intrinsic("llvm.umin", "i32", e.integer(start), e.constant(32))
        count = e.intrinsic("llvm.umin", "i32", e.integer(width), e.constant(32))
    one = e.constant(1, "i64")
    ones = e.op("shl", one, e.cast("zext", count, e.i32, e.i64), e.i64)
    ones = e.op("sub", ones, one, e.i64)
    value = e.op("shl", ones, e.cast("zext", first, e.i32, e.i64), e.i64)
    e.write(d, e.cast("trunc", value, e.i64, e.i32))


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
