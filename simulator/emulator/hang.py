"""Errors for blocks that do not come to an end."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.emulator import layout
from simulator.emulator.outside import stray_error
from simulator.emulator.place import Size
from simulator.emulator.program import Program
from simulator.errors import ReplayError
from simulator.isa.kernel import Instruction, Kernel, Space

States = NDArray[np.int32]  # [warp, word], see layout


def runaway_error(kernel: Kernel, block: int, faults: NDArray[np.int64]) -> ReplayError:
    """The error for a block that goes on for long after an access outside its buffers."""
    first = kernel.instructions[int(np.flatnonzero(faults[:, 0])[0])]
    local = first.access is not None and first.access.space is Space.LOCAL
    outside, way_out = "every buffer", "mend that first"
    if local:
        outside, way_out = "its thread's stack", "call functions less deep or with smaller arrays"
    return ReplayError(
        f"kernel {kernel.name}: block {block} does not end after an access outside {outside} "
        f"({first.text} at {first.address:#x}, {first.place}); {way_out}"
    )


def stray_lanes_error(kernel: Kernel, block: int, states: States) -> ReplayError | None:
    """The error for lanes that went where there is no code; None when none did."""
    strayed = states[states[:, layout.STRAY] != 0]
    if not len(strayed):
        return None
    caller = kernel.instructions[int(strayed[0, layout.CALLER])]
    return stray_error(kernel, block, int(strayed[0, layout.STRAY]), caller)


def deadlock_error(kernel: Kernel, block: int, states: States) -> ReplayError:
    """The error for warps of a block that wait for each other."""
    waiting = int((states[:, layout.STATUS] == layout.AT_BARRIER).sum())
    return ReplayError(
        f"kernel {kernel.name}: block {block} cannot go on: {waiting} of "
        f"{len(states)} warps wait at a barrier that the others never reach; check for a "
        "__syncthreads() or __syncwarp() inside a branch that not all threads take"
    )


def waiting_error(
    program: Program, size: Size, block: int, state: States, aside: int, left: int
) -> ReplayError:
    """The error for blocks that all wait for what no block writes.

    ``state`` is that of ``block``, one of ``aside`` that wait; ``left`` have not started.
    """
    loop = _loop_of(program, state.reshape(size.warps, size.stride))
    total = size.grid[0] * size.grid[1] * size.grid[2]
    who, where = f"kernel {program.kernel.name}: block {block}", f"{loop.place} ({loop.text})"
    if total == 1:
        return ReplayError(
            f"{who} goes round for ever at {where}: nothing that its threads do ends this loop; "
            "mend its condition, or the arguments that the condition reads"
        )
    head = f"{who} waits for ever at {where} for what another block has to write"
    if left:
        return ReplayError(
            f"{head}, and so do {aside} blocks, all that a GPU has room for at once; {left} have "
            f"not started. A barrier of the grid needs all {total} resident: launch {aside} at most"
        )
    return ReplayError(
        f"{head}; no block that was replayed writes it. Blocks can wait for each other only where "
        "all of them are replayed (--blocks all, no time prediction), and the flags and counters "
        "they wait for must be given with the values that a launch begins with"
    )


def _loop_of(program: Program, states: States) -> Instruction:
    """Where a waiting block goes round: the first load of a basic block that one of its warps is
    in, else its first instruction."""
    going = states[states[:, layout.STATUS] == layout.READY]
    warp = going[0] if len(going) else states[0]
    here = program.blocks[max(0, int(warp[layout.PC]))]
    code = program.kernel.instructions[here.first : here.end]
    return next((i for i in code if i.access is not None), code[0])
