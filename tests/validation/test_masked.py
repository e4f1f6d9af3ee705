"""What L2 fetches of sectors that were stored in part, as an NVIDIA H200 does."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simulator as sm
from kernels.workload import Launch
from simulator.device import load_device
from simulator.launching import Target
from simulator.time import predict_target
from validation import microbench

FOLDER = Path(microbench.__file__).parent
LAUNCHES = json.loads((FOLDER / "h200_masked.json").read_text(encoding="utf-8"))["launches"]
# Stride in words, MiB stored to, MiB after which the other words come (0: never), and how far off
# the bytes read from DRAM may be, in bytes: where the other words come in time for some of the
# lines, nearly all or none are predicted to be fetched.
CASES = [
    (1, 64, 0, 0),
    (2, 24, 0, 1_500_000),
    (2, 64, 0, 1_500_000),
    (8, 32, 0, 1_500_000),
    (32, 96, 0, 1_500_000),
    (2, 192, 2, 1_500_000),
]


def one(stride: int, mib: int, back: int) -> dict[str, Any]:
    (found,) = (
        x for x in LAUNCHES if (x["stride"], x["mib"], x["back_mib"]) == (stride, mib, back)
    )
    return dict(found)


def launch_of(stride: int, mib: int, back: int) -> Target:
    kernel = sm.compile_cuda(FOLDER / "masked.cu", "masked", "h200")
    words, behind = mib << 18, back << 18
    blocks = -(-((words + behind) // stride) // 256)
    arguments = (np.zeros(words, np.float32), np.uint64(words), np.int32(stride), np.int64(behind))
    return Target(kernel, Launch((blocks, 1, 1), (256, 1, 1), 0), arguments)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_rest_of_sectors_stored_in_part_comes_from_dram(
    case: tuple[int, int, int, int],
) -> None:
    stride, mib, back, bound = case
    target = launch_of(stride, mib, back)
    grid, block = target.launch.grid, target.launch.block
    run = sm.replay(target.kernel, grid, block, list(target.arguments), 0, "h200", caches=True)
    found = run.counters["dram_read_bytes"].value
    assert found == pytest.approx(one(stride, mib, back)["cold_read_bytes"], abs=max(bound, 20_000))


@pytest.mark.parametrize("case", [(1, 64), (2, 64), (2, 192), (3, 96), (8, 192)], ids=str)
def test_stores_wait_for_it(case: tuple[int, int]) -> None:
    found = predict_target(launch_of(*case, 0), "h200", {})
    measured = one(*case, 0)
    assert found.cold.microseconds == pytest.approx(measured["cold_us"], rel=0.04)
    assert found.warm.microseconds == pytest.approx(measured["warm_us"], rel=0.06)


def test_so_many_lines_wait_as_the_record_says() -> None:
    fact = load_device("h200").facts["l2_unfinished_bytes"].value
    left = [
        (x["mib"] << 20) - x["cold_read_bytes"]
        for x in LAUNCHES
        if x["stride"] in (2, 3, 4, 8) and x["mib"] >= 16 and not x["back_mib"]
    ]
    assert statistics.median(left) == pytest.approx(fact, rel=0.03)
