"""Do blocks that load, meet and store take as long as on an NVIDIA H200, from DRAM and L2?"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from simulator.emulator.launch import Launch
from simulator.emulator.program import build_program
from simulator.frontends.cuda import compile_cuda
from simulator.results import LaunchTime
from simulator.timing.predict import predict_time

MICROBENCH = Path(__file__).parents[2] / "validation" / "microbench"


def _figures(name: str) -> list[dict[str, float]]:
    text = (MICROBENCH / f"h200_{name}.json").read_text(encoding="utf-8")
    return list(json.loads(text)["figures"])


@cache
def _predicted(kernel: str, threads: int, mib: int, grid: int) -> LaunchTime:
    program = build_program(compile_cuda(MICROBENCH / "moving.cu", kernel, "h200"))
    words, few = mib << 18, 4
    second = words if kernel.startswith("add") else few
    stored = few if kernel.startswith(("look", "read")) else words
    buffers = [np.ones(n, np.float32) for n in (words, second, stored)]
    return predict_time(Launch(program, (grid, 1, 1), (threads, 1, 1), 0, buffers), "h200")


@pytest.mark.parametrize(
    ("kernel", "threads"), [("copy_16x1", 256), ("sum_16x1", 256), ("sum_4x4", 512)]
)
def test_launches_of_one_and_more_waves(kernel: str, threads: int) -> None:
    cold, warm = [], []
    for row in _figures("moving"):
        if (row["kernel"], row["threads"]) == (kernel, threads) and row["mib"] < 100:
            shape = (int(row["mib"]), int(row["grid"]))
            found = _predicted(kernel, threads, *shape)
            cold.append(found.cold.microseconds / row["cold_us"] - 1)
            warm.append(found.warm.microseconds / row["warm_us"] - 1)
    assert len(cold) == 6
    assert fmean(map(abs, cold)) < 0.10
    assert fmean(map(abs, warm)) < 0.11
    assert max(map(abs, cold + warm)) < 0.2


def test_blocks_of_1024_threads_wait_for_the_last_of_their_loads() -> None:
    (row,) = (
        r
        for r in _figures("moving")
        if (r["kernel"], r["threads"], r["mib"]) == ("copy_4x1", 1024, 48)
    )
    found = _predicted("copy_4x1", 1024, 48, int(row["grid"]))
    assert found.warm.microseconds == pytest.approx(row["warm_us"], rel=0.08)


def test_a_flush_makes_no_read_after_the_first_ones_longer() -> None:
    rows = [row for row in _figures("chain") if not row["all"]]
    flushed, evicted = (
        fmean(row[f"{name}_mean"] for row in rows) for name in ("flushed", "evicted")
    )
    assert flushed == pytest.approx(evicted, rel=0.01)
