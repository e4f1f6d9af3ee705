"""In which order warps issue: the ends of warps that run the same loop, as on an NVIDIA H200."""

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


@gap("D16")
def test_sixteen_warps_that_wait_for_each_result_end_together() -> None:
    assert _spread(_predicted("tiled", 16)) == pytest.approx(
        _spread(_measured("tiled", 16)), abs=0.12
    )


def test_sixteen_warps_that_wait_for_each_result_take_their_time() -> None:
    assert _predicted("tiled", 16).max() == pytest.approx(_measured("tiled", 16).max(), rel=0.07)
