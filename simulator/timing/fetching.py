"""The way of a kernel's code to a warp: L0 of its sub-core, the SM's L1, L1.5 of its group of SMs
(GPC), and L2.

Each holds lines of 128 bytes, the oldest leaves first. A warp that comes to a line asks for the
next two as well, and for a third if another was there before it. L1.5 asks ahead likewise. Found
with loops of 4 to 256 KiB on an NVIDIA H200 (``validation/microbench/fetch.cu``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.device.structure import CODE_LINE_BYTES, SUBCORES
from simulator.isa.kernel import INSTRUCTION_BYTES
from simulator.jit import compiled, inlined, int64

LINE_INSTRUCTIONS = CODE_LINE_BYTES // INSTRUCTION_BYTES

# Columns of a line of code: how many lines had come to the same place (a sub-core's L0, a set of L1
# or of L1.5) with it, 0 if it never came, and when it was there; the turn in L0 in which a warp has
# run into it.
L0_TURN = 0
L0_READY = L0_TURN + SUBCORES
L0_ENTERED = L0_READY + SUBCORES
L1_TURN = L0_ENTERED + SUBCORES
L1_READY, L15_TURN, L15_READY = L1_TURN + 1, L1_TURN + 2, L1_TURN + 3
FETCHED = L15_READY + 1
L1_FILLS = SUBCORES  # lines that have come so far: to each L0, to each set of L1 and of L1.5


class Code(NamedTuple):
    """Where the lines of a kernel are."""

    fetched: NDArray[np.int64]  # (line, column): see ``L0_TURN``
    fills: NDArray[np.int64]  # lines that have come to each L0 and each set
    free: NDArray[np.float64]  # when the ways to L1 and to L1.5 are free


TO_L1, TO_L15 = range(2)


class Fetch(NamedTuple):
    """Lines of the kernel, sizes of the caches, and the cycles that code takes on its way."""

    lines: int
    l0_lines: int
    l1_sets: int
    l1_ways: int
    l15_sets: int
    l15_ways: int
    launched: int  # lines at the start of a kernel that every launch brings to L1.5
    ahead: int  # lines that a sub-core asks for ahead of a warp, at most
    l0: int  # from L1 to a warp that has jumped there
    l1: int  # from L1.5 to L1
    l15: int  # from L2, or from DRAM where caches were flushed, to L1.5
    l15_ahead: int  # lines that L1.5 asks for ahead
    l15_line: float  # from one of them to the next
    port: float  # an SM's turn at L1.5, a line


def make_code(fetch: Fetch, first: int) -> Code:
    """The lines of a kernel at the start of a launch.

    The launch itself brings the first to L1.5, where they are after ``first`` cycles if caches are
    cold. Where that is 0, a launch before has left in L1 and L1.5 what fits there.
    """
    fetched = np.zeros((fetch.lines, FETCHED), np.int64)
    fills = np.zeros(L1_FILLS + fetch.l1_sets + fetch.l15_sets, np.int64)
    l1, l15 = fills[L1_FILLS : L1_FILLS + fetch.l1_sets], fills[L1_FILLS + fetch.l1_sets :]
    fits = first == 0 and fetch.lines <= fetch.l15_sets * fetch.l15_ways
    _fill(fetched[: fetch.lines if fits else fetch.launched, L15_TURN], l15)
    fetched[:, L15_READY] = first
    if first == 0:
        _fill(fetched[-fetch.l1_sets * fetch.l1_ways :, L1_TURN], l1)
    return Code(fetched, fills, np.zeros(2, np.float64))


def _fill(turns: NDArray[np.int64], fills: NDArray[np.int64]) -> None:
    """Lines in order of their number come to as many sets as ``fills`` has."""
    turns[:] = 1 + np.arange(len(turns)) // len(fills)
    fills[:] = np.bincount(np.arange(len(turns)) % len(fills), minlength=len(fills))


@inlined
def is_kept(turn: int, fills: int, ways: int) -> bool:
    """Whether a line that came as number ``turn`` is still there after so many."""
    return turn > 0 and fills - turn < ways


@inlined
def in_l15(code: Code, fetch: Fetch, line: int, now: float) -> float:
    """When L1.5 has a line that L1 asks for."""
    asked = int64(1)
    for other in range(line, min(line + fetch.l15_ahead + 1, fetch.lines)):
        place = L1_FILLS + fetch.l1_sets + other % fetch.l15_sets
        if asked > 0 and not is_kept(
            code.fetched[other, L15_TURN], code.fills[place], fetch.l15_ways
        ):
            code.fills[place] += 1
            code.fetched[other, L15_TURN] = code.fills[place]
            begin = max(now, code.free[TO_L15])
            code.free[TO_L15] = begin + fetch.l15_line
            code.fetched[other, L15_READY] = int64(begin) + fetch.l15
            asked = asked - 1 if other > line else int64(fetch.l15_ahead)
    return max(now, float(code.fetched[line, L15_READY]))


@inlined
def in_l1(code: Code, fetch: Fetch, line: int, now: int) -> int:
    """When L1 has a line that a sub-core asks for."""
    place = L1_FILLS + line % fetch.l1_sets
    if not is_kept(code.fetched[line, L1_TURN], code.fills[place], fetch.l1_ways):
        begin = max(float(now), code.free[TO_L1])
        code.free[TO_L1] = begin + fetch.port
        code.fills[place] += 1
        code.fetched[line, L1_TURN] = code.fills[place]
        there = in_l15(code, fetch, line, begin + fetch.port)
        code.fetched[line, L1_READY] = int64(there) + fetch.l1
    return max(now, int64(code.fetched[line, L1_READY]))


@inlined
def ask(code: Code, fetch: Fetch, subcore: int, line: int, now: int) -> None:
    """Bring a line to a sub-core's L0."""
    code.fills[subcore] += 1
    code.fetched[line, L0_TURN + subcore] = code.fills[subcore]
    code.fetched[line, L0_READY + subcore] = in_l1(code, fetch, line, now) + fetch.l0


@inlined
def has(code: Code, fetch: Fetch, subcore: int, line: int) -> bool:
    """Whether a sub-core's L0 has a line or has asked for it."""
    return is_kept(code.fetched[line, L0_TURN + subcore], code.fills[subcore], fetch.l0_lines)


@inlined
def look_ahead(code: Code, fetch: Fetch, subcore: int, line: int, lines: int, now: int) -> None:
    """Ask for those of the next lines that a sub-core has neither got nor asked for."""
    for other in range(line + 1, min(line + 1 + lines, fetch.lines)):
        if not has(code, fetch, subcore, other):
            ask(code, fetch, subcore, other, now)


@compiled
def jump_to(code: Code, fetch: Fetch, subcore: int, line: int, now: int) -> int:
    """When a warp that jumps to a line finds it there."""
    if not has(code, fetch, subcore, line):
        ask(code, fetch, subcore, line, now)
        look_ahead(code, fetch, subcore, line, fetch.ahead, now)
    return int64(code.fetched[line, L0_READY + subcore])


@compiled
def run_into(code: Code, fetch: Fetch, subcore: int, line: int, now: int) -> int:
    """When a warp that runs on into a line finds it there."""
    there = jump_to(code, fetch, subcore, line, now)
    row = code.fetched[line]
    follows = row[L0_ENTERED + subcore] == row[L0_TURN + subcore]
    row[L0_ENTERED + subcore] = row[L0_TURN + subcore]
    look_ahead(code, fetch, subcore, line, fetch.ahead + follows, now)
    return there
