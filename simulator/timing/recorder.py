"""What the warps of the simulated SM do in a short window: issues, and what each waited for before.

Off unless asked for. The window opens when a share of all instructions has issued, so that it
shows the launch at work and not its start, unless the launch is hardly longer than the window. Of
every warp slot the first issue behind the window is kept too: it tells what the warp waited for at
the window's end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from simulator.jit import inlined, int64
from simulator.results import Issue, Timeline
from simulator.timing import opcodes as op
from simulator.timing.lower import KIND
from simulator.timing.stalls import DISPATCH, LG, MATH_PIPE, MIO, STALL_NAMES
from simulator.timing.state import (
    BLOCK,
    CHARGED,
    FIRST_SLOT,
    FREE,
    ISSUES,
    LAST,
    LAST_END,
    READY,
    STARTED,
    SUBCORES,
    Ints,
    Sm,
)

# Columns of a kept issue; LAST is the warp's issue before, or when the barrier after it opened.
R_SLOT, R_BLOCK, R_FIRST, R_PC, R_CYCLE, R_LAST, R_FREE, R_READY, R_BOARD, R_CHARGED = range(10)
COLUMNS = 10
# Row 0 is the recorder's own: kept issues, the issue that opens it, cycles, when it opened. The
# last rows, one a slot from the end, say in column 0 whether its issue behind the window is kept.
COUNT, OPENS_AT, CYCLES, OPENED = range(4)
OPENS_BEHIND = 0.4  # of all instructions: half would often be the end of a block


def make_recorder(cycles: int, opens_at: int, slots: int) -> Ints:
    """An empty recorder for so many cycles from an issue on, by number, and so many warp slots."""
    recorder = np.zeros((1 + cycles * SUBCORES + 2 * slots, COLUMNS), np.int64)
    recorder[0, :4] = (0, opens_at, cycles, -1)
    return recorder


@inlined
def issues_of(sm: Sm) -> int:
    """Instructions issued so far."""
    issues = int64(0)
    for subcore in range(SUBCORES):
        issues += sm.queued[subcore, ISSUES]
    return issues


@inlined
def record_issue(sm: Sm, slot: int, pc: int, board: int, now: int) -> None:
    """Keep an issue that falls in the window or is a warp's first behind it.

    ``board`` is the reason that the scoreboard stands for which let the instruction go last.
    """
    head = sm.recorder[0]
    if issues_of(sm) < head[OPENS_AT]:
        return
    if head[OPENED] < 0:
        head[OPENED] = now
    if now >= head[OPENED] + head[CYCLES]:
        last = sm.recorder[sm.recorder.shape[0] - 1 - slot]
        if last[0]:
            return
        last[0] = 1
    head[COUNT] += 1
    row, slots = sm.recorder[head[COUNT]], sm.slots[slot]
    row[R_SLOT], row[R_BLOCK], row[R_PC], row[R_CYCLE] = slot, slots[BLOCK], pc, now
    row[R_FIRST] = sm.blocks[slots[BLOCK], FIRST_SLOT]
    row[R_LAST], row[R_FREE], row[R_READY] = slots[LAST], slots[FREE], slots[READY]
    row[R_BOARD] = board
    row[R_CHARGED] = slots[CHARGED]


def read_timeline(sm: Sm, code: NDArray[np.int32], blocks: Sequence[int]) -> Timeline:
    """The window of a finished SM; ``blocks`` are the linear indices of its blocks."""
    head = sm.recorder[0]
    start = max(0, int(head[OPENED]))
    end = min(start + int(head[CYCLES]), int(sm.clock[LAST_END]))
    rows = sm.recorder[1 : 1 + int(head[COUNT])]
    warps: dict[tuple[int, int], list[NDArray[np.int64]]] = {}
    for row in rows:
        warps.setdefault((int(row[R_BLOCK]), int(row[R_SLOT] - row[R_FIRST])), []).append(row)
    issues: list[Issue] = []
    starts = {block: int(sm.blocks[block, STARTED]) for block, _ in warps}
    names = sorted(name for name in warps if starts[name[0]] < end)
    for number, name in enumerate(names):
        issues += _issues(sm, code, number, warps[name], start, starts[name[0]])
    return Timeline(start, end, tuple((int(blocks[b]), w) for b, w in names), tuple(issues))


def _issues(
    sm: Sm,
    code: NDArray[np.int32],
    number: int,
    rows: Sequence[NDArray[np.int64]],
    start: int,
    launched: int,
) -> Iterator[Issue]:
    """One warp's issues."""
    before = start - 1 if launched < start else int(rows[0][R_LAST])
    for row in rows:
        cycle, pc = int(row[R_CYCLE]), int(row[R_PC])
        yield Issue(number, pc, cycle, tuple(_waits(sm, code, row, before)))
        before = cycle


def _waits(
    sm: Sm, code: NDArray[np.int32], row: NDArray[np.int64], before: int
) -> Iterator[tuple[str, int]]:
    """What a warp waited for since its issue ``before``, in order, in cycles."""
    cycle, pc = int(row[R_CYCLE]), int(row[R_PC])
    held = min(cycle, int(row[R_READY]) + int(row[R_CHARGED]))
    at = before + 1
    for reason, until in (
        ("barrier", int(row[R_LAST]) + 1),
        ("wait", int(row[R_FREE])),
        (STALL_NAMES[row[R_BOARD]], int(row[R_READY])),
        (STALL_NAMES[_held_by(sm, code, pc)], held),
        ("not_selected", cycle),
    ):
        until = min(until, cycle)
        if until > at:
            yield reason, until - at
            at = until


def _held_by(sm: Sm, code: NDArray[np.int32], pc: int) -> int:
    """What holds an instruction that is ready back: its queue, or what most often does."""
    kind = int(code[pc, KIND])
    if op.CONSTANT <= kind <= op.ASYNC_COPY:
        return LG if kind >= op.LOAD else MIO
    return MATH_PIPE if sm.stalls[pc, MATH_PIPE] >= sm.stalls[pc, DISPATCH] else DISPATCH
