"""Moves, selects, special registers and the traffic between lane and uniform registers."""

from __future__ import annotations

from simulator.emulator import layout
from simulator.emulator.emitter import Emitter, unsupported
from simulator.emulator.semantics.table import Mode, opcode, runtime_call
from simulator.isa.kernel import PT, Instruction, Operand, OperandKind

_ROWS = {
    "SR_TID.X": layout.ROW_TID,
    "SR_TID.Y": layout.ROW_TID + 1,
    "SR_TID.Z": layout.ROW_TID + 2,
    "SR_LANEID": layout.ROW_LANE,
}
_CTAID = {"SR_CTAID.X": 0, "SR_CTAID.Y": 1, "SR_CTAID.Z": 2}
_CONTEXT = {
    "SR_NTID.X": layout.X_BLOCK_DIM,
    "SR_NTID.Y": layout.X_BLOCK_DIM + 1,
    "SR_NTID.Z": layout.X_BLOCK_DIM + 2,
    "SR_NCTAID.X": layout.X_GRID_DIM,
    "SR_NCTAID.Y": layout.X_GRID_DIM + 1,
    "SR_NCTAID.Z": layout.X_GRID_DIM + 2,
}
_CLOCKS = ("SR_CLOCKLO", "SR_CLOCKHI", "SR_GLOBALTIMERLO", "SR_GLOBALTIMERHI")


@opcode("MOV", modifiers="64", uniform="UMOV")
def mov(e: Emitter, i: Instruction) -> None:
    """d = a, a register or (.64) a pair; a second immediate is a mask of bytes: 0xf, all."""
    d, source = i.operands[:2]
    if len(i.operands) == 3 and i.operands[2].value != 0xF:
        raise unsupported(i, f"mask {i.operands[2].text}")
    if i.has("64"):
        e.write_wide(d, e.wide(source))
    else:
        e.write(d, e.integer(source))


@opcode("SEL", modifiers="64", uniform="USEL")
def sel(e: Emitter, i: Instruction) -> None:
    """d = a where the predicate holds, else b."""
    d, a, b, chooser = i.operands
    condition = e.condition(e.predicate(chooser))
    if i.has("64"):
        e.write_wide(d, e.select(condition, e.wide(a), e.wide(b), e.i64))
        return
    e.write(d, e.select(condition, e.integer(a), e.integer(b)))


@opcode(
    "NOP",
    "PMTRIG",
    "CCTL",
    "CCTLL",
    "ERRBAR",
    "MEMBAR",
    "FENCE",
    "DEPBAR",
    "LDGDEPBAR",
    "NANOSLEEP",
    "UCGABAR_ARV",
    "PREEXIT",
    "ACQBULK",
    "CGAERRBAR",
    "ENDCOLLECTIVE",
    modifiers="SC ALL GPU CTA SYS VC LE IV IVALL VIEW ASYNC E PF2 WB RS U D C",
    mode=Mode.SCALAR,
)
def nop(e: Emitter, i: Instruction) -> None:
    """No effect on values: ordering, cache hints, scoreboards (copies complete at once here)."""
    e.lane_bits()


def special_value(e: Emitter, i: Instruction, source: Operand) -> str:
    """A special register's value in the emitter's mode."""
    name = source.name
    if name in _ROWS and e.vector:
        return e.load_row(_ROWS[name])
    if name in _CTAID:
        return e.splat(e.load_scalar(layout.CTAID + _CTAID[name]))
    if name in _CONTEXT:
        return e.splat(e.temp(f"trunc i64 {e.load_context(_CONTEXT[name])} to i32"))
    if name == "SRZ":
        return e.constant(0)
    if name == "SR_SWINHI":
        return e.constant(layout.SHARED_WINDOW_HIGH)
    if name == "SR_LWINHI":
        return e.constant(layout.LOCAL_WINDOW_HIGH)
    if name in ("SR_SWINLO", "SR_LWINLO"):
        return e.constant(0)
    if name in ("SR_WARPID", "SR_VIRTWARPID"):
        return e.splat(e.load_scalar(layout.WARP))
    if name == "SR_CgaSize":
        return e.constant(1)  # there are no clusters of several blocks
    if name in ("SR_SMID", "SR_VIRTUALSMID", "SR_VIRTID", "SR_CgaCtaId", "SR_CTAID_IN_CLUSTER"):
        return e.constant(0)
    if name.startswith("SR_LANEMASK") or name in (
        "SR_EQMASK",
        "SR_LTMASK",
        "SR_LEMASK",
        "SR_GTMASK",
        "SR_GEMASK",
    ):
        return _lane_mask(e, i, name)
    if name in _CLOCKS:
        return _clock(e, name)
    raise unsupported(i, f"special register {name}")


def _lane_mask(e: Emitter, i: Instruction, name: str) -> str:
    if not e.vector:
        raise unsupported(i, f"special register {name}")
    one = e.op("shl", e.constant(1), e.load_row(layout.ROW_LANE))
    below = e.op("sub", one, e.constant(1))
    kind = name.removeprefix("SR_")[:2]
    if kind == "EQ":
        return one
    if kind == "LT":
        return below
    if kind == "LE":
        return e.op("or", below, one)
    above = e.op("xor", below, e.constant(-1))
    return above if kind == "GE" else e.op("xor", above, one)


def _clock(e: Emitter, name: str) -> str:
    """A counter that only moves forward: cycles are the time model's, not the emulator's."""
    shift = 32 if name.endswith("HI") else 0
    value = e.temp(f"lshr i64 {e.load_context(layout.X_CLOCK)}, {shift}")
    return e.splat(e.temp(f"trunc i64 {value} to i32"))


@opcode("S2R", modifiers="")
def s2r(e: Emitter, i: Instruction) -> None:
    """A special register into a lane register."""
    e.write(i.operands[0], special_value(e, i, i.operands[1]))


@opcode("S2UR", modifiers="", mode=Mode.SCALAR)
def s2ur(e: Emitter, i: Instruction) -> None:
    """A special register into a uniform register."""
    e.write(i.operands[0], special_value(e, i, i.operands[1]))


@opcode("CS2R", modifiers="32")
def cs2r(e: Emitter, i: Instruction) -> None:
    """A special register pair (or 32 bits) into lane registers."""
    d, source = i.operands
    low = special_value(e, i, source)
    if i.has("32"):
        e.write(d, low)
        return
    clock = source.name in _CLOCKS
    high = _clock(e, "SR_CLOCKHI") if clock else e.constant(0)
    e.write(d, low)
    e.write(d, high, 1)


@opcode("R2UR", modifiers="OR BROADCAST", mode=Mode.SCALAR)
def r2ur(e: Emitter, i: Instruction) -> None:
    """The lowest active lane's register into a uniform register.

    A predicate target tells the lanes that hold another value: code before a BRA.DIV uses it to
    find out whether all lanes name the same mask.
    """
    *targets, source = i.operands
    lanes = e.lane_bits()
    row = e.source_row(source)
    value = runtime_call(e, "smr_first_lane", lanes, row, result="i32")
    e.write(targets[-1], value)
    if len(targets) > 1 and targets[0].value != PT:
        if targets[0].kind is not OperandKind.PREDICATE:
            raise unsupported(i, f"operand {targets[0].text}")
        predicate = layout.ROW_PREDICATE + targets[0].value
        runtime_call(e, "smr_differs", lanes, predicate, row, value)


@opcode("P2R", modifiers="B0 B1 B2 B3")
def p2r(e: Emitter, i: Instruction) -> None:
    """The predicates as bits of a register, where the mask allows; .Bn puts them in byte n."""
    d, _, source, mask = i.operands
    shift = next((8 * int(m[1]) for m in i.modifiers), 0)
    packed = e.constant(0)
    for n in range(7):
        bit = e.op("and", e.load_row(layout.ROW_PREDICATE + n), e.constant(1 << (n + shift)))
        packed = e.op("or", packed, bit)
    allowed = e.integer(mask)
    if shift:
        allowed = e.op("shl", allowed, e.constant(shift))
    kept = e.op("and", e.integer(source), e.op("xor", allowed, e.constant(-1)))
    e.write(d, e.op("or", kept, e.op("and", packed, allowed)))


@opcode("R2P", modifiers="B0 B1 B2 B3")
def r2p(e: Emitter, i: Instruction) -> None:
    """Bits of a register into the predicates the mask names."""
    _, source, mask = i.operands
    shift = next((8 * int(m[1]) for m in i.modifiers), 0)
    value = e.integer(source)
    for n in range(7):
        if mask.value >> n & 1:
            top = e.op("shl", value, e.constant(31 - n - shift))
            target = Operand(OperandKind.PREDICATE, f"P{n}", value=n)
            e.write_predicate(target, e.op("ashr", top, e.constant(31)))
