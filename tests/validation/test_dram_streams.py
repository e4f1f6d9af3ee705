"""Do streams that do not fit into L2 go as fast as on an NVIDIA H200?"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from statistics import fmean

import pytest

from kernels.workload import Launch
from simulator.arguments import parse_arguments
from simulator.launching import open_source
from simulator.time import predict_target

MICROBENCH = Path(__file__).parents[2] / "validation" / "microbench"
FIGURES = json.loads((MICROBENCH / "h200_streams.json").read_text(encoding="utf-8"))["figures"]
BYTES = 256 << 20


@cache
def _errors(block: int, part: str) -> dict[str, float]:
    """Relative errors of the warm times of kernels whose names hold ``part``."""
    found = {}
    for row in FIGURES:
        name = row["kernel"]
        if row["block"] != block or part not in name:
            continue
        width = int(name.split("_")[-2])
        texts = [f"f32[{BYTES // 4}]=zeros"] * 5 + [f"i32={BYTES // width}"]
        launch = Launch((row["grid"], 1, 1), (block, 1, 1))
        target = open_source(
            MICROBENCH / "streams.cu", name, "h200", (), launch, parse_arguments(texts)
        )
        found[name] = predict_target(target, "h200", {}).warm.microseconds / row["us"] - 1.0
    return found


@pytest.mark.parametrize("part", ["_4_once", "_16_once", "_4_loop"])
def test_streams_of_small_blocks(part: str) -> None:
    errors = {k: v for k, v in _errors(256, part).items() if not k.startswith("write_4_loop")}
    assert len(errors) >= 7
    assert fmean(map(abs, errors.values())) < 0.05
    assert max(map(abs, errors.values())) < 0.11


def test_reads_in_flight_decide_how_fast_a_loop_goes() -> None:
    """One load in flight a thread leaves half of DRAM idle: waits grow with the load."""
    errors = _errors(256, "_4_loop")
    for name in ("read1_4_loop", "read2_4_loop", "read4_4_loop"):
        assert abs(errors[name]) < 0.06


@pytest.mark.parametrize("part", ["read1_4_once", "read2_4_once", "copy_4_once"])
def test_streams_of_large_blocks(part: str) -> None:
    (error,) = _errors(1024, part).values()
    assert abs(error) < 0.06
