"""Do asynchronous copies take and hold up as much as on an NVIDIA H200?"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.emulator.launch import Launch
from simulator.emulator.program import build_program
from simulator.frontends.cuda import compile_cuda
from simulator.isa.kernel import Kernel
from simulator.timing.parameters import load_parameters
from simulator.timing.recorder import COUNT, R_CYCLE, R_PC, R_SLOT
from simulator.timing.state import Sm
from simulator.timing.trials import cycles, simulate
from simulator.timing.workload import prepare

MICROBENCH = Path(__file__).parents[2] / "validation" / "microbench"
FIGURES = json.loads((MICROBENCH / "h200_copies.json").read_text(encoding="utf-8"))["figures"]
H200 = load_parameters("h200")
Row = dict[str, Any]


@cache
def _kernel(name: str) -> Kernel:
    return compile_cuda(MICROBENCH / "copies.cu", name, "h200")


def _run(row: Row, name: str, turns: int, window: int = 0) -> Sm:
    """The model's SM after a launch of a probe."""
    numbers = [np.int32(n) for n in (row["rows"], row["pitch"], row["pad"], turns)]
    arguments = [np.zeros(1 << 22, np.uint8), *numbers, np.zeros(1 << 10, np.uint32)]
    shared = max(row["warps"] * row["count"] * (512 + row["rows"] * row["pad"]), 17_000)
    shape = ((1, 1, 1), (32 * row["warps"], 1, 1))
    launch = Launch(build_program(_kernel(name)), *shape, shared, arguments)
    work = prepare(H200, launch)
    return simulate(H200, work, "warm", window=(window, 0))


def _chosen(**wanted: int | str) -> list[Row]:
    return [row for row in FIGURES if all(row.get(key) == n for key, n in wanted.items())]


@pytest.mark.parametrize("row", _chosen(what="flow", count=4, grid=1, warps=16, kind=0), ids=str)
def test_copies_past_l1_make_their_requests_one_after_the_other(row: Row) -> None:
    name = f"flow_{row['kind']}_{row['count']}"
    each = (cycles(_run(row, name, 24)) - cycles(_run(row, name, 8))) / 16 / row["count"] / 16
    # Whole lines come faster than L2 can send them, which the model does not know.
    assert each == pytest.approx(row["cycles"], rel=0.11, abs=3.3)


def _looked(row: Row) -> int:
    """Cycles from the first copy of a turn until the last warp has what it loads behind its own."""
    name = f"look_{row['kind']}_{row['count']}_{row['at']}"
    code = _kernel(name).instructions
    sm = _run(row, name, 3, 40_000)
    issues = sm.recorder[1 : 1 + sm.recorder[0, COUNT]]
    copies = [i.index for i in code if i.opcode == "LDGSTS"]
    last = [i.index for i in code if i.opcode == "LDS" and "RZ" not in i.text][-1]
    first = max(c for c in copies if c < last)
    used = next(i.index for i in code if i.index > last and i.control and i.control.wait_mask)
    turn = issues[issues[:, R_PC] == used]
    begin = issues[np.isin(issues[:, R_PC], [c for c in copies if c <= first])]
    final = turn[np.argsort(turn[:, R_CYCLE])][-row["warps"] :]
    done = int(final[:, R_CYCLE].max())
    slots = len(np.unique(final[:, R_SLOT]))
    assert slots == row["warps"]
    starts = [
        begin[(begin[:, R_SLOT] == slot) & (begin[:, R_CYCLE] < done)][-row["count"], R_CYCLE]
        for slot in range(slots)
    ]
    return done - int(min(starts))


@pytest.mark.parametrize("row", _chosen(what="look", kind=0, count=3, at=1, grid=1), ids=str)
def test_a_load_waits_behind_many_copies(row: Row) -> None:
    looked = _looked(row)
    assert looked == pytest.approx(row["looked"], rel=0.13, abs=28)
