"""Small kernels of which the model's answer is known, and how to run it on them."""

from __future__ import annotations

from functools import cache

import numpy as np

from simulator.emulator.launch import Launch
from simulator.emulator.program import Program, build_program
from simulator.frontends.cuda import compile_cuda
from simulator.timing.fetching import make_code
from simulator.timing.parameters import load_parameters
from simulator.timing.rates import Rates
from simulator.timing.rating import make_rates
from simulator.timing.state import LAST_END, Sm, Streams, make_sm
from simulator.timing.trials import simulate
from simulator.timing.workload import prepare

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
extern "C" __global__ void reduce(float* out, int n, int p) {
    float* at = out + (threadIdx.x & 31) * p;
#pragma unroll 1
    for (int i = 0; i < n; i++) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(1));
}
extern "C" __global__ void copies(float* out, int n, int p) {
    __shared__ __align__(16) unsigned char space[1 << 14];
    unsigned to = (unsigned)__cvta_generic_to_shared(space) + threadIdx.x * 16 + (p & 16);
    for (int i = 0; i < n; i++) {
        const float* from = out + i * 1024 + threadIdx.x * 4;
        asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(to), "l"(from));
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
}
extern "C" __global__ void staged_copies(float* out, int n, int p) {
    __shared__ __align__(16) unsigned char space[1 << 14];
    unsigned to = (unsigned)__cvta_generic_to_shared(space) + threadIdx.x * 16;
    for (int i = 0; i < n; i++) {
        const float* from = out + i * 512 + threadIdx.x * 4;
        asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(to), "l"(from));
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
    }
}
extern "C" __global__ void high_words(float* out, int n, int p) {
    unsigned a = n, b = p + threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 16; k++) asm volatile("mul.hi.u32 %0, %0, %1;" : "+r"(a) : "r"(b));
    out[threadIdx.x] = a;
}
extern "C" __global__ void products(float* out, int n, int p) {
    unsigned d[4] = {0, 0, 0, 0}, a = p, b = n;
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 16; k++)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                         "{%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5},{%0,%1,%2,%3};"
                         : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a), "r"(b));
    out[threadIdx.x] = d[0];
}
extern "C" __global__ void stream(float* out, int n, int p) {
    int step = gridDim.x * blockDim.x;
    float v[8];
    for (int k = 0; k < 8; k++) v[k] = k;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (p & 1)
        for (int k = 0; k < 8; k++) v[k] = out[i + k * step];
    for (int k = 0; k < 8; k++)
        if (p & 2) out[n + i + k * step] = v[k]; else if (v[k] == 12345.0f) out[0] = 1;
}
extern "C" __global__ void sectors(float* out, int n, int p) {
    unsigned off = 0;
    for (int i = 0; i < n; i++) {
        unsigned r;
        const char* from = (const char*)out + i * 32 * p + off;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(r) : "l"(from));
        off = r;
    }
    if (off == 77) out[0] = off;
}
extern "C" __global__ void thirds(float* out, int n, int p) {
    float* at = out + 3 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (p == 3) {
        at[0] = 1; at[1] = 2; at[2] = 3;
    } else {
        at[n] = 1;
    }
}
extern "C" __global__ void written_and_read(float* out, int n, int p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile float* at = out;
    if (p & 1) at[i] = i;
    __syncthreads();
    if (p & 2) if (at[i ^ 32] == 12345.5f) at[n] = 1;
}
extern "C" __global__ void halo(float* out, int n, int p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = out[i];
    if (sum == 12345.5f) out[n] = sum;
    if (threadIdx.x < 3) sum += out[i + blockDim.x];
    for (int k = 0; k < p; k++) sum += out[n + k * 64];
    if (sum == 12345.5f) out[n - 1] = sum;
}
extern "C" __global__ void fences(float* out, int n, int p) {
    volatile float* at = out;
    for (int i = 0; i < n; i++) {
        at[threadIdx.x] = i;
        if (p == 0) __threadfence_block();
        if (p == 1) __threadfence();
        if (p == 2) __threadfence_system();
    }
}
extern "C" __global__ void table(float* out, int n, int p) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += out[(i + p * blockIdx.x) % n * 32 + threadIdx.x % 32];
    if (sum == 12345) out[0] = sum;
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
    floats = np.zeros(max(2 * n, 1 << 14), np.float32)
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


def idle() -> tuple[Sm, Rates]:
    """An SM that has asked for nothing, and its numbers after a flush."""
    rates = make_rates(load_parameters("h200"), 132, True, 64)
    code = make_code(rates.fetch, 0)
    return make_sm(1, 1, 1, 1 << 16, 1, np.full((1, 4), -1, np.int64), code, 2), rates


def two_lines() -> Streams:
    """Streams of nothing but two lines."""
    streams = Streams(*[np.zeros(2, np.int32)] * len(Streams._fields))
    return streams._replace(fetch=np.ones(2, np.float32), put=np.ones(2, np.float32))
