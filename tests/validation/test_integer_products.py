"""How long integer products keep a sub-core, alone and beside others, as on an NVIDIA H200."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from simulator.emulator.launch import Launch
from simulator.emulator.program import build_program
from simulator.frontends.cuda import compile_cuda
from simulator.timing.parameters import load_parameters
from simulator.timing.recorder import COUNT, R_CYCLE, R_PC, R_SLOT
from simulator.timing.trials import simulate
from simulator.timing.workload import prepare

MICROBENCH = Path(__file__).parents[2] / "validation" / "microbench"
RECORD = json.loads((MICROBENCH / "h200_integer_products.json").read_text(encoding="utf-8"))
FIGURES = RECORD["figures"]
WARPS = (4, 8, 16)


@cache
def _predicted(name: str, warps: int) -> int:
    """Cycles of the slowest warp between its two looks at the clock."""
    kernel = compile_cuda(MICROBENCH / "integer_products.cu", name, "h200")
    buffers = (np.full(4096, 0x3F001234, np.uint32), np.zeros(4096, np.uint32))
    launch = Launch(
        build_program(kernel), (1, 1, 1), (32 * warps, 1, 1), 0, (*buffers, np.zeros(64, np.int64))
    )
    sm = simulate(
        load_parameters("h200"), prepare(load_parameters("h200"), launch), "warm", window=(10**6, 0)
    )
    clocks = [i.index for i in kernel.instructions if i.opcode == "CS2R" and "CLOCK" in i.text]
    issues = sm.recorder[1 : 1 + sm.recorder[0, COUNT]]
    issues = issues[np.isin(issues[:, R_PC], clocks)]
    looks = [issues[issues[:, R_SLOT] == warp, R_CYCLE] for warp in range(warps)]
    return max(int(cycles[-1] - cycles[0]) for cycles in looks)


@pytest.mark.parametrize("warps", WARPS)
@pytest.mark.parametrize("name", ["wide0", "high", "wide_shift", "wide_shift2", "wide_shift3"])
def test_products_of_two_words_are_dispatched_twice(name: str, warps: int) -> None:
    assert _predicted(name, warps) == pytest.approx(max(FIGURES[f"{name}-{warps}"]), rel=0.05)


@pytest.mark.parametrize("warps", WARPS)
@pytest.mark.parametrize("name", ["low", "low_shift", "low_shift2", "dp2_shift", "dp4_shift"])
def test_products_of_one_word_leave_the_sub_core_to_others(name: str, warps: int) -> None:
    assert _predicted(name, warps) == pytest.approx(max(FIGURES[f"{name}-{warps}"]), rel=0.07)


def test_all_kernels_are_met_on_average() -> None:
    names = [(name, warps) for name, warps in (key.rsplit("-", 1) for key in FIGURES)]
    errors = [
        abs(_predicted(name, int(warps)) / max(FIGURES[f"{name}-{warps}"]) - 1)
        for name, warps in names
        if int(warps) in WARPS
    ]
    assert len(errors) == 60
    assert np.mean(errors) < 0.035
