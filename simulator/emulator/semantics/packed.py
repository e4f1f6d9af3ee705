"""Integer arithmetic on the 8- or 16-bit elements of a register."""

from __future__ import annotations

from dataclasses import replace

from simulator.emulator.emitter import Emitter, unsupported
from simulator.emulator.semantics.operands import extremum_operands
from simulator.emulator.semantics.table import opcode
from simulator.isa.kernel import RZ, Instruction, Operand, OperandKind

# modifier -> bits of an element, signed
PACKED = {"16x2": (16, False), "U16x2": (16, False), "S16x2": (16, True), "U8x4": (8, False),
          "S8x4": (8, True)}  # fmt: skip


def element(e: Emitter, value: str, bits: int, index: int, signed: bool) -> str:
    """One element, extended to 32 bits."""
    top = e.op("shl", value, e.constant(32 - bits * (index + 1)))
    return e.op("ashr" if signed else "lshr", top, e.constant(32 - bits))


def joined(e: Emitter, parts: list[str], bits: int) -> str:
    """Elements (their low bits) side by side, the first one lowest."""
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
    """d = min(a, b) where the predicate holds, else max; .RELU: at least zero."""
    d, (a, b), chooser = extremum_operands(e, i)
    x, y = e.integer(a), e.integer(b)
    condition = e.condition(e.predicate(chooser))
    bits, signed = packed_kind(i) or (32, not i.has("U32"))
    parts = []
    for index in range(32 // bits):
        pair = [element(e, v, bits, index, signed) if bits < 32 else v for v in (x, y)]
        parts.append(_extremum(e, i, pair, condition, signed))
    e.write(d, joined(e, parts, bits) if bits < 32 else parts[0])


def _extremum(e: Emitter, i: Instruction, values: list[str], condition: str, signed: bool) -> str:
    sign = "s" if signed else "u"
    low = high = values[0]
    for value in values[1:]:
        low = e.intrinsic(f"llvm.{sign}min", "i32", low, value)
        high = e.intrinsic(f"llvm.{sign}max", "i32", high, value)
    result = e.select(condition, low, high)
    return e.intrinsic("llvm.smax", "i32", result, e.constant(0)) if i.has("RELU") else result


@opcode("VIMNMX3", modifiers="U32 S32", uniform="UVIMNMX3")
def vimnmx3(e: Emitter, i: Instruction) -> None:
    """d = the least of three where the predicate holds, else the greatest."""
    d, sources, chooser = extremum_operands(e, i)
    values = [e.integer(s) for s in sources]
    condition = e.condition(e.predicate(chooser))
    e.write(d, _extremum(e, i, values, condition, not i.has("U32")))


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
