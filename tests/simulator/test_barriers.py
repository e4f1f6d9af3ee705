"""Do block barriers let through what they should, and is a lost one told?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.errors import ReplayError
from tests.simulator.replaying import each_architecture, replay, zeros

SOURCE = """
#define SYNC(id, n) asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory")
#define ARRIVE(id, n) asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory")

extern "C" __global__ void halves(int* out) {
    __shared__ int s[128];
    int t = threadIdx.x, half = t / 64;
    for (int k = 0; k < 3 + 4 * half; ++k) {  // the halves meet a different number of times
        s[t] = t * 100 + k;
        SYNC(1 + half, 64);
        out[t] += s[t ^ 63];
        SYNC(1 + half, 64);
    }
}

extern "C" __global__ void producer(int* out) {
    __shared__ int box[64];
    int t = threadIdx.x;
    if (t < 64) {
        box[t] = 7 * t;
        ARRIVE(3, 128);
    } else {
        SYNC(3, 128);
        out[t - 64] = box[t - 64];
    }
}

extern "C" __global__ void reduced(const int* a, int* out) {
    int t = threadIdx.x, v = a[t];
    out[3 * t] = __syncthreads_count(v & 1);
    out[3 * t + 1] = __syncthreads_and(v < 1000) != 0;
    out[3 * t + 2] = __syncthreads_or(v == 5) != 0;
}

extern "C" __global__ void some_left(int* out) {
    __shared__ int s[96];
    int t = threadIdx.x;
    if (t >= 64) return;
    s[t] = t;
    __syncthreads();
    out[t] = s[63 - t];
}

extern "C" __global__ void stuck(int* out) {
    if (threadIdx.x < 32) SYNC(2, 64);
    out[threadIdx.x] = 1;
}

extern "C" __global__ void apart(int* out) {
    if (threadIdx.x < 32) SYNC(1, 64); else SYNC(2, 64);
    out[threadIdx.x] = 1;
}
"""


@each_architecture
def test_named_barriers_of_half_a_block(architecture: int) -> None:
    run = replay(SOURCE, "halves", [zeros(128)], block=128, architecture=architecture)
    expected = [sum((t ^ 63) * 100 + k for k in range(3 + 4 * (t // 64))) for t in range(128)]
    assert run.outputs[0].tolist() == expected


@each_architecture
def test_arriving_without_waiting(architecture: int) -> None:
    run = replay(SOURCE, "producer", [zeros(64)], block=128, architecture=architecture)
    assert run.outputs[0].tolist() == [7 * t for t in range(64)]


@each_architecture
@pytest.mark.parametrize("threads", [1, 31, 64, 100])
@pytest.mark.parametrize("special", [5, 2000])
def test_reductions_count_threads(architecture: int, threads: int, special: int) -> None:
    a = np.arange(10, 10 + threads, dtype=np.int32)
    a[-1] = special
    args = [a, zeros(3 * threads)]
    run = replay(SOURCE, "reduced", args, block=threads, architecture=architecture)
    expected = [int((a & 1).sum()), int((a < 1000).all()), int((a == 5).any())]
    assert run.outputs[1].reshape(-1, 3).tolist() == [expected] * threads


@each_architecture
def test_warps_that_left_are_not_waited_for(architecture: int) -> None:
    run = replay(SOURCE, "some_left", [zeros(64)], block=96, architecture=architecture)
    assert run.outputs[0].tolist() == list(range(63, -1, -1))


@each_architecture
@pytest.mark.parametrize(("kernel", "waiting"), [("stuck", 1), ("apart", 2)])
def test_deadlock_is_an_error(architecture: int, kernel: str, waiting: int) -> None:
    with pytest.raises(ReplayError, match=rf"{kernel}: block 0 .* {waiting} of 2 warps wait"):
        replay(SOURCE, kernel, [zeros(64)], block=64, architecture=architecture)
