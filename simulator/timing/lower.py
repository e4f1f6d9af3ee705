"""The kernel's instructions as a table of numbers that the SM loop reads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.device.lending import several
from simulator.device.structure import REGISTER_BANKS
from simulator.isa.kernel import Control, Instruction, Kernel, OperandKind
from simulator.timing import opcodes as op
from simulator.timing.operands import (
    Kept,
    bank_reads,
    keep_operands,
    read_cycles,
    register_operands,
)
from simulator.timing.parameters import Parameters
from simulator.timing.state import QUEUE_GATE, SPECIAL_GATE, STORES

# Columns of the table.
(
    STALL,  # cycles until the warp's next instruction may issue
    WAIT,  # scoreboards that must be free, one bit each
    WRITE,  # scoreboard of the result, or -1
    READ,  # scoreboard of the operands, or -1
    PIPE,
    INTERVAL,  # cycles the pipe is taken
    KIND,
    LATENCY,  # cycles to the result, uncontended
    HOLD,  # cycles the dispatch port of the sub-core is taken
    RELEASE,  # cycles until the operands are read
    EXTRA,  # barrier number; DEPBAR: pending operations that may remain; load or copy: 1 if it goes
    # past L1, from shared memory: if it brings each lane 16 bytes; control flow: cycles beyond the
    # stall count; 1 where a group of copies closes
    EXPECTED,  # barrier: warps that take part, 0 for all of the block
    READS,  # reads of the two register banks when the warp also issued last, so that operands
    # kept for reuse are at hand; one column a bank
    _,
    READS_ALONE,  # the same when another warp issued in between
    _,
    CONSTANT,  # which line of constants it reads, or -1
    SHADOW,  # barrier: instructions behind it that are issued before it holds the warp
    PASSES,  # cycles beyond the first in which it takes the sub-core's dispatch port
    GATE,  # what it must find free: its pipe or a place in the queue
    EASY,  # 1: it takes its pipe and goes on, with no scoreboard, queue or jump
) = range(21)
COLUMNS = 21

_DEFAULT_STALL = 1
_WIDE_BYTES = 16
_ALL_SCOREBOARDS = 0x3F


def lower_code(kernel: Kernel, parameters: Parameters) -> NDArray[np.int32]:
    """One row an instruction (columns above)."""
    table = np.zeros((len(kernel.instructions), COLUMNS), np.int32)
    table[:, CONSTANT] = _constant_lines(kernel, int(parameters["timing_constant_line_bytes"]))
    operand_cycles = round(parameters["timing_operand_cycles"])
    kept: Kept = {}
    rows = []
    costs = _Costs(parameters)
    for instruction in kernel.instructions:
        kind = op.kind_of(instruction)
        operands = register_operands(instruction)
        cycles = read_cycles(instruction, kind, operand_cycles)
        reads = (*bank_reads(operands, kept), *bank_reads(operands, {}))
        rows.append([*_row(instruction, kind, costs), *(cycles * n for n in reads)])
        kept = keep_operands(operands, kept)
    table[:, : READS_ALONE + REGISTER_BANKS] = rows
    table[:, PASSES] = [parameters.further_passes(i) for i in kernel.instructions]
    table[:, SHADOW] = _shadows(kernel, table, parameters["timing_barrier_hold_cycles"])
    table[:, GATE], table[:, EASY] = _gates(table), _are_easy(table)
    return table


def _gates(table: NDArray[np.int32]) -> NDArray[np.int32]:
    """What each instruction must find free."""
    kind = table[:, KIND]
    queued = np.where(kind < op.LSU_ONLY, SPECIAL_GATE, QUEUE_GATE)
    found: NDArray[np.int32] = np.where(np.isin(kind, op.QUEUED), queued, table[:, PIPE])
    return found


def _are_easy(table: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which instructions take their pipes and do nothing else."""
    jumps = (table[:, PIPE] == op.CONTROL) & (table[:, EXTRA] != 0)
    boards = (table[:, WRITE] >= 0) | (table[:, READ] >= 0)
    found: NDArray[np.bool_] = (table[:, KIND] == op.FIXED) & ~jumps & ~boards
    return found


def _shadows(kernel: Kernel, table: NDArray[np.int32], hold: float) -> list[int]:
    """For every barrier how many instructions behind it are issued before it holds the warp: those
    of fixed latency that wait for nothing, in the ``hold`` cycles before it does."""
    found = [0] * len(kernel.instructions)
    for index in np.flatnonzero(table[:, KIND] == op.BARRIER).tolist():
        after, cycles = index + 1, int(table[index, STALL])
        while after < len(table) - 1 and cycles < hold:
            row = table[after]
            if row[KIND] != op.FIXED or row[PIPE] == op.CONTROL or row[WAIT] or row[WRITE] >= 0:
                break
            cycles += int(row[STALL])
            after += 1
        found[index] = after - index - 1
    return found


def _constant_lines(kernel: Kernel, line_bytes: int) -> list[int]:
    """For every instruction the number of the line of constants that it reads, or -1."""
    numbers: dict[tuple[int | None, int], int] = {}
    found = []
    for instruction in kernel.instructions:
        operands = [o for o in instruction.operands if o.kind is OperandKind.CONSTANT]
        lines = [(o.bank, o.value // line_bytes) for o in operands]
        found.append(numbers.setdefault(lines[0], len(numbers)) if lines else -1)
    return found


class _Costs(dict[tuple[str, tuple[str, ...], int, int], tuple[int, ...]]):
    """Pipe, interval, latency, hold and release, and cycles of control flow, of instructions by
    opcode, modifiers, kind and number of data registers."""

    def __init__(self, parameters: Parameters) -> None:
        self._parameters = parameters
        keys = ("stall_count_without_yield_cycles", "stall_count_zero_yield_cycles")
        self.stalls = parameters[keys[0]], parameters[keys[1]]
        self.barriers = several(parameters.device, "membar_cycles")

    def of(self, i: Instruction, kind: int) -> tuple[int, ...]:
        """Those of an instruction; they are the same for all that are alike."""
        key = i.opcode, i.modifiers, kind, data_registers(i)
        if key not in self:
            p, pipe = self._parameters, op.pipe_of(i)
            hold = p.hold_cycles(kind, key[-1])
            cost = p.interval(i, pipe), p.latency(i, kind), hold, p.release(i, kind)
            self[key] = pipe, *cost, p.flow_cycles(i)
        return self[key]


def _row(i: Instruction, kind: int, costs: _Costs) -> list[int]:
    pipe, interval, latency, hold, release, flow = costs.of(i, kind)
    control = i.control
    stall = stall_cycles(control, *costs.stalls) if control else _DEFAULT_STALL
    wait = control.wait_mask if control else _ALL_SCOREBOARDS
    write = _number(control.write_scoreboard) if control else -1
    read = _number(control.read_scoreboard) if control else -1
    extra, expected = _barrier(i) if kind in (op.BARRIER, op.BARRIER_ARRIVE) else (0, 0)
    if kind == op.DEPENDENCY_BARRIER:
        wait, extra = _dependency(i, wait)
    if i.opcode == "EXIT" or kind == op.MEMORY_BARRIER:
        wait |= 1 << STORES
    if kind == op.MEMORY_BARRIER:
        stall = max(stall, round(costs.barriers[_scope(i)]))
    if kind == op.SHARED:
        extra = int(_returns_wide(i))
    if kind in (op.LOAD, op.ASYNC_COPY):
        extra = int(i.has("STRONG") or i.has("BYPASS"))
    if pipe == op.CONTROL:
        extra = flow
    if i.opcode == "LDGDEPBAR":
        extra = 1
    return [
        stall, wait, write, read, pipe, interval, kind, latency, hold, release, extra, expected,
    ]  # fmt: skip


def stall_cycles(control: Control, longest: float, empty: float) -> int:
    """Cycles until the warp's next instruction may issue.

    A warp that yields is not issued from in the next cycle; with a stall count of 0 (ERRBAR) it is
    held for ``empty`` cycles. Counts beyond ``longest`` hold only a warp that yields. So measured
    on GA102 (Huerta et al.); ptxas lets none yield with a count of 1, nor hold one with a long
    count that does not yield.
    """
    if control.yield_flag:
        return max(2, control.stall_count or round(empty))
    return max(1, control.stall_count) if control.stall_count <= longest else 2


def _scope(i: Instruction) -> int:
    """How far a memory barrier reaches: 0 the block, 1 the GPU, 2 the system."""
    return 2 if i.has("SYS") else 1 if i.has("GPU") else 0


def _returns_wide(i: Instruction) -> bool:
    """Whether a load from shared memory brings each lane 16 bytes."""
    return i.opcode == "LDS" and i.access is not None and i.access.width_bytes == _WIDE_BYTES


def _number(scoreboard: int | None) -> int:
    return -1 if scoreboard is None else scoreboard


def _barrier(i: Instruction) -> tuple[int, int]:
    """Barrier number and the number of warps that take part (0: all)."""
    numbers = [o.value for o in i.operands if o.kind is OperandKind.IMMEDIATE]
    number = numbers[0] & 15 if numbers else 0
    return number, numbers[1] // 32 if len(numbers) > 1 else 0


def _dependency(i: Instruction, wait: int) -> tuple[int, int]:
    """Scoreboards a DEPBAR waits for, and how many operations may remain."""
    boards = [o.value for o in i.operands if o.kind is OperandKind.SCOREBOARD]
    counts = [o.value for o in i.operands if o.kind is OperandKind.IMMEDIATE]
    mask = sum(1 << b for b in boards[:1])
    return wait | mask, counts[0] if counts else 0


def data_registers(i: Instruction) -> int:
    """32-bit registers a memory instruction reads: its address and the data it stores."""
    words = 0
    for o in i.operands:
        if o.kind is OperandKind.MEMORY and o.base is not None and o.base.value != 255:
            words += 2 if "64" in o.base.modifiers else 1
    if i.access is not None and i.opcode.startswith(("ST", "ATOM", "RED")):
        words += max(1, i.access.width_bytes // 4)
    return max(1, words)
