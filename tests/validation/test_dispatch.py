"""What a sub-core dispatches beside what takes an NVIDIA H200's cycles (``dispatch.cu``)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from test_step_probes import error_of

from simulator.emulator.launch import Launch
from simulator.emulator.program import build_program
from simulator.frontends.cubin import load_cubin
from simulator.frontends.cuda import compile_cuda
from simulator.timing.parameters import load_parameters
from simulator.timing.recorder import COUNT, R_CYCLE, R_PC, R_SLOT
from simulator.timing.trials import simulate
from simulator.timing.workload import prepare
from validation.microbench.probe import CLOCK, Probe

MICROBENCH = Path(__file__).parents[2] / "validation" / "microbench"
RECORD = json.loads((MICROBENCH / "h200_dispatch.json").read_text(encoding="utf-8"))
FIGURES = RECORD["figures"]
NAMES = sorted({key.rsplit("-", 1)[0] for key in FIGURES} - {"one_tofloat", "one_toint"})


@pytest.fixture(scope="module")
def cubin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All loops in one file."""
    path = tmp_path_factory.mktemp("dispatch") / "dispatch.cubin"
    path.write_bytes(compile_cuda(MICROBENCH / "dispatch.cu", "one_fma", "h200").cubin)
    return path


@cache
def _error(cubin: Path, name: str, warps: int) -> float:
    """Relative error of the cycles of the slowest warp between its two looks at the clock."""
    kernel = load_cubin(cubin, name)
    buffers = (np.full(8192, 0x3F001234, np.uint32), np.zeros(8192, np.uint32))
    launch = Launch(
        build_program(kernel), (1, 1, 1), (32 * warps, 1, 1), 0, (*buffers, np.zeros(64, np.int64))
    )
    parameters = load_parameters("h200")
    sm = simulate(parameters, prepare(parameters, launch), "warm", window=(10**6, 0))
    clocks = [i.index for i in kernel.instructions if i.opcode == "CS2R" and "CLOCK" in i.text]
    issues = sm.recorder[1 : 1 + sm.recorder[0, COUNT]]
    issues = issues[np.isin(issues[:, R_PC], clocks)]
    looks = [issues[issues[:, R_SLOT] == warp, R_CYCLE] for warp in range(warps)]
    predicted = max(int(cycles[-1] - cycles[0]) for cycles in looks)
    return float(predicted / max(FIGURES[f"{name}-{warps}"]) - 1)


@pytest.mark.parametrize(
    "name", ["one_min", "one_shifti", "one_dfma", "addi_logici", "fmai_logici"]
)
def test_a_taken_branch_takes_ten_cycles_whatever_its_stall_count(cubin: Path, name: str) -> None:
    """Their loops end in branches with stall counts of 6 and 9."""
    assert _error(cubin, name, 1) == pytest.approx(0, abs=0.013)


@pytest.mark.parametrize("name", ["fma4_logic", "logic_mad", "add3_mad", "add_logic", "fma_add3"])
def test_registers_are_kept_by_slot_and_bank_and_two_reads_may_wait(cubin: Path, name: str) -> None:
    assert _error(cubin, name, 1) == pytest.approx(0, abs=0.015)


@pytest.mark.parametrize("name", ["one_hfma", "one_hadd", "fma_hfma", "add_hfma"])
def test_half_precision_takes_one_half_of_the_fma_pipe(cubin: Path, name: str) -> None:
    assert _error(cubin, name, 1) == pytest.approx(0, abs=0.03)


@pytest.mark.parametrize("name", ["fma_exp2", "add_exp2", "add_add_add_exp2", "mix_19"])
def test_warps_go_on_while_the_special_unit_is_busy(cubin: Path, name: str) -> None:
    assert _error(cubin, name, 8) == pytest.approx(0, abs=0.03)


def test_a_warp_alone_is_met_on_average(cubin: Path) -> None:
    errors = [_error(cubin, name, 1) for name in NAMES]
    assert np.mean(np.abs(errors)) < 0.022
    assert abs(np.mean(errors)) < 0.01


def test_two_warps_a_sub_core_are_met_on_average(cubin: Path) -> None:
    """Where both want the same pipe every other cycle a GPU's take up to a seventh longer."""
    errors = [_error(cubin, name, 8) for name in NAMES]
    assert np.mean(np.abs(errors)) < 0.04
    assert abs(np.mean(errors)) < 0.025


@pytest.mark.parametrize(
    ("kernel", "parameter"),
    [("skip", 0), ("skip", 15), ("part_0", 0), ("part_1", 0), ("part_4", 32), ("call", 0)],
)
def test_branches_meetings_and_calls_of_a_warp(kernel: str, parameter: int) -> None:
    """Branches that a warp takes or not, BSYNC where its lanes stay together, calls."""
    probe = Probe(kernel, CLOCK, 1, 32, (100, 300), parameter)
    assert abs(error_of("flow.cu", probe)) < 0.01
