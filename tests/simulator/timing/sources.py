"""Small kernels of which the model's answer is known, and how to run it on them."""

from __future__ import annotations

from functools import cache

import numpy as np

from simulator.emulator.launch import Launch
from simulator.emulator.program import Program, build_program
from simulator.frontends.cuda import compile_cuda
from simulator.timing.parameters import load_parameters
from simulator.timing.predict import prepare, simulate
from simulator.timing.state import LAST_END, Sm

SOURCE = """
extern "C" __global__ void chain(float* out, int n, int p) {
    float a = out[0], b = out[1];
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < 64; k++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(b));
    }
    out[threadIdx.x] = a;
}
extern "C" __global__ void shared_loads(float* out, int n, int p) {
    __shared__ float s[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = i;
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(s) + (threadIdx.x & 31) * 4 * p;
    float v[8];
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v[k]) : "r"(at));
    }
    float t = 0;
    for (int k = 0; k < 8; k++) t += v[k];
    out[threadIdx.x] = t;
}
extern "C" __global__ void barriers(float* out, int n, int p) {
#pragma unroll 1
    for (int i = 0; i < n; i++) asm volatile("bar.sync 0;");
    out[threadIdx.x] = n;
}
extern "C" __global__ void special(float* out, int n, int p) {
    float a = out[0];
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < 16; k++) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(a));
    }
    out[threadIdx.x] = a;
}
extern "C" __global__ void copy(float* out, int n, int p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[n + i] = out[i * p % n];
}
"""


@cache
def program(entry: str) -> Program:
    """A kernel of ``SOURCE``, made executable for the H200."""
    return build_program(compile_cuda(SOURCE, entry, "h200"))


def run_model(
    entry: str, n: int, p: int = 1, grid: int = 1, threads: int = 32, state: str = "warm"
) -> Sm:
    """The SM after the blocks of a launch."""
    floats = np.zeros(max(2 * n, 1 << 12), np.float32)
    arguments = [floats, np.int32(n), np.int32(p)]
    launch = Launch(program(entry), (grid, 1, 1), (threads, 1, 1), 0, arguments)
    parameters = load_parameters("h200")
    return simulate(parameters, prepare(parameters, launch), state)


def cycles(entry: str, n: int, **options: int) -> int:
    """Cycles of a launch with warm caches."""
    return int(run_model(entry, n, **options).clock[LAST_END])


def cycles_a_trip(entry: str, few: int, many: int, **options: int) -> float:
    """Cycles that one more trip of the kernel's loop takes."""
    return (cycles(entry, many, **options) - cycles(entry, few, **options)) / (many - few)
