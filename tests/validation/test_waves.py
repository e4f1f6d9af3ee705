"""Launches of many blocks take the time that an NVIDIA H200 takes for them, warm."""

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
from simulator.timing.predict import predict_time
from validation import microbench

FOLDER = Path(microbench.__file__).parent
RECORD = json.loads((FOLDER / "h200_waves.json").read_text(encoding="utf-8"))
BUFFERS = {"plain_load": 1, "plain_sum": 3, "window": 3}


@cache
def _program(kernel: str) -> Program:
    return build_program(compile_cuda(FOLDER / "waves.cu", kernel, "h200"))


def _error(name: str) -> float:
    """Relative error of a predicted launch of the record."""
    kernel, threads, mib = name.split("-")
    block, n = int(threads[1:]), int(mib[2:]) << 18
    buffer, out = np.zeros(n * BUFFERS.get(kernel, 2), np.float32), np.zeros(64, np.int32)
    arguments = [buffer, out, np.int32(n), np.int32(0)]
    launch = Launch(_program(kernel), (n // block, 1, 1), (block, 1, 1), 0, arguments)
    return float(predict_time(launch, "h200").warm.microseconds / RECORD["us"][name] - 1)


@pytest.mark.parametrize("kernel", ["plain_load", "plain_copy", "plain_store", "plain_sum"])
@pytest.mark.parametrize("threads", [128, 256, 512, 1024])
def test_streams_within_l2(kernel: str, threads: int) -> None:
    """Blocks of up to 256 threads end at the rate of the chip, larger ones wait for their own."""
    assert abs(_error(f"{kernel}-t{threads}-mb4")) < 0.14


@pytest.mark.parametrize("kernel", ["mix_1_all", "mix_4_all", "mix_7_one"])
@pytest.mark.parametrize("threads", [128, 256, 512, 1024])
def test_blocks_that_load_meet_and_exchange(kernel: str, threads: int) -> None:
    assert abs(_error(f"{kernel}-t{threads}-mb4")) < 0.08


@pytest.mark.parametrize("threads", [256, 512, 1024])
def test_windows_with_weights_from_memory(threads: int) -> None:
    assert abs(_error(f"window-t{threads}-mb4")) < 0.13


def test_the_first_blocks_of_an_sm_begin_together_and_successors_wait() -> None:
    first = [starts["first"][4] for name, starts in RECORD["starts"].items() if "t256" in name]
    after = [starts["next"][1] for starts in RECORD["starts"].values() if starts["next"][2] < 450]
    p = load_parameters("h200")
    assert max(first) < 132 * p["timing_block_end_cycles"]  # the fifth block, sooner than one ends
    begins = p["timing_drain_cycles"] + p["timing_relaunch_cycles"]
    assert begins == pytest.approx(np.median(after), rel=0.15)


@pytest.mark.parametrize(("fewest", "most"), [(1, 1), (528, 4224)])
def test_what_a_launch_takes_beyond_its_cycles(fewest: int, most: int) -> None:
    """Of launches that load or store; those of blocks of one warp begin one SM after the other."""
    figures = json.loads((FOLDER / "h200_surround.json").read_text(encoding="utf-8"))["figures"]
    beyond = [
        f["cold_beyond_us"]
        for f in figures
        if fewest <= f["grid"] <= most and f["threads"] > 32 and f["early"] + f["late"] > 0
    ]
    assert len(beyond) > 7
    alone = load_parameters("h200").launch_us(min(132, fewest))
    assert np.mean(beyond) == pytest.approx(alone, abs=0.02)
