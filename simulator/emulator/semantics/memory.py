"""Loads, stores, atomics and constant loads: calls into the runtime, which writes the events."""

from __future__ import annotations

from simulator.emulator import layout
from simulator.emulator.emitter import Emitter, unsupported
from simulator.emulator.runtime import fast
from simulator.emulator.runtime.codes import ATOMIC_CODES, PREDICATE_SPIN, TYPE_CODES, WIDTH_CODES
from simulator.emulator.semantics.table import Mode, opcode, runtime_call
from simulator.isa.kernel import PT, RZ, Instruction, Operand, OperandKind, Space

_HINTS = (
    "E EF EL LU EU NA CONSTANT STRONG WEAK GPU CTA SYS SM VC PRIVATE LTC64B LTC128B LTC256B "
    "MMIO ENL2"
)
_WIDTHS = " ".join(WIDTH_CODES)
_SCALES = {"X4": 2, "X8": 3, "X16": 4}


def width_code(i: Instruction) -> int:
    """The width code of a load or store; 32 bits when no modifier says otherwise."""
    return next((WIDTH_CODES[m] for m in i.modifiers if m in WIDTH_CODES), WIDTH_CODES["32"])


def memory_operand(i: Instruction) -> Operand:
    """The address operand."""
    return next(o for o in i.operands if o.kind is OperandKind.MEMORY)


def short_address(e: Emitter, i: Instruction, address: Operand) -> tuple[int, str, int]:
    """(row of the lane part, scalar part, left shift of the lane part) of a 32-bit address."""
    offset = str(address.value)
    if address.uniform is not None:
        offset = e.op("add", e.uniform(address.uniform), offset)
    base = address.base
    if base is None:
        return layout.ROW_ZERO, offset, 0
    if base.kind is OperandKind.UNIFORM_REGISTER:
        return layout.ROW_ZERO, e.op("add", e.uniform(base), offset), 0
    shift = 0
    for modifier in base.modifiers:
        if modifier not in _SCALES:
            raise unsupported(i, f"address {address.text}")
        shift = _SCALES[modifier]
    return e.source_row(base), offset, shift


def long_address(e: Emitter, i: Instruction, address: Operand) -> tuple[int, int, str]:
    """(row of the low words, row of the high words, scalar part) of a 64-bit address."""
    offset = e.temp(f"sext i32 {address.value} to i64")
    uniform = address.uniform
    base = address.base
    if base is not None and base.kind is OperandKind.UNIFORM_REGISTER:
        uniform, base = base, None
    if uniform is not None:
        offset = e.op("add", offset, _uniform_pair(e, uniform), "i64")
    if base is None or base.value == RZ:
        return layout.ROW_ZERO, layout.ROW_ZERO, offset
    low = e.source_row(base)
    if "64" in base.modifiers or ("U32" not in base.modifiers and i.has("E")):
        return low, low + 1, offset
    if "U32" in base.modifiers:
        return low, layout.ROW_ZERO, offset
    raise unsupported(i, f"32-bit address {address.text}")


def _uniform_pair(e: Emitter, uniform: Operand) -> str:
    low = e.temp(f"zext i32 {e.uniform(uniform)} to i64")
    if uniform.value == RZ:
        return low
    high = e.temp(f"zext i32 {e.uniform(uniform, 1)} to i64")
    return e.op("or", low, e.op("shl", high, "32", "i64"), "i64")


def short_call(e: Emitter, i: Instruction, function: str, data_row: int, *more: int | str) -> None:
    """Call a runtime function of shared or local memory."""
    row, offset, shift = short_address(e, i, memory_operand(i))
    lanes = e.lane_bits()
    runtime_call(e, function, i.index, lanes, data_row, row, offset, shift, *more)


def long_call(e: Emitter, i: Instruction, function: str, data_row: int, *more: int | str) -> None:
    """Call a runtime function of global or generic memory."""
    low, high, offset = long_address(e, i, memory_operand(i))
    lanes = e.lane_bits()
    arguments = [("ptr", "%w"), ("ptr", "%x"), ("i64", offset)]
    values = (i.index, lanes, data_row, low, high, *more)
    e.call("void", function, (*arguments, *(("i32", str(v)) for v in values)))


def _data_row(e: Emitter, operand: Operand, words: int) -> int:
    """The row of stored data; RZ stands for zeros in every word."""
    if operand.kind is OperandKind.REGISTER and operand.value == RZ and words > 1:
        for n in range(words):
            pointer = e.row_pointer(layout.ROW_TEMP + n)
            e.call("void", "fill_row", (("ptr", pointer), ("i32", "0")))
        return layout.ROW_TEMP
    return e.source_row(operand, 4)


def _words(i: Instruction) -> int:
    assert i.access is not None
    return max(1, i.access.width_bytes // 4)


def _short_access(e: Emitter, i: Instruction, space: str, store: bool, data_row: int) -> None:
    """An access to shared or local memory: a fast path where there is one for the width."""
    width = 0 if i.access is None else i.access.width_bytes
    if width in fast.WIDTHS:
        short_call(e, i, fast.function_name(space, store, width), data_row)
    else:
        name = f"smr_{space}_{'store' if store else 'load'}"
        short_call(e, i, name, data_row, width_code(i))


def _global_call(e: Emitter, i: Instruction, store: bool, data_row: int) -> None:
    width = 0 if i.access is None else i.access.width_bytes
    kind = "store" if store else "load"
    if _generic(i):
        long_call(e, i, f"smr_generic_{kind}", data_row, width_code(i))
    elif width in fast.WIDTHS:
        long_call(e, i, fast.function_name("global", store, width), data_row)
    else:
        long_call(e, i, f"smr_{kind}", data_row, width_code(i))


@opcode("LDS", modifiers=_WIDTHS + " U", mode=Mode.SCALAR)
def lds(e: Emitter, i: Instruction) -> None:
    """Load from shared memory."""
    _short_access(e, i, "shared", False, e.target_row(i.operands[0]))


@opcode("STS", modifiers=_WIDTHS, mode=Mode.SCALAR)
def sts(e: Emitter, i: Instruction) -> None:
    """Store to shared memory."""
    _short_access(e, i, "shared", True, _data_row(e, i.operands[1], _words(i)))


@opcode("LDL", modifiers=_WIDTHS + " LU EL EF", mode=Mode.SCALAR)
def ldl(e: Emitter, i: Instruction) -> None:
    """Load from local memory."""
    _short_access(e, i, "local", False, e.target_row(i.operands[0]))


@opcode("STL", modifiers=_WIDTHS + " LU EL EF", mode=Mode.SCALAR)
def stl(e: Emitter, i: Instruction) -> None:
    """Store to local memory."""
    _short_access(e, i, "local", True, _data_row(e, i.operands[1], _words(i)))


@opcode("LDG", "LD", modifiers=f"{_WIDTHS} {_HINTS}", mode=Mode.SCALAR)
def ldg(e: Emitter, i: Instruction) -> None:
    """Load from global (LDG) or generic (LD) memory; LDG may test a predicate operand."""
    targets = [o for o in i.operands if o.kind is OperandKind.REGISTER]
    extra = [o for o in i.operands if o.kind is OperandKind.PREDICATE and o.value != 7]
    if extra:
        raise unsupported(i, f"operand {extra[0].text}")
    _global_call(e, i, False, e.target_row(targets[0]))


@opcode("STG", "ST", modifiers=f"{_WIDTHS} {_HINTS}", mode=Mode.SCALAR)
def stg(e: Emitter, i: Instruction) -> None:
    """Store to global (STG) or generic (ST) memory."""
    data = next(o for o in i.operands if o.kind is not OperandKind.MEMORY)
    _global_call(e, i, True, _data_row(e, data, _words(i)))


def _generic(i: Instruction) -> int:
    assert i.access is not None
    return int(i.access.space is Space.GENERIC)


_ATOMIC_TYPES = "32 64 S32 U32 S64 U64 F32 F64 F16x2 BF16x2 RN FTZ"


def atomic_type(i: Instruction) -> int:
    """The type code of an atomic."""
    floats = [m for m in i.modifiers if m in ("F32", "F64", "F16x2", "BF16x2", "S32", "S64")]
    if floats:
        return TYPE_CODES[floats[0]]
    wide = any(m in ("64", "U64") for m in i.modifiers)
    return TYPE_CODES["U64" if wide else "U32"]


def _atomic_code(i: Instruction) -> int:
    if i.has("SPIN"):
        return ATOMIC_CODES["SPIN"]
    return next(ATOMIC_CODES[m] for m in i.modifiers if m in ATOMIC_CODES)


def _atomic_rows(e: Emitter, i: Instruction, sources: list[Operand]) -> list[int]:
    """Rows of the operand and of the compare value (CAS has compare first, then value)."""
    words = 2 if atomic_type(i) in (TYPE_CODES["U64"], TYPE_CODES["S64"], TYPE_CODES["F64"]) else 1
    rows = []
    for slot, source in enumerate(sources):
        row = e.source_row(source, 2 * slot)
        if words == 2 and row == layout.ROW_ZERO:
            raise unsupported(i, "64-bit RZ operand")
        rows.append(row)
    while len(rows) < 2:
        rows.append(layout.ROW_ZERO)
    return rows


@opcode("ATOMS", modifiers=" ".join(ATOMIC_CODES) + " CAST " + _ATOMIC_TYPES, mode=Mode.SCALAR)
def atoms(e: Emitter, i: Instruction) -> None:
    """Atomic on shared memory."""
    d, sources = _atomic_operands(i)
    rows = _atomic_rows(e, i, sources)
    target = e.target_row(d) if d is not None else e.target_row(_RZ)
    code, predicate = _atomic_code(i), i.operands[0]
    if predicate.kind is OperandKind.PREDICATE:
        if not i.has("SPIN") or d is not None:
            raise unsupported(i, f"operand {predicate.text}")
        code = PREDICATE_SPIN
        target = layout.ROW_PREDICATE + predicate.value if predicate.value != PT else target
    row, offset, shift = short_address(e, i, memory_operand(i))
    lanes = e.lane_bits()
    runtime_call(
        e, "smr_shared_atomic", i.index, lanes, target, row, offset, shift, *rows,
        code, atomic_type(i),
    )  # fmt: skip


_RZ = Operand(OperandKind.REGISTER, "RZ", value=RZ)


def _check_atomic(i: Instruction) -> None:
    """Refuse what the runtime would compute in another way than the hardware."""
    kind, code = atomic_type(i), _atomic_code(i)
    floats = [TYPE_CODES[m] for m in ("F32", "F64", "F16x2", "BF16x2")]
    if kind in floats and code != ATOMIC_CODES["ADD"]:
        raise unsupported(i, "float operation")
    if kind == TYPE_CODES["F32"] and not i.has("FTZ"):
        raise unsupported(i, "float32 sum that keeps denormals")


def _atomic_predicate(i: Instruction) -> int:
    """The row of the predicate an atomic writes; -1 for none."""
    first = i.operands[0]
    if first.kind is not OperandKind.PREDICATE or first.value == PT:
        return -1
    if i.opcode != "ATOM":
        raise unsupported(i, f"operand {first.text}")
    return layout.ROW_PREDICATE + first.value


def _atomic_operands(i: Instruction) -> tuple[Operand | None, list[Operand]]:
    """The target (None where there is none) and the sources after the address."""
    position = next(n for n, o in enumerate(i.operands) if o.kind is OperandKind.MEMORY)
    before = [o for o in i.operands[:position] if o.kind is OperandKind.REGISTER]
    after = [o for o in i.operands[position + 1 :] if o.kind is OperandKind.REGISTER]
    return (before[0] if before else None), after


@opcode(
    "ATOMG", "ATOM", "RED", "REDG",
    modifiers=f"{' '.join(ATOMIC_CODES)} {_ATOMIC_TYPES} {_HINTS}", mode=Mode.SCALAR,
)  # fmt: skip
def atomg(e: Emitter, i: Instruction) -> None:
    """Atomic or reduction on global (or generic) memory."""
    d, sources = _atomic_operands(i)
    rows = _atomic_rows(e, i, sources)
    target = e.target_row(d if d is not None else _RZ)
    _check_atomic(i)
    long_call(
        e, i, "smr_atomic", target, *rows, _atomic_code(i), atomic_type(i), _generic(i),
        _atomic_predicate(i),
    )  # fmt: skip


@opcode("LDC", modifiers=_WIDTHS + " IL IS ISL", mode=Mode.SCALAR)
def ldc(e: Emitter, i: Instruction) -> None:
    """Load from a constant bank at an offset of each lane."""
    d, source = i.operands
    if source.uniform is not None or source.kind is not OperandKind.CONSTANT:
        raise unsupported(i, f"operand {source.text}")
    row = layout.ROW_ZERO if source.base is None else e.source_row(source.base)
    lanes = e.lane_bits()
    place = (e.target_row(d), source.bank, row, source.value)
    runtime_call(e, "smr_constant_load", lanes, *place, width_code(i))


@opcode("ULDC", "LDCU", modifiers="U8 S8 U16 S16 32 64 128", mode=Mode.SCALAR)
def uldc(e: Emitter, i: Instruction) -> None:
    """Load from a constant bank into uniform registers."""
    d, source = i.operands
    small = next((m for m in i.modifiers if m in ("U8", "S8", "U16", "S16")), None)
    if small is not None:
        part_type = f"i{small[1:]}"
        value = e.cast("trunc", e.constant_word(source), "i32", part_type)
        e.write(d, e.cast("sext" if small[0] == "S" else "zext", value, part_type, "i32"))
        return
    words = 4 if i.has("128") else 2 if i.has("64") else 1
    values = [e.constant_word(source, part) for part in range(words)]
    for part, value in enumerate(values):
        e.write(d, value, part)


@opcode("QSPC", modifiers="E S L G")
def qspc(e: Emitter, i: Instruction) -> None:
    """P = whether a generic address lies in shared (S), local (L) or global (G) memory."""
    p, d, address = i.operands
    base = address.base
    if d.value != RZ or base is None or base.kind is not OperandKind.REGISTER or address.uniform:
        raise unsupported(i, f"address {address.text}")
    place = e.op("add", e.wide(base), e.constant(address.value, "i64"), e.i64)
    high = e.cast("trunc", e.op("lshr", place, e.constant(32, "i64"), e.i64), e.i64, e.i32)
    windows = [layout.SHARED_WINDOW_HIGH, layout.LOCAL_WINDOW_HIGH]
    shared, local = (e.mask(e.compare("icmp eq", high, e.constant(h))) for h in windows)
    if i.has("G"):
        shared = e.op("xor", e.op("or", shared, local), e.constant(-1))
    e.write_predicate(p, local if i.has("L") else shared)


@opcode("LDGSTS", modifiers=f"{_WIDTHS} {_HINTS} BYPASS ACCESS ZFILL", mode=Mode.SCALAR)
def ldgsts(e: Emitter, i: Instruction) -> None:
    """Copy from global to shared memory (cp.async); complete at once in this model."""
    target, source = [o for o in i.operands if o.kind is OperandKind.MEMORY]
    extra = [o for o in i.operands if o.kind is OperandKind.PREDICATE]
    row, offset, shift = short_address(e, i, target)
    if shift:
        raise unsupported(i, f"address {target.text}")
    low, high, far = long_address(e, i, source)
    lanes = e.lane_bits()
    fetch = e.op("and", lanes, e.predicate_bits(extra[0])) if extra else lanes
    values = (i.index, lanes, fetch, row, offset, low, high, width_code(i))
    arguments = (("ptr", "%w"), ("ptr", "%x"), ("i64", far))
    e.call("void", "smr_async_copy", (*arguments, *(("i32", str(v)) for v in values)))


@opcode("LDSM", modifiers="16 M88 MT88 2 4 U8 TRANS", mode=Mode.SCALAR)
def ldsm(e: Emitter, i: Instruction) -> None:
    """Load 8x8 matrices of 16-bit elements (ldmatrix)."""
    assert i.access is not None
    flags = i.access.matrices | int(i.has("MT88")) << 8
    short_call(e, i, "smr_matrix_load", e.target_row(i.operands[0]), flags)


@opcode("STSM", modifiers="16 M88 MT88 2 4", mode=Mode.SCALAR)
def stsm(e: Emitter, i: Instruction) -> None:
    """Store 8x8 matrices of 16-bit elements (stmatrix)."""
    assert i.access is not None
    flags = i.access.matrices | int(i.has("MT88")) << 8
    short_call(e, i, "smr_matrix_store", e.source_row(i.operands[1]), flags)
