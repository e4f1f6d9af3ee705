"""Is loaded data seen where it reaches an address, a guard or a branch, and only there?"""

from __future__ import annotations

import pytest

import simulator as sm
from simulator.detours import find_steering
from simulator.registers import find_steps
from simulator.successors import find_successors
from tests.simulator.replaying import ARCHITECTURES, DEVICES, line_of

STEERED = """
extern "C" __global__ void gather(const float* a, const int* index, float* out) {
    int t = threadIdx.x, k = index[t];
    out[t] = a[k] * 2.0f;  // gather: an address
}

extern "C" __global__ void branch(const float* a, float* out) {
    int t = threadIdx.x;
    if (a[t] > 0.5f) {
        for (int k = 0; k < 50; ++k) out[t * 50 + k] = t;
    }
}

extern "C" __global__ void trips(const int* n, float* out) {
    float sum = 0.0f;
    for (int k = 0; k < n[threadIdx.x]; ++k) sum = sum * 0.5f + out[k];
    out[threadIdx.x] = sum;
}

extern "C" __global__ void through_shared(const int* index, float* out) {
    __shared__ int s[64];
    s[threadIdx.x] = index[threadIdx.x];
    __syncthreads();
    out[s[63 - threadIdx.x]] = 1.0f;  // through_shared: an address
}

extern "C" __global__ void atomic_place(int* counter, float* out) {
    out[atomicAdd(counter, 1)] = 1.0f;
}

extern "C" __global__ void shuffled(const int* index, float* out) {
    out[__shfl_xor_sync(~0u, index[threadIdx.x], 1)] = 1.0f;
}

extern "C" __global__ void guarded(const int* flags, float* out) {
    if (flags[threadIdx.x]) out[threadIdx.x] = 1.0f;
}

extern "C" __global__ void bins(const unsigned* a, int* out) {
    __shared__ int s[64];
    s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[a[threadIdx.x] & 63], 1);
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
"""

FREE = """
extern "C" __global__ void scale(const float* a, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] * 2.0f;
}

extern "C" __global__ void selects(const float* a, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? a[i] : 0.0f;
    out[i] = v > 0.5f ? v : -v;
}

extern "C" __global__ void tiled(const float* a, float* out, int n) {
    __shared__ float s[32][33];
    float sum = 0.0f;
    for (int k = 0; k < n; k += 32) {
        s[threadIdx.y][threadIdx.x] = a[(blockIdx.x * 32 + threadIdx.y) * n + k + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 32; ++j) sum += s[threadIdx.x][j] * s[j][threadIdx.y];
        __syncthreads();
    }
    out[(blockIdx.x * 32 + threadIdx.y) * 32 + threadIdx.x] = sum;
}

extern "C" __global__ void reduces(const float* a, float* out) {
    float v = a[blockIdx.x * 32 + threadIdx.x];
    for (int k = 16; k; k >>= 1) v += __shfl_down_sync(~0u, v, k);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
}

extern "C" __global__ void divides(const float* a, float* out, int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * columns) out[i % columns * rows + i / columns] = a[i];
}
"""


def names(text: str) -> list[str]:
    return [line.split("__global__ void ")[1].split("(")[0] for line in text.splitlines()
            if "__global__" in line]  # fmt: skip


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("name", names(STEERED))
def test_loaded_data_that_steers_is_found(name: str, architecture: int) -> None:
    kernel = sm.compile_cuda(STEERED, name, DEVICES[architecture])
    assert find_steering(kernel).where is not None


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("name", names(FREE))
def test_kernels_that_only_compute_with_data_are_free(name: str, architecture: int) -> None:
    kernel = sm.compile_cuda(FREE, name, DEVICES[architecture])
    found = find_steering(kernel).where
    assert found is None, found


@pytest.mark.parametrize("name", ["gather", "through_shared"])
def test_the_instruction_is_named(name: str) -> None:
    found = find_steering(sm.compile_cuda(STEERED, name, "rtx4090")).where
    assert found is not None
    assert found.source is not None
    assert found.source.line == line_of(STEERED, f"// {name}: an address")


CALLS = """
extern "C" __global__ void divides(long long* a, long long by, long long n) {
    for (int i = threadIdx.x; i < n; i += 32) a[i / by] = n / (by + i);
}

extern "C" __global__ void root(const float* a, float* out) {
    __shared__ float s[32];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = sqrtf(s[31 - threadIdx.x]) / s[threadIdx.x];
}
"""


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("name", names(CALLS))
def test_returns_lead_behind_calls_only(name: str, architecture: int) -> None:
    kernel = sm.compile_cuda(CALLS, name, DEVICES[architecture])
    following = find_successors(kernel)
    calls = {i.index for i in kernel.instructions if i.opcode == "CALL"}
    returns = [i.index for i in kernel.instructions if i.opcode == "RET"]
    assert returns
    for index in returns:
        assert {place - 1 for place in following[index]} == calls


def test_a_shift_of_two_words_writes_one() -> None:
    source = """extern "C" __global__ void row(const float* a, float* out, int n) {
        out[(size_t)blockIdx.x * n + threadIdx.x] = a[(size_t)blockIdx.x * n + threadIdx.x];
    }"""
    kernel = sm.compile_cuda(source, "row", "h200")
    steps = find_steps(kernel)
    shifts = [i for i in kernel.instructions if i.opcode == "SHF" and i.has("U64")]
    assert shifts
    for i in shifts:
        assert steps[i.index].writes == 1 << i.operands[0].value
