"""Do rounds of dependent reads of DRAM take as long as on an NVIDIA H200, alone and by many SMs?"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from simulator.emulator.launch import Launch
from simulator.emulator.program import build_program
from simulator.frontends.cuda import compile_cuda
from simulator.timing.parameters import load_parameters
from simulator.timing.trials import COLD, WARM, cycles, simulate
from simulator.timing.workload import prepare

MICROBENCH = Path(__file__).parents[2] / "validation" / "microbench"
FIGURES = json.loads((MICROBENCH / "h200_rounds.json").read_text(encoding="utf-8"))["figures"]
NUMBERS = ("rounds", "rows", "pitch", "across", "every", "meet")
H200 = load_parameters("h200")
PROGRAM = build_program(compile_cuda(MICROBENCH / "rounds.cu", "go", "h200"))


def _waits(row: dict[str, int]) -> int:
    """Cycles that a launch waits for DRAM: by how much it is longer with cold caches."""
    buffers = (np.zeros(1 << 22, np.uint8), np.zeros(1 << 22, np.uint8))
    arguments = (*buffers, *(np.int32(row[key]) for key in NUMBERS), np.zeros(1 << 14, np.uint32))
    launch = Launch(PROGRAM, (row["grid"], 1, 1), (row["threads"], 1, 1), 0, arguments)
    work = prepare(H200, launch)
    cold, warm = (cycles(simulate(H200, work, state)) for state in (COLD, WARM))
    return cold - warm


def _measured(row: dict[str, int]) -> float:
    """Flushed caches and those full of other lines are alike."""
    return fmean((row["flushed_slowest"], row["evicted_slowest"])) - row["warm_slowest"]


@pytest.mark.parametrize("grid", [1, 4, 16, 132])
def test_rounds_of_reads(grid: int) -> None:
    rows = [row for row in FIGURES if row["grid"] == grid]
    ratios = [_waits(row) / _measured(row) for row in rows]
    assert len(ratios) == 8
    assert fmean(ratios) == pytest.approx(1, abs=0.15)
    assert max(abs(ratio - 1) for ratio in ratios) < 0.4


def test_a_flush_makes_no_read_longer() -> None:
    """Of dependent reads those behind ncu's flush are not slower than others from DRAM."""
    ratios = [row["flushed"] / row["evicted"] for row in FIGURES]
    assert fmean(ratios) == pytest.approx(0.97, abs=0.02)
