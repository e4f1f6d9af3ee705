"""Do stores and reductions of all SMs to the same words go as fast as on an NVIDIA H200?"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from simulator.emulator.launch import Launch
from simulator.emulator.program import Program, build_program
from simulator.frontends.cuda import compile_cuda
from simulator.timing.parameters import load_parameters
from simulator.timing.trials import cycles, simulate
from simulator.timing.workload import prepare

MICROBENCH = Path(__file__).parents[2] / "validation" / "microbench"
FIGURES = json.loads((MICROBENCH / "h200_hot_stores.json").read_text(encoding="utf-8"))["figures"]
REDUCTIONS = {1: "red_u32", 2: "red_f32", 3: "red_u64", 4: "red_f64", 5: "red_max"}
H200 = load_parameters("h200")
ROUNDS = (30, 60)


@cache
def _program(kernel: str) -> Program:
    return build_program(compile_cuda(MICROBENCH / "hot_stores.cu", kernel, "h200"))


def _cycles(row: dict[str, int], rounds: int) -> int:
    kernel = REDUCTIONS.get(row["kind"], f"b{row['between']}")
    buffers = (np.zeros(100 << 20, np.int32), np.zeros(4 << 20, np.int32))
    numbers = (row["lanes"], row["same"], row["lines"] - 1, rounds)
    shape = ((row["sms"] * row["blocks"], 1, 1), (32 * row["warps"], 1, 1))
    launch = Launch(_program(kernel), *shape, 0, (*map(np.int32, numbers), *buffers))
    return cycles(simulate(H200, prepare(H200, launch), "warm"))


def _errors(**wanted: int) -> list[float]:
    """Relative errors of the nanoseconds of a round, of the rows that have these numbers."""
    found = []
    for row in FIGURES:
        if any(row[key] != value for key, value in wanted.items()):
            continue
        few, many = (_cycles(row, rounds) for rounds in ROUNDS)
        warps = row["sms"] * row["blocks"] * row["warps"]
        ns = (many - few) / (ROUNDS[1] - ROUNDS[0]) / H200.clock_hz * 1e9 / warps
        found.append(ns / row["ns_a_round"] - 1)
    assert found
    return found


@pytest.mark.parametrize("warps", [1, 4, 8, 32])
def test_stores_to_one_word_behind_loads_wait_for_each_other(warps: int) -> None:
    """The SMs' packets go one after the other; stores that wait together are one packet."""
    wanted = {"between": 1, "kind": 0, "lanes": 1, "lines": 1, "sms": 132}
    for error in _errors(**wanted, warps=warps):
        assert abs(error) < 0.3


def test_stores_of_a_warp_to_one_word_are_one_packet() -> None:
    """Without loads between them they take hardly longer than none at all."""
    for error in _errors(between=0, kind=0, lanes=1, lines=1, sms=132, warps=1):
        assert abs(error) < 0.15


@pytest.mark.parametrize("kind", REDUCTIONS)
@pytest.mark.parametrize("lanes", [1, 32])
def test_reductions_to_one_word(kind: int, lanes: int) -> None:
    """Floating-point additions to a sector follow each other more slowly."""
    for error in _errors(kind=kind, lanes=lanes, same=1, lines=1, sms=132):
        assert abs(error) < 0.05


@pytest.mark.parametrize("kind", [1, 2, 3, 5])
def test_reductions_to_a_line(kind: int) -> None:
    """Its sectors take turns, so that floats need not wait; numbers of 8 bytes fill two lines."""
    for error in _errors(kind=kind, lanes=32, same=0, lines=1, sms=132):
        assert abs(error) < 0.06
