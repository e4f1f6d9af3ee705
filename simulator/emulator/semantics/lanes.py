"""Instructions across the lanes of a warp: shuffles, votes, matches, reductions."""

from __future__ import annotations

from simulator.emulator import layout
from simulator.emulator.emitter import Emitter
from simulator.emulator.runtime.codes import SHUFFLE_CODES
from simulator.emulator.semantics.table import Mode, opcode, runtime_call
from simulator.isa.kernel import PT, Instruction, Operand, OperandKind


def predicate_row(operand: Operand) -> int:
    """The row a runtime function writes for a predicate target; -1 for PT."""
    return -1 if operand.value == PT else layout.ROW_PREDICATE + operand.value


@opcode("SHFL", modifiers=" ".join(SHUFFLE_CODES), mode=Mode.SCALAR)
def shfl(e: Emitter, i: Instruction) -> None:
    """P, d = another lane's a; P says whether that lane was in range."""
    p, d, a, lane, clamp = i.operands
    code = next(SHUFFLE_CODES[m] for m in i.modifiers)
    rows = [e.source_row(operand, slot) for slot, operand in enumerate((a, lane, clamp))]
    runtime_call(e, "smr_shuffle", e.lane_bits(), predicate_row(p), e.target_row(d), *rows, code)


@opcode("VOTE", modifiers="ALL ANY EQ", mode=Mode.SCALAR)
def vote(e: Emitter, i: Instruction) -> None:
    """d = ballot, P = all / any / equal over the executing lanes."""
    d = i.operands[0] if len(i.operands) == 3 else None
    p, source = i.operands[-2:]
    lanes = e.lane_bits()
    ballot, holds = _vote(e, i, source, lanes)
    if d is not None:
        runtime_call(e, "smr_write_row", lanes, e.target_row(d), ballot)
    if p.value != PT:
        runtime_call(e, "smr_write_row", lanes, predicate_row(p), e.mask(holds))


@opcode("VOTEU", modifiers="ALL ANY EQ", mode=Mode.SCALAR)
def voteu(e: Emitter, i: Instruction) -> None:
    """The same into uniform registers."""
    d = i.operands[0] if len(i.operands) == 3 else None
    p, source = i.operands[-2:]
    ballot, holds = _vote(e, i, source, e.lane_bits())
    if d is not None:
        e.write(d, ballot)
    e.write_predicate(p, e.mask(holds))


def _vote(e: Emitter, i: Instruction, source: Operand, lanes: str) -> tuple[str, str]:
    ballot = e.op("and", lanes, e.predicate_bits(source))
    everywhere = e.compare("icmp eq", ballot, lanes)
    nowhere = e.compare("icmp eq", ballot, "0")
    if i.has("ANY"):
        return ballot, e.op("xor", nowhere, "true", "i1")
    if i.has("EQ"):
        return ballot, e.op("or", everywhere, nowhere, "i1")
    return ballot, everywhere


@opcode("MATCH", modifiers="ANY ALL U64", mode=Mode.SCALAR)
def match(e: Emitter, i: Instruction) -> None:
    """Lanes with the same value: .ANY a mask a lane, .ALL one mask (or 0) and a predicate."""
    operands = list(i.operands)
    p = operands.pop(0) if operands[0].kind is OperandKind.PREDICATE else None
    d, a = operands
    row = e.source_row(a)
    target = -1 if p is None else predicate_row(p)
    flags = int(i.has("ALL")) | int(i.has("U64")) << 1
    runtime_call(e, "smr_match", e.lane_bits(), target, e.target_row(d), row, flags)


_REDUX = {"SUM": 0, "MIN": 1, "MAX": 2, "AND": 3, "OR": 4, "XOR": 5}


@opcode("REDUX", "CREDUX", modifiers=" ".join(_REDUX) + " S32 U32", mode=Mode.SCALAR)
def redux(e: Emitter, i: Instruction) -> None:
    """A reduction over the executing lanes into a uniform register; the default is AND."""
    d, a = i.operands
    code = next((_REDUX[m] for m in i.modifiers if m in _REDUX), _REDUX["AND"])
    signed = int(i.has("S32"))
    row = e.source_row(a)
    e.write(d, runtime_call(e, "smr_redux", e.lane_bits(), row, code, signed, result="i32"))
