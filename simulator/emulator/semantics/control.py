"""Branches, convergence barriers, block barriers and exits.

A handler in CONTROL mode ends its basic block and returns through ``leave``; the runtime decides
where the warp goes on when its lanes part or meet (see runtime.control).
"""

from __future__ import annotations

from simulator.emulator import layout
from simulator.emulator.emitter import Emitter, unsupported
from simulator.emulator.outside import outside_error
from simulator.emulator.semantics.table import Mode, opcode, runtime_call
from simulator.isa.kernel import PT, Instruction, Operand, OperandKind, second_predicates


def block_of(e: Emitter, i: Instruction, address: int) -> int:
    """The basic block that starts at a byte address."""
    block = e.blocks.get(address)
    if block is None:
        raise unsupported(i, f"target {address:#x} outside the kernel")
    return block


def next_block(e: Emitter, i: Instruction) -> int:
    """The basic block after this instruction."""
    return e.blocks.get(i.address + 16, -1)


def leave(e: Emitter, value: str | int) -> None:
    """Return the next basic block (-1: the warp has nothing to run now)."""
    e.lines.append(f"  ret i32 {value}")


def _label(i: Instruction) -> Operand:
    return next(o for o in i.operands if o.kind is OperandKind.LABEL)


@opcode("BRA", "JMP", modifiers="U INC DEC DIV CONV NODEC NOINC", mode=Mode.CONTROL)
def bra(e: Emitter, i: Instruction) -> None:
    """Branch where the guard (and a second predicate operand) hold.

    ``BRA.DIV UR, target`` takes all running lanes along when those whose guard holds are not
    the live lanes of the mask in UR.
    """
    target = block_of(e, i, _label(i).value)
    if i.has("DIV"):
        mask = e.integer(next(o for o in i.operands if o.kind is OperandKind.UNIFORM_REGISTER))
        wanted = e.op("and", mask, e.load_scalar(layout.LIVE))
        parted = e.compare("icmp ne", wanted, e.lane_bits())
        leave(e, e.temp(f"select i1 {parted}, i32 {target}, i32 {next_block(e, i)}"))
        return
    taken = e.lane_bits()
    for operand in second_predicates(i):
        taken = e.op("and", taken, e.predicate_bits(operand))
    if second_predicates(i):
        e.count_taken(taken)
    if i.predicate is None and len(i.operands) == 1:
        leave(e, target)
        return
    leave(e, runtime_call(e, "smr_branch", taken, target, next_block(e, i), result="i32"))


@opcode("CALL", modifiers="REL ABS NOINC", mode=Mode.CONTROL)
def call(e: Emitter, i: Instruction) -> None:
    """CALL.NOINC is a plain jump: the return address is an ordinary register."""
    if not i.has("NOINC"):
        raise unsupported(i, "a call that keeps its return address itself")
    if i.operands[0].kind is OperandKind.REGISTER:
        e.store_scalar(layout.CALLER, str(i.index))
        ret(e, i)
        return
    if i.operands[-1].kind is not OperandKind.LABEL:
        raise outside_error("the kernel", i.operands[-1].text, f"at {i.place}")
    bra(e, i)


@opcode("LEPC", modifiers="")
def lepc(e: Emitter, i: Instruction) -> None:
    """A code address: the operand's, else the instruction's own."""
    address = next((o.value for o in i.operands if o.kind is OperandKind.LABEL), i.address)
    e.write(i.operands[0], e.constant(address))
    e.write(i.operands[0], e.constant(0), 1)


@opcode("RET", modifiers="REL ABS NODEC", mode=Mode.CONTROL)
def ret(e: Emitter, i: Instruction) -> None:
    """Jump to the address in a register pair; lanes may part."""
    if i.predicate is not None:
        raise unsupported(i, "guarded indirect jump")
    register = i.operands[0]
    base = next((o.value for o in i.operands[1:] if o.kind is OperandKind.LABEL), 0)
    base += sum(o.value for o in i.operands[1:] if o.kind is OperandKind.IMMEDIATE)
    row = e.source_row(register)
    leave(e, runtime_call(e, "smr_jump", row, base, result="i32"))


@opcode("BRX", "JMX", modifiers="", mode=Mode.CONTROL)
def brx(e: Emitter, i: Instruction) -> None:
    """Indirect branch to a register plus an immediate, from the next instruction on."""
    register = next(o for o in i.operands if o.kind is OperandKind.REGISTER)
    base = i.address + 16 + sum(o.value for o in i.operands if o.kind is OperandKind.IMMEDIATE)
    if i.predicate is not None:
        raise unsupported(i, "guarded indirect branch")
    leave(e, runtime_call(e, "smr_jump", e.source_row(register), base, result="i32"))


@opcode("EXIT", modifiers="KEEPREFCOUNT NO_ATEXIT", mode=Mode.CONTROL)
def exit_(e: Emitter, i: Instruction) -> None:
    """Lanes whose guard holds are done."""
    lanes = e.lane_bits()
    for operand in i.operands:
        lanes = e.op("and", lanes, e.predicate_bits(operand))
    leave(e, runtime_call(e, "smr_exit", lanes, next_block(e, i), result="i32"))


@opcode("KILL", "BPT", modifiers="TRAP", mode=Mode.CONTROL)
def trap(e: Emitter, i: Instruction) -> None:
    """A trap ends its lanes and is recorded as a fault."""
    lanes = e.lane_bits()
    runtime_call(e, "smr_trap", i.index, lanes)
    leave(e, runtime_call(e, "smr_exit", lanes, next_block(e, i), result="i32"))


@opcode("BSSY", modifiers="RECONVERGENT RELIABLE", mode=Mode.SCALAR)
def bssy(e: Emitter, i: Instruction) -> None:
    """The running lanes take part in a convergence barrier."""
    lanes = e.lane_bits()
    row = layout.ROW_CONVERGENCE + i.operands[0].value
    runtime_call(e, "smr_write_row", lanes, row, lanes)


@opcode("BSYNC", modifiers="RECONVERGENT RELIABLE", mode=Mode.CONTROL)
def bsync(e: Emitter, i: Instruction) -> None:
    """Wait until every live lane of the barrier has come here."""
    lanes = e.lane_bits()
    barrier = i.operands[0].value
    leave(e, runtime_call(e, "smr_meet", lanes, barrier, next_block(e, i), result="i32"))


@opcode("WARPSYNC", modifiers="ALL EXCLUSIVE COLLECTIVE", mode=Mode.CONTROL)
def warpsync(e: Emitter, i: Instruction) -> None:
    """Wait until every live lane of a mask has come to a WARPSYNC.

    .EXCLUSIVE and .COLLECTIVE part the lanes by their masks; a BSYNC brings them together again.
    .COLLECTIVE also names the place to go on at after ENDCOLLECTIVE, which follows there anyway.
    """
    lanes = e.lane_bits()
    following = next_block(e, i)
    for operand in i.operands:
        if operand.kind in (OperandKind.REGISTER, OperandKind.UNIFORM_REGISTER):
            row = e.source_row(operand)
            exclusive = int(i.has("EXCLUSIVE") or i.has("COLLECTIVE"))
            arguments = (lanes, row, following, exclusive)
            leave(e, runtime_call(e, "smr_warpsync_lanes", *arguments, result="i32"))
            return
    wanted = next((o.value for o in i.operands if o.kind is OperandKind.IMMEDIATE), -1)
    leave(e, runtime_call(e, "smr_warpsync", lanes, wanted, following, result="i32"))


@opcode("BREAK", modifiers="RECONVERGENT RELIABLE", mode=Mode.SCALAR)
def break_(e: Emitter, i: Instruction) -> None:
    """Lanes whose guard holds leave a convergence barrier."""
    lanes = e.lane_bits()
    for operand in i.operands:
        if operand.kind is OperandKind.PREDICATE:
            lanes = e.op("and", lanes, e.predicate_bits(operand))
    barrier = next(o.value for o in i.operands if o.kind is OperandKind.BARRIER)
    runtime_call(e, "smr_leave", lanes, barrier)


@opcode("BMOV", modifiers="32 CLEAR PQUAD RELIABLE", mode=Mode.SCALAR)
def bmov(e: Emitter, i: Instruction) -> None:
    """Move a convergence barrier to or from a register; .CLEAR empties it."""
    d, source = i.operands
    lanes = e.lane_bits()
    if source.kind is OperandKind.BARRIER:
        row = layout.ROW_CONVERGENCE + source.value
        runtime_call(e, "smr_copy_row", lanes, e.target_row(d), row)
        if i.has("CLEAR"):
            runtime_call(e, "smr_write_row", lanes, row, 0)
        return
    if d.kind is not OperandKind.BARRIER:
        raise unsupported(i, f"operand {d.text}")
    row = layout.ROW_CONVERGENCE + d.value
    runtime_call(e, "smr_copy_row", lanes, row, e.source_row(source))


@opcode("YIELD", modifiers="", mode=Mode.CONTROL)
def yield_(e: Emitter, i: Instruction) -> None:
    """Let another group of lanes run."""
    e.lane_bits()
    leave(e, runtime_call(e, "smr_yield", next_block(e, i), result="i32"))


@opcode("BAR", modifiers="SYNC ARV RED DEFER_BLOCKING POPC AND OR", mode=Mode.CONTROL)
def bar(e: Emitter, i: Instruction) -> None:
    """Block barrier: SYNC waits, ARV only arrives, RED also combines a predicate."""
    lanes = e.lane_bits()
    numbers = [o for o in i.operands if o.kind is not OperandKind.PREDICATE]
    predicates = [o for o in i.operands if o.kind is OperandKind.PREDICATE]
    values = [_bar_number(e, i, o, lanes) for o in numbers]
    vote: str = "0"
    if i.has("RED"):
        vote = e.predicate_bits(predicates[0])
    kind = 1 if i.has("ARV") else 0
    kind |= (("POPC", "AND", "OR").index(_reduction(i)) + 1) << 1 if i.has("RED") else 0
    threads = values[1] if len(values) > 1 else "0"
    leave(
        e,
        runtime_call(
            e, "smr_block_barrier", lanes, values[0], threads, vote, kind, next_block(e, i),
            result="i32",
        ),
    )  # fmt: skip


def _reduction(i: Instruction) -> str:
    return next(m for m in ("POPC", "AND", "OR") if i.has(m))


def _bar_number(e: Emitter, i: Instruction, operand: Operand, lanes: str) -> str:
    if operand.kind is OperandKind.IMMEDIATE:
        return str(operand.value)
    return runtime_call(e, "smr_first_lane", lanes, e.source_row(operand), result="i32")


@opcode("B2R", modifiers="RESULT", mode=Mode.SCALAR)
def b2r(e: Emitter, i: Instruction) -> None:
    """The result of the last BAR.RED into a register and (not zero) a predicate."""
    value = e.load_scalar(layout.REDUCED)
    lanes = e.lane_bits()
    for operand in i.operands:
        if operand.kind is OperandKind.REGISTER and operand.value != 255:
            runtime_call(e, "smr_write_row", lanes, e.target_row(operand), value)
        if operand.kind is OperandKind.PREDICATE and operand.value != PT:
            mask = e.mask(e.compare("icmp ne", value, "0"))
            row = layout.ROW_PREDICATE + operand.value
            runtime_call(e, "smr_write_row", lanes, row, mask)
