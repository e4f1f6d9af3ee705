"""Copies by tiles, to places apart, of every other sector, and swaps in place take DRAM as long as
an NVIDIA H200's."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import simulator as sm
from kernels.workload import Launch
from simulator.launching import Target
from simulator.time import predict_target
from validation import microbench

FOLDER = Path(microbench.__file__).parent
LAUNCHES = json.loads((FOLDER / "h200_patterns.json").read_text(encoding="utf-8"))["launches"]
KEYS = ("kernel", "pitch", "mask", "mib")
CASES = [
    ("tiles_4", 8192, 0, 64, 0.09),
    ("turn_4", 8192, 0, 64, 0.09),
    ("copy_4", 8192, 2, 256, 0.09),
    ("copy_4", 8192, 3, 256, 0.09),
    ("pairs_1", 4096, 0, 64, 0.15),
    ("write_4", 8192, 1, 256, 0.03),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[2]}")
def test_where_blocks_write(case: tuple[str, int, int, int, float]) -> None:
    *wanted, bound = case
    (launch,) = (x for x in LAUNCHES if [x[k] for k in KEYS] == wanted and not x["same"])
    kernel = sm.compile_cuda(FOLDER / "patterns.cu", launch["kernel"], "h200")
    words = launch["mib"] << 18
    in_place = launch["kernel"].startswith("pairs")
    arguments = (
        np.zeros(64 if in_place else words, np.float32),
        np.zeros(words, np.float32),
        np.int32(launch["wide"]),
        np.uint32(launch["pitch"]),
        np.uint32(words),
        np.int32(launch["mask"]),
    )
    shape = Launch((launch["grid"], 1, 1), (launch["threads"], 1, 1), 0)
    found = predict_target(Target(kernel, shape, arguments), "h200", {})
    assert found.cold.microseconds == pytest.approx(launch["cold_us"], rel=bound)
    assert found.warm.microseconds == pytest.approx(launch["warm_us"], rel=bound)


def test_a_store_to_a_line_on_its_way_holds_up_nothing_in_its_sm() -> None:
    """Neither the line nor other warps' loads: what makes swaps in place slow is in L2."""
    trials = json.loads((FOLDER / "h200_fills.json").read_text(encoding="utf-8"))["trials"]
    for kind in (0, 1, 2):
        none, *stores = (x for x in trials if x["kind"] == kind)
        for store in stores:
            assert store["loads_done"] == pytest.approx(none["loads_done"], abs=5)
            assert store["there"] == pytest.approx(none["there"], rel=0.06)
