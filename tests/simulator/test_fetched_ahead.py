"""Which loads of a loop fetch for its next turn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simulator.caching import code_of, fetched_ahead
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


COPIES = """
#include <cuda_pipeline.h>
extern "C" __global__ void copies(const float* in, float* out, int n) {
    __shared__ float tile[2][64];
    float sum = 0;
    __pipeline_memcpy_async(&tile[0][threadIdx.x], in + threadIdx.x, 4);
    __pipeline_commit();
    for (int k = 1; k <= n; k++) {
        __pipeline_memcpy_async(&tile[k % 2][threadIdx.x], in + k * 64 + threadIdx.x, 4);
        __pipeline_commit();
        __pipeline_wait_prior(LEFT);
        __syncthreads();
        for (int c = 0; c < 64; c++) sum = sum * 0.5f + tile[(k - 1 + !LEFT) % 2][c];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize("left", [0, 1])
def test_copies_of_which_the_last_group_is_not_waited_for(left: int, tmp_path: Path) -> None:
    source = tmp_path / "copies.cu"
    source.write_text(COPIES)
    kernel = compile_cuda(source, "copies", "h200", (f"-DLEFT={left}",))
    ahead = fetched_ahead(kernel, code_of(kernel, [1] * len(kernel.instructions)))
    copies = [i.index for i in kernel.instructions if i.opcode == "LDGSTS"]
    assert len(copies) > 1
    assert any(ahead[copies]) == bool(left)


@pytest.mark.parametrize(("entry", "expected"), [("at_once", [False]), ("before", [True])])
def test_a_load_whose_result_the_next_turn_uses(
    entry: str, expected: list[bool], tmp_path: Path
) -> None:
    source = tmp_path / "loops.cu"
    source.write_text(SOURCE)
    kernel = compile_cuda(source, entry, "h200", ())
    arguments = [np.zeros(64 * 8, np.float32), np.zeros(64, np.float32), np.int32(8)]
    run = replay(kernel, (1,), (64,), arguments, device="h200")
    ahead = fetched_ahead(kernel, code_of(kernel, [i.executed for i in run.instructions]))
    repeated = [
        bool(ahead[i.index])
        for i, counted in zip(kernel.instructions, run.instructions, strict=True)
        if i.opcode == "LDG" and counted.executed > 2
    ]
    assert set(repeated) == set(expected)
