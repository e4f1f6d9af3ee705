"""Which loads of a loop fetch for its next turn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simulator.caching import fetched_ahead
from simulator.composition import replay
from simulator.frontends.cuda import compile_cuda

SOURCE = """
extern "C" __global__ void at_once(const float* in, float* out, int n) {
    __shared__ float tile[64];
    float sum = 0;
    for (int k = 0; k < n; k++) {
        tile[threadIdx.x] = in[k * 64 + threadIdx.x];
        __syncthreads();
        for (int c = 0; c < 64; c++) sum = sum * 0.5f + tile[c];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
extern "C" __global__ void before(const float* in, float* out, int n) {
    __shared__ float tile[64];
    float sum = 0, next = in[threadIdx.x];
    for (int k = 0; k < n; k++) {
        tile[threadIdx.x] = next;
        __syncthreads();
        if (k + 1 < n) next = in[(k + 1) * 64 + threadIdx.x];
        for (int c = 0; c < 64; c++) sum = sum * 0.5f + tile[c];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize(("entry", "expected"), [("at_once", [False]), ("before", [True])])
def test_a_load_whose_result_the_next_turn_uses(
    entry: str, expected: list[bool], tmp_path: Path
) -> None:
    source = tmp_path / "loops.cu"
    source.write_text(SOURCE)
    kernel = compile_cuda(source, entry, "h200", ())
    arguments = [np.zeros(64 * 8, np.float32), np.zeros(64, np.float32), np.int32(8)]
    run = replay(kernel, (1,), (64,), arguments, device="h200")
    ahead = fetched_ahead(kernel, [i.executed for i in run.instructions])
    repeated = [
        bool(ahead[i.index])
        for i, counted in zip(kernel.instructions, run.instructions, strict=True)
        if i.opcode == "LDG" and counted.executed > 2
    ]
    assert set(repeated) == set(expected)
