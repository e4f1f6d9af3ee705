"""Do launches whose data comes from DRAM take as long as on an NVIDIA H200, caches flushed?"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from simulator.emulator.launch import Launch
from simulator.emulator.program import build_program
from simulator.frontends.cuda import compile_cuda
from simulator.timing.predict import predict_time

MICROBENCH = Path(__file__).parents[2] / "validation" / "microbench"
QUADS = {"read1": 1, "read4": 4, "read16": 4, "read64": 16}  # words a thread


def _figures(name: str) -> list[dict[str, float]]:
    text = (MICROBENCH / f"h200_{name}.json").read_text(encoding="utf-8")
    return list(json.loads(text)["figures"])


@pytest.mark.parametrize("kernel", QUADS)
def test_streams_of_one_to_32_mib(kernel: str) -> None:
    program = build_program(compile_cuda(MICROBENCH / "cold_streams.cu", kernel, "h200"))
    errors = []
    for row in _figures("cold_streams"):
        if row["kernel"] != kernel:
            continue
        words, threads = int(row["mib"]) << 18, int(row["threads"])
        buffers = (np.zeros(words, np.float32), np.zeros(16 << 20, np.float32))
        grid = words // QUADS[kernel] // threads
        launch = Launch(program, (grid, 1, 1), (threads, 1, 1), 0, (*buffers, np.int32(words)))
        errors.append(predict_time(launch, "h200").cold.microseconds / row["flushed_us"] - 1)
    assert len(errors) == 12
    assert fmean(map(abs, errors)) < 0.085
    assert max(map(abs, errors)) < 0.17


def test_small_launches_that_load_from_several_pages() -> None:
    """One SM, 16 and all: who waits longest for DRAM decides."""
    program = build_program(compile_cuda(MICROBENCH / "cold_pages.cu", "go", "h200"))
    buffers = (np.zeros(1 << 28, np.float32), np.zeros(16 << 20, np.float32))
    errors = []
    for row in _figures("cold_pages"):
        if row["store"]:
            continue
        numbers = [np.int32(row[key]) for key in ("loads", "chain", "store")]
        notes = np.zeros(1 << 19, np.uint32)
        arguments = (*buffers, np.uint64(row["apart"] // 4), *numbers, notes)
        shape = ((int(row["grid"]), 1, 1), (int(row["threads"]), 1, 1))
        found = predict_time(Launch(program, *shape, 0, arguments), "h200").cold
        errors.append(found.microseconds / row["us"] - 1)
    assert len(errors) > 30
    assert fmean(map(abs, errors)) < 0.06
    assert max(map(abs, errors)) < 0.15
