"""Does a replay without dispensable arithmetic make the same requests on the same way?"""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

import simulator as sm
from simulator.emulator.launch import Launch
from simulator.emulator.program import build_program
from simulator.launching import open_catalogue
from simulator.slicing import dispensable
from simulator.time import open_launch
from simulator.timing.touches import touched_lines
from simulator.timing.trace import Trace, trace_blocks
from tests.simulator.replaying import ARCHITECTURES, DEVICES

BLOCKS = np.arange(2, dtype=np.int64)
SIZES = {
    "tiled_gemm": 96, "coarse_gemm": 128, "register_tiling_gemm": 128, "vectorized_gemm": 64,
    "hgemm_tensor": 128, "softmax": 96,
}  # fmt: skip

# Sixteen products and sums of each kind, so that they are worth leaving out.
SOURCE = """
#define CHAIN(x, y) for (int k = 0; k < 16; ++k) { x = x * y + y; y = y * x - x; }

extern "C" __global__ void stored(const float* a, float* out) {
    float x = a[threadIdx.x], y = a[32 + threadIdx.x];
    CHAIN(x, y)
    out[threadIdx.x] = x + y;
}

extern "C" __global__ void addressed(const float* a, float* out) {
    float x = threadIdx.x * 0.001f, y = 0.01f;
    CHAIN(x, y)
    out[((int)(x * 100.0f + y)) & 1023] = a[threadIdx.x];
}

extern "C" __global__ void both(const float* a, float* out) {
    float x = threadIdx.x * 0.001f, y = 0.01f, v = a[threadIdx.x], w = a[32 + threadIdx.x];
    CHAIN(x, y)
    CHAIN(v, w)
    out[((int)(x * 100.0f + y)) & 1023] = v + w;
}

extern "C" __global__ void branching(const float* a, float* out) {
    float x = a[threadIdx.x], y = a[32 + threadIdx.x];
    CHAIN(x, y)
    if (x > y) {
        for (int k = 0; k < 40; ++k) out[threadIdx.x * 40 + k] = k;
    }
}
"""


def _same(whole: Trace, part: Trace) -> None:
    for field in fields(Trace):
        assert np.array_equal(getattr(whole, field.name), getattr(part, field.name)), field.name


def _launch(name: str, architecture: int) -> Launch:
    kernel = sm.compile_cuda(SOURCE, name, DEVICES[architecture])
    data = np.linspace(0.0, 1.0, 64, dtype=np.float32)
    arguments = [data, np.zeros(2048, np.float32)]
    return Launch(build_program(kernel), (2, 1, 1), (32, 1, 1), 0, arguments)


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("device", ["a100", "h200"])
def test_kernels_of_the_catalogue_go_the_same_way(name: str, device: str) -> None:
    launch, other = (open_launch(open_catalogue(name, SIZES[name], 0, device)) for _ in range(2))
    blocks = BLOCKS[: launch.grid[0] * launch.grid[1]]
    left_out = dispensable(launch.program.kernel)
    _same(trace_blocks(launch, blocks), trace_blocks(other.without(left_out), blocks))
    if name.endswith("_gemm"):
        products = [i for i in launch.program.kernel.instructions if i.opcode == "FFMA"]
        assert left_out >= {i.index for i in products}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("name", ["stored", "addressed", "both", "branching"])
def test_what_steers_stays(name: str, architecture: int) -> None:
    launch, other = _launch(name, architecture), _launch(name, architecture)
    left_out = dispensable(launch.program.kernel)
    _same(trace_blocks(launch, BLOCKS), trace_blocks(other.without(left_out), BLOCKS))
    products = {i.index for i in launch.program.kernel.instructions if i.opcode == "FFMA"}
    if name == "stored":
        assert left_out >= products
    elif name == "both":
        assert left_out & products
        assert products - left_out
    else:
        assert not left_out


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("device", ["a100", "h200"])
def test_lines_stay_without_shared_memory(name: str, device: str) -> None:
    launch, other = (open_launch(open_catalogue(name, SIZES[name], 0, device)) for _ in range(2))
    blocks = range(min(2, launch.grid[0] * launch.grid[1]))
    left_out = dispensable(launch.program.kernel, shared=False)
    whole, part = touched_lines(launch, blocks), touched_lines(other.without(left_out), blocks)
    for block in blocks:
        assert np.array_equal(whole[block].pairs, part[block].pairs)
        assert np.array_equal(whole[block].rounds, part[block].rounds)
        assert np.array_equal(whole[block].places, part[block].places)
    kinds = {launch.program.kernel.instructions[n].opcode for n in left_out}
    assert kinds & {"LDS", "LDSM"} or name == "softmax"


INDIRECT = """
extern "C" __global__ void looked_up(const int* a, float* out) {
    __shared__ int order[512];
    for (int k = 0; k < 16; ++k) order[32 * k + threadIdx.x] = a[(32 * k + threadIdx.x) & 63] & 1;
    __syncthreads();
    for (int k = 0; k < 16; ++k) out[order[32 * k + threadIdx.x]] = k;
}
"""


def test_accesses_to_shared_memory_stay_where_they_steer() -> None:
    assert not dispensable(sm.compile_cuda(INDIRECT, "looked_up", "h200"), shared=False)


def test_results_differ_without_arithmetic() -> None:
    """The comparison above would see nothing if nothing were left out."""
    launch, other = _launch("stored", 90), _launch("stored", 90)
    launch.run(BLOCKS)
    other.without(dispensable(other.program.kernel)).run(BLOCKS)
    assert not np.array_equal(launch.outputs()[1], other.outputs()[1])
