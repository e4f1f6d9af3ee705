"""When each warp of an SM has come how far in its code, as on an NVIDIA H200."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.emulator.launch import Launch
from simulator.emulator.program import build_program
from simulator.frontends.cuda import compile_cuda
from simulator.timing.parameters import load_parameters
from simulator.timing.recorder import COUNT, R_CYCLE, R_PC, R_SLOT
from simulator.timing.trials import simulate
from simulator.timing.workload import prepare

MICROBENCH = Path(__file__).parents[2] / "validation" / "microbench"
FIGURES = json.loads((MICROBENCH / "h200_order.json").read_text(encoding="utf-8"))["figures"]
H200 = load_parameters("h200")
SHAPES = ((512, 3), (1024, 3), (512, 0), (1024, 0))  # threads; 3: one sub-core's warps run

# How far the looks of a launch's warps are from the measured ones at most, of its span, the mean
# of four shapes. Warps that load and wait, or run on without a stall, are met. Of warps that each
# stall for a few cycles, or want a pipe that takes one instruction in two cycles, a few go ahead in
# the model, where on the GPU they take turns.
BOUNDS = {
    "many": 0.03, "few": 0.05, "waits": 0.05, "first": 0.05, "outer": 0.06, "both": 0.07,
    "stores": 0.08, "roots": 0.11, "meets": 0.06, "loads": 0.14, "wide": 0.14, "chain": 0.22,
    "adds": 0.27,
}  # fmt: skip


@cache
def _predicted(name: str, threads: int, skip: int) -> NDArray[np.float64]:
    """Cycles at which each warp that runs looks at the clock."""
    kernel = compile_cuda(MICROBENCH / "order.cu", f"order_{name}", "h200")
    buffers = (np.zeros(1 << 12, np.float32), np.zeros(1 << 12, np.int64))
    arguments = (*buffers, np.int32(0), np.int32(skip))
    launch = Launch(build_program(kernel), (1, 1, 1), (threads, 1, 1), 0, arguments)
    sm = simulate(H200, prepare(H200, launch), "warm", window=(10**5, 0))
    issues = sm.recorder[1 : 1 + sm.recorder[0, COUNT]]
    looks = [i.index for i in kernel.instructions if i.opcode == "CS2R"]
    issues = issues[np.isin(issues[:, R_PC], looks)]
    warps = [issues[issues[:, R_SLOT] == slot, R_CYCLE] for slot in range(threads // 32)]
    return np.array([w for w in warps if len(w) == len(looks)], np.float64)


def _distance(name: str, threads: int, skip: int) -> float:
    """Mean distance of the looks, sorted by time, from the third on: before it come first loads."""
    measured = np.array(FIGURES[f"{name}-t{threads}-p{skip}"], np.float64)
    rows = [r[:, 2:] - r[:, 2].min() for r in (measured, _predicted(name, threads, skip))]
    theirs, ours = (np.sort(r, axis=0) for r in rows)
    return float(np.abs(theirs - ours).mean() / theirs.max())


@pytest.mark.parametrize("name", BOUNDS)
def test_warps_are_as_far_as_on_the_gpu(name: str) -> None:
    assert np.mean([_distance(name, *shape) for shape in SHAPES]) < BOUNDS[name]


def test_a_warp_that_does_not_stall_is_issued_to_its_end() -> None:
    """Sixteen looks of 33 instructions, 33 cycles each, one warp of a sub-core after the other."""
    for rows in (np.array(FIGURES["many-t1024-p3"]), _predicted("many", 1024, 3)):
        assert np.median(np.diff(rows[:, 2:], axis=1)) == 33
        begins, ends = np.sort(rows[:, 2]), np.sort(rows[:, -1])
        assert (begins[1:] > ends[:-1]).mean() > 0.8
