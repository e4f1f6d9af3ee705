"""Loads, barriers and steps of trees take the cycles that an NVIDIA H200 takes for them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.emulator.program import build_program
from simulator.frontends.cuda import compile_cuda
from simulator.timing.parameters import load_parameters
from tests.validation.test_deviations import gap
from validation import microbench
from validation.microbench.compare import predict_trip
from validation.microbench.probe import CLOCK, Probe

FOLDER = Path(microbench.__file__).parent
FIGURES = json.loads((FOLDER / "h200_probes.json").read_text(encoding="utf-8"))["figures"]
H200 = load_parameters("h200")


def error_of(file: str, probe: Probe) -> float:
    """Relative error of the predicted cycles of a trip."""
    program = build_program(compile_cuda(FOLDER / file, probe.kernel, "h200", ["-DSHORT"]))
    return float(predict_trip(H200, program, probe) / FIGURES[probe.name] - 1)


@pytest.mark.parametrize("kind", ["lds", "lds64", "lds128", "same64"])
@pytest.mark.parametrize(("threads", "skip"), [(32, 0), (256, 3), (1024, 0)])
def test_bursts_of_loads(kind: str, threads: int, skip: int) -> None:
    """Of one warp, of two of a sub-core, of 32."""
    probe = Probe(f"ret_{kind}_8_1", CLOCK, 1, threads, (50, 150), skip)
    assert abs(error_of("returns.cu", probe)) < 0.07


@pytest.mark.parametrize("name", ["steps_b_0", "steps_sb_0", "steps_bf_1", "steps_llsb_0"])
@pytest.mark.parametrize("threads", [256, 1024])
def test_steps_of_one_block(name: str, threads: int) -> None:
    probe = Probe(name, CLOCK, 1, threads, (20, 60), threads // 2)
    assert abs(error_of("steps.cu", probe)) < 0.085


@pytest.mark.parametrize("name", ["tree_halves", "tree_scan"])
@pytest.mark.parametrize(("grid", "threads"), [(1, 256), (1, 1024), (1056, 256), (264, 1024)])
def test_trees(name: str, grid: int, threads: int) -> None:
    probe = Probe(name, CLOCK, grid, threads, (20, 60))
    assert abs(error_of("steps.cu", probe)) < 0.08


@pytest.mark.parametrize("blocks", [4, 6])
@gap("D14")
def test_small_blocks_that_load_store_and_meet(blocks: int) -> None:
    probe = Probe("steps_llsb_0", CLOCK, 132 * blocks, 256, (20, 60), 128)
    assert abs(error_of("steps.cu", probe)) < 0.08


@pytest.mark.parametrize("kind", ["ldc", "sm", "ldc_arv", "sm_arv", "ldc_lds", "sm_lds", "lds_sts"])
def test_constants_registers_and_barriers_share_a_unit(kind: str) -> None:
    """32 warps that do nothing else: one address unit, and special registers take the load/store
    unit besides."""
    probe = Probe(f"unit_{kind}", CLOCK, 1, 1024, (50, 150))
    assert abs(error_of("units.cu", probe)) < 0.13


@pytest.mark.parametrize("kind", ["ldc_0", "ldc_4", "sm_0", "sm_4", "warp_0", "warp_4"])
@pytest.mark.parametrize("threads", [32, 256])
def test_latencies_of_constants_and_registers(kind: str, threads: int) -> None:
    probe = Probe(f"late_{kind}", CLOCK, 1, threads, (50, 150))
    assert abs(error_of("units.cu", probe)) < 0.05


@pytest.mark.parametrize("kind", ["bar", "bar_ldc", "bar_ldc4"])
@pytest.mark.parametrize(("grid", "threads"), [(1, 256), (1, 1024), (264, 1024)])
def test_constants_among_barriers(kind: str, grid: int, threads: int) -> None:
    probe = Probe(f"among_{kind}", CLOCK, grid, threads, (50, 150))
    assert abs(error_of("units.cu", probe)) < 0.12
