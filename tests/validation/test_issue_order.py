"""In which order warps issue: the ends of warps that run the same loop, as on an NVIDIA H200."""

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
from simulator.timing.parameters import load_parameters
from simulator.timing.recorder import COUNT, R_CYCLE, R_PC, R_SLOT
from simulator.timing.state import ENDED
from simulator.timing.trials import simulate
from simulator.timing.workload import prepare
from tests.validation.test_deviations import gap

MICROBENCH = Path(__file__).parents[2] / "validation" / "microbench"
FIGURES = json.loads((MICROBENCH / "h200_probes.json").read_text(encoding="utf-8"))["figures"]


def _spread(ends: np.ndarray) -> float:
    """By how much the first of a sub-core's warps ends before its last."""
    return float(1 - ends.min() / ends.max())


def _measured(kind: str, warps: int) -> np.ndarray:
    numbers = FIGURES[f"policy_{kind}-g1-t{32 * warps}-p0-n{warps}"]
    return np.array(numbers[warps::4])  # the second launch, the first sub-core


@cache
def _predicted(kind: str, warps: int) -> np.ndarray:
    """When the first sub-core's warps read the clock behind their loop."""
    kernel = compile_cuda(MICROBENCH / "policy.cu", f"policy_{kind}", "h200")
    arguments = (np.zeros(1 << 14, np.float32), np.zeros(64, np.int64), np.int32(0), np.int32(0))
    launch = Launch(build_program(kernel), (1, 1, 1), (32 * warps, 1, 1), 0, arguments)
    parameters = load_parameters("h200")
    work = prepare(parameters, launch)
    sm = simulate(parameters, work, "warm", window=(8000 * warps, 0))
    clock = max(i.index for i in kernel.instructions if i.opcode == "CS2R")
    issues = sm.recorder[1 : 1 + sm.recorder[0, COUNT]]
    issues = issues[(issues[:, R_PC] == clock) & (issues[:, R_SLOT] % 4 == 0)]
    return np.asarray(issues[:, R_CYCLE])


@pytest.mark.parametrize("warps", [8, 16, 32])
def test_arithmetic_is_taken_from_few_warps_at_a_time(warps: int) -> None:
    predicted, measured = _predicted("ffma", warps), _measured("ffma", warps)
    assert _spread(predicted) == pytest.approx(_spread(measured), abs=0.1)
    assert predicted.max() == pytest.approx(measured.max(), rel=0.05)


@pytest.mark.parametrize("kind", ["lds", "mixed", "tiled"])
def test_two_warps_that_load_share_their_sub_core(kind: str) -> None:
    predicted, measured = _predicted(kind, 8), _measured(kind, 8)
    assert _spread(predicted) == pytest.approx(_spread(measured), abs=0.02)
    assert predicted.max() == pytest.approx(measured.max(), rel=0.16)


_MANY = [("lds", 16), ("lds", 32), ("mixed", 16), ("mixed", 32), ("tiled", 32)]
_SPREAD = 0.2  # that a model without chance may have where the GPU has none


@pytest.mark.parametrize(("kind", "warps"), _MANY)
def test_many_warps_that_load_end_together(kind: str, warps: int) -> None:
    predicted, measured = _predicted(kind, warps), _measured(kind, warps)
    assert _spread(predicted) == pytest.approx(_spread(measured), abs=_SPREAD)
    assert predicted.max() == pytest.approx(measured.max(), rel=0.07)


@gap("D15")
def test_sixteen_warps_that_wait_for_each_result_end_together() -> None:
    assert _spread(_predicted("tiled", 16)) == pytest.approx(
        _spread(_measured("tiled", 16)), abs=0.12
    )


def test_sixteen_warps_that_wait_for_each_result_take_their_time() -> None:
    assert _predicted("tiled", 16).max() == pytest.approx(_measured("tiled", 16).max(), rel=0.1)


_ENDS = json.loads((MICROBENCH / "h200_ends.json").read_text(encoding="utf-8"))["figures"]
_TURNS = [row for row in _ENDS if row["grid"] == 1024 and row["again"] == 2 and row["resident"] > 2]


@pytest.mark.parametrize("row", _TURNS, ids=lambda row: f"{row['more']}-{row['resident']}")
def test_older_blocks_of_an_sm_end_first(row: dict[str, Any]) -> None:
    """Blocks that begin together and share their SM, in the order of their numbers (in the model
    but for half a percent of their time)."""
    kernel = compile_cuda(MICROBENCH / "ends.cu", f"tile_{row['more']}", "h200")
    held = ((227 << 10) // row["shared_for"] - 1024 - 2 * 136 * 16 - 64) // 128 * 128
    matrices = [np.zeros(1 << 20, np.float32), np.zeros(1 << 20, np.float32)]
    numbers = [np.int32(n) for n in (32, row["steps"], 8 * row["steps"])]
    arguments = [*matrices, np.zeros(1 << 18, np.float32), *numbers, np.zeros(1 << 14, np.uint64)]
    launch = Launch(build_program(kernel), (row["grid"], 1, 1), (128, 1, 1), held, arguments)
    parameters = load_parameters("h200")
    work = prepare(parameters, launch)
    assert work.placement.resident == row["resident"]
    ends = simulate(parameters, work, "warm").blocks[: row["resident"], ENDED]
    assert (np.diff(ends) > -0.005 * np.mean(ends)).all()
    assert (np.diff(row["by_age_ns"]) > 0).all()
    predicted, measured = (float(np.ptp(e) / np.mean(e)) for e in (ends, row["by_age_ns"]))
    assert predicted == pytest.approx(measured, abs=0.16)
