"""The opcode table: base opcode -> how to emit it and which modifiers it understands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from simulator.emulator.emitter import Emitter, unsupported
from simulator.isa.kernel import Instruction

Handler = Callable[[Emitter, Instruction], None]


class Mode(Enum):
    """How an instruction is emitted."""

    LANES = "lanes"  # inside the lane loop
    SCALAR = "scalar"  # once, on scalars (uniform datapath) or as a call on whole rows
    CONTROL = "control"  # ends a basic block


@dataclass(frozen=True, slots=True)
class Row:
    """One opcode: its handler, its mode and the modifiers the handler understands."""

    handler: Handler
    mode: Mode
    modifiers: frozenset[str]


_TABLE: dict[str, Row] = {}
# What opcodes without a row belong to, by how their names start.
_LIMITS = {
    **dict.fromkeys(("TEX", "TLD", "TXD", "TXQ", "TMML", "FOOTPRINT"), "textures"),
    **dict.fromkeys(("SULD", "SUST", "SUATOM", "SURED", "SUQUERY"), "surfaces"),
    **dict.fromkeys(("UCGABAR", "UGETNEXTWORKID", "MAPA", "LDSR", "STAS"), "thread block clusters"),
    **dict.fromkeys(("UTMA", "UBLKCP", "UBLKRED", "UBLKPF"), "the tensor memory accelerator"),
    **dict.fromkeys(("HGMMA", "IGMMA", "QGMMA", "BGMMA", "WARPGROUP"), "warpgroup products"),
    **dict.fromkeys(("UTC", "LDT", "STT"), "tensor memory"),
    "SYNCS": "asynchronous barriers (mbarrier)",
}


def opcode(
    *names: str, modifiers: str = "", mode: Mode = Mode.LANES, uniform: str = ""
) -> Callable[[Handler], Handler]:
    """Register a handler for opcodes; ``uniform`` names their uniform-datapath twins."""

    def register(handler: Handler) -> Handler:
        allowed = frozenset(modifiers.split())
        for name in names:
            _TABLE[name] = Row(handler, mode, allowed)
        for name in uniform.split():
            _TABLE[name] = Row(handler, Mode.SCALAR, allowed)
        return handler

    return register


def lookup(instruction: Instruction) -> Row:
    """The row of an instruction.

    Raises UnsupportedError for an unknown opcode or modifier, naming it.
    """
    row = _TABLE.get(instruction.opcode)
    if row is None:
        limit = next((w for o, w in _LIMITS.items() if instruction.opcode.startswith(o)), "")
        raise unsupported(instruction, limit or f"opcode {instruction.opcode}")
    unknown = [m for m in instruction.modifiers if m not in row.modifiers]
    if unknown:
        raise unsupported(instruction, f"modifier .{unknown[0]}")
    return row


def opcodes() -> frozenset[str]:
    """All base opcodes with a row."""
    return frozenset(_TABLE)


def runtime_call(e: Emitter, function: str, *values: str | int, result: str = "void") -> str:
    """Call a runtime function with the warp, the context and i32 arguments."""
    arguments = [("ptr", "%w"), ("ptr", "%x"), *(("i32", str(v)) for v in values)]
    return e.call(result, function, tuple(arguments))
