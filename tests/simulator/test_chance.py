"""Are counts that hang on the order of warps called bounded, and only those?"""

from __future__ import annotations

import numpy as np
import pytest

import simulator as sm
from simulator.chance import follows_order
from simulator.status import Status
from tests.simulator.replaying import ARCHITECTURES, DEVICES

STEERED = """
extern "C" __global__ void spins(const float* a, float* out) {
    __shared__ float sum[4];
    if (threadIdx.x < 4) sum[threadIdx.x] = 0.0f;
    __syncthreads();
    atomicAdd(&sum[threadIdx.x % 4], a[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x < 4) out[threadIdx.x] = sum[threadIdx.x];
}

extern "C" __global__ void swaps(unsigned* out, const unsigned* a) {
    unsigned old = *out, seen;
    while ((seen = atomicCAS(out, old, old * 3 + a[threadIdx.x])) != old) old = seen;
}

extern "C" __global__ void takes_a_place(int* count, const int* a, int* out) {
    if (a[threadIdx.x] > 50) out[atomicAdd(count, 1)] = threadIdx.x;
}

extern "C" __global__ void is_the_last(unsigned* count, const float* a, float* out) {
    __shared__ bool last;
    if (threadIdx.x == 0) last = atomicInc(count, gridDim.x) == gridDim.x - 1;
    __syncthreads();
    if (last) out[threadIdx.x] = a[threadIdx.x];
}
"""

FREE = """
extern "C" __global__ void counts(const unsigned* a, unsigned* out) {
    __shared__ unsigned bins[64];
    bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[a[threadIdx.x] % 64], 1u);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

extern "C" __global__ void keeps(unsigned* count, unsigned* out) {
    out[threadIdx.x] = atomicAdd(count, threadIdx.x);
}

extern "C" __global__ void follows_data(const int* index, const float* a, float* out) {
    out[threadIdx.x] = a[index[threadIdx.x]];
}
"""


def names(text: str) -> list[str]:
    return [line.split("void ")[1].split("(")[0] for line in text.splitlines() if "void " in line]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("name", names(STEERED))
def test_what_an_atomic_finds_steers(name: str, architecture: int) -> None:
    assert follows_order(sm.compile_cuda(STEERED, name, DEVICES[architecture]), 2, 64)


@pytest.mark.parametrize("name", names(FREE))
def test_atomics_that_steer_nothing(name: str) -> None:
    assert follows_order(sm.compile_cuda(FREE, name, "h200"), 2, 64) is None


def test_one_warp_has_no_rivals() -> None:
    spins, swaps = (sm.compile_cuda(STEERED, name, "h200") for name in ("spins", "swaps"))
    assert follows_order(spins, 9, 32) is None
    assert follows_order(spins, 1, 33)
    assert follows_order(swaps, 1, 32) is None
    assert follows_order(swaps, 2, 32)


@pytest.mark.parametrize(("threads", "status"), [(32, Status.EXACT), (64, Status.BOUNDED)])
def test_counters_of_a_launch_say_so(threads: int, status: Status) -> None:
    kernel = sm.compile_cuda(STEERED, "spins", "h200")
    arguments = [np.ones(64, np.float32), np.zeros(4, np.float32)]
    run = sm.replay(kernel, (3,), (threads,), arguments, 0, "h200")
    assert run.counters["executed"].status is status
    assert ("ATOMS" in run.sampling.chance or "BRA" in run.sampling.chance) == (threads > 32)
