"""Integer arithmetic on the 8- or 16-bit elements of a register."""

from __future__ import annotations

from dataclasses import replace

from simulator.emulator.emitter import Emitter, unsupported
from simulator.emulator.semantics.operands import extremum_operands, split_predicates
from simulator.emulator.semantics.table import opcode
from simulator.isa.kernel import RZ, Instruction, Operand, OperandKind

# modifier -> bits of an element, signed
PACKED = {"16x2": (16, False), "U16x2": (16, False), "S16x2": (16, True), "U8x4": (8, False),
          "S8x4": (8, True)}  # fmt: skip


def element(e: Emitter, value: str, bits: int, index: int, signed: bool) -> str:
    """One element, extended to 32 bits."""
    if bits == 32:
        return value
    top = e.op("shl", value, e.constant(32 - bits * (index + 1)))
    return e.op("ashr" if signed else "lshr", top, e.constant(32 - bits))


def joined(e: Emitter, parts: list[str], bits: int) -> str:
    """Elements (their low bits) side by side, the first one lowest."""
    if bits == 32:
        return parts[0]
    result = e.constant(0)
    for index, part in enumerate(parts):
        low = e.op("and", part, e.constant((1 << bits) - 1))
        result = e.op("or", result, e.op("shl", low, e.constant(bits * index)))
    return result


def packed_kind(i: Instruction) -> tuple[int, bool] | None:
    """Element width and sign of a packed instruction; None for a plain one."""
    return next((PACKED[m] for m in i.modifiers if m in PACKED), None)


def _is_zero(operand: Operand) -> bool:
    return operand.kind is OperandKind.REGISTER and operand.value == RZ


@opcode("VIADD", modifiers=" ".join(PACKED), uniform="UVIADD")
def viadd(e: Emitter, i: Instruction) -> None:
    """d = a + b, of every element or of the whole."""
    d, a, b = i.operands
    kind = packed_kind(i)
    if kind is None:
        e.write(d, e.op("add", e.integer(a), e.integer(b)))
        return
    bits, signed = kind
    if any(o.absolute or o.invert for o in (a, b)):
        raise unsupported(i, f"operand {a.text}")
    parts = []
    for index in range(32 // bits):
        total = e.constant(0)
        for operand in (a, b):
            x = element(e, e.integer(replace(operand, negate=False)), bits, index, signed)
            total = e.op("sub" if operand.negate else "add", total, x)
        parts.append(total)
    e.write(d, joined(e, parts, bits))


@opcode("VIMNMX", modifiers="U32 S32 RELU " + " ".join(PACKED), uniform="UVIMNMX")
def vimnmx(e: Emitter, i: Instruction) -> None:
    """d = min(a, b) where the predicate holds, else max; .RELU: at least zero.

    The form with a predicate for each half says where the first one was taken.
    """
    d, predicates, sources, chooser = _extremum_parts(e, i)
    a, b = (_elements(e, i, s) for s in sources)
    condition = e.condition(e.predicate(chooser))
    e.write(d, _extrema(e, i, [a, b], condition))
    _, signed = _kind(i)
    for predicate, x, y in zip(predicates, a, b, strict=False):
        low, high = ("icmp sle", "icmp sge") if signed else ("icmp ule", "icmp uge")
        first = e.select(condition, e.compare(low, x, y), e.compare(high, x, y), e.i1)
        e.write_predicate(predicate, e.mask(first))


@opcode("VIMNMX3", modifiers="U32 S32 RELU " + " ".join(PACKED), uniform="UVIMNMX3")
def vimnmx3(e: Emitter, i: Instruction) -> None:
    """d = the least of three where the predicate holds, else the greatest; .RELU: at least zero."""
    d, sources, chooser = extremum_operands(e, i)
    elements = [_elements(e, i, s) for s in sources]
    e.write(d, _extrema(e, i, elements, e.condition(e.predicate(chooser))))


@opcode("VIADDMNMX", modifiers="U32 S32 RELU " + " ".join(PACKED))
def viaddmnmx(e: Emitter, i: Instruction) -> None:
    """d = min or max of a + b, which wraps, and c; .RELU: at least zero."""
    d, a, b, c, chooser = i.operands
    bits, signed = _kind(i)
    pairs = zip(_elements(e, i, a), _elements(e, i, b), strict=True)
    sums = [element(e, e.op("add", x, y), bits, 0, signed) for x, y in pairs]
    e.write(d, _extrema(e, i, [sums, _elements(e, i, c)], e.condition(e.predicate(chooser))))


def _extremum_parts(
    e: Emitter, i: Instruction
) -> tuple[Operand, list[Operand], list[Operand], Operand]:
    """(target, predicates of the elements, sources, chooser)."""
    if packed_kind(i) is None:
        d, sources, chooser = extremum_operands(e, i)
        return d, [], sources, chooser
    _, (d, *rest), trailing = split_predicates(i.operands)
    predicates, sources, _ = split_predicates(tuple(rest))
    return d, predicates, sources, trailing[0]


def _kind(i: Instruction) -> tuple[int, bool]:
    """Element width and sign; a plain instruction has one element of 32 bits."""
    return packed_kind(i) or (32, not i.has("U32"))


def _elements(e: Emitter, i: Instruction, operand: Operand) -> list[str]:
    bits, signed = _kind(i)
    value = e.integer(operand)
    return [element(e, value, bits, index, signed) for index in range(32 // bits)]


def _extrema(e: Emitter, i: Instruction, sources: list[list[str]], condition: str) -> str:
    """Of each element the least of all sources where the condition holds, else the greatest."""
    bits, signed = _kind(i)
    parts = [_extremum(e, i, [*values], condition, signed) for values in zip(*sources, strict=True)]
    return joined(e, parts, bits)


def _extremum(e: Emitter, i: Instruction, values: list[str], condition: str, signed: bool) -> str:
    sign = "s" if signed else "u"
    low = high = values[0]
    for value in values[1:]:
        low = e.intrinsic(f"llvm.{sign}min", "i32", low, value)
        high = e.intrinsic(f"llvm.{sign}max", "i32", high, value)
    result = e.select(condition, low, high)
    return e.intrinsic("llvm.smax", "i32", result, e.constant(0)) if i.has("RELU") else result


@opcode("VABSDIFF", modifiers="U32")
def vabsdiff(e: Emitter, i: Instruction) -> None:
    """d = |a - b| + c."""
    d, a, b, c = i.operands
    sign = "u" if i.has("U32") else "s"
    x, y = e.integer(a), e.integer(b)
    low = e.intrinsic(f"llvm.{sign}min", "i32", x, y)
    high = e.intrinsic(f"llvm.{sign}max", "i32", x, y)
    e.write(d, e.op("add", e.op("sub", high, low), e.integer(c)))


@opcode("VABSDIFF4", modifiers="U8 S8 ACC")
def vabsdiff4(e: Emitter, i: Instruction) -> None:
    """|a - b| of four bytes; .ACC: their sum added to c."""
    d, a, b, c = i.operands
    signed = i.has("S8")
    if not i.has("ACC") and not _is_zero(c):
        raise unsupported(i, f"operand {c.text}")
    parts = []
    for index in range(4):
        x, y = (element(e, e.integer(o), 8, index, signed) for o in (a, b))
        difference = e.op("sub", x, y)
        parts.append(e.call(
            e.i32, f"llvm.abs.{'v8' if e.vector else ''}i32",
            ((e.i32, difference), ("i1", "false")),
        ))  # fmt: skip
    if not i.has("ACC"):
        e.write(d, joined(e, parts, 8))
        return
    total = e.integer(c)
    for part in parts:
        total = e.op("add", total, part)
    e.write(d, total)


@opcode("IDP", modifiers="4A 2A LO HI U8 S8 U16 S16")
def idp(e: Emitter, i: Instruction) -> None:
    """d = c + the dot product of four bytes (4A) or of two halfwords with two bytes (2A)."""
    d, a, b, c = i.operands
    first, second = [m for m in i.modifiers if m in ("U8", "S8", "U16", "S16")]
    count, bits = (4, 8) if i.has("4A") else (2, 16)
    skip = 2 if i.has("HI") else 0
    total = e.integer(c)
    for n in range(count):
        x = element(e, e.integer(a), bits, n, first[0] == "S")
        y = element(e, e.integer(b), 8, n + skip, second[0] == "S")
        total = e.op("add", total, e.op("mul", x, y))
    e.write(d, total)
