"""Do lanes that part do what they should, and come back together where the machine code says?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.results import Run
from tests.simulator.replaying import each_architecture, only, replay, zeros

SOURCE = """
extern "C" __global__ void nested(int* out) {
    int t = threadIdx.x, r = 0;
    if (t & 1) {
        if (t & 2) { if (t & 4) r = out[t] + 1; else r = out[t] * 2; }
        else { for (int k = 0; k < (t & 12); ++k) r = r * 3 + out[k]; }
    } else if (t & 8) {
        r = out[t ^ 1] - 5;
    }
    __syncwarp();
    out[64 + t] = r;
}

extern "C" __global__ void trips(const int* n, int* out) {
    int r = 0;
    for (int k = 0; k < n[threadIdx.x]; ++k) r = r * 5 + k;
    out[threadIdx.x] = r;
}

extern "C" __global__ void early(int* out, int n) {
    int t = threadIdx.x;
    if (t % 3 == 0) return;
    out[t] = t;
    if (t >= n) return;
    out[t] += 100;
}

extern "C" __global__ void breaks(const int* a, int* out) {
    int t = threadIdx.x, r = 0;
    for (int i = 0; i < 8; ++i) {
        for (int j = 0; j < 8; ++j) {
            int v = a[(t + 3 * i + 5 * j) & 63];
            if (v == 7) break;
            if (v & 1) continue;
            if (v == 40) { r += 1000; goto done; }
            r += v;
        }
        if (r > 300) break;
    }
done:
    out[t] = r;
}

extern "C" __global__ void handover(int* out) {
    __shared__ volatile int box[64];
    int t = threadIdx.x, lane = t & 31;
    for (int k = 0; k < 4; ++k) {
        if (lane < 16) box[t] = t * 10 + k;
        __syncwarp();
        if (lane >= 16) out[t] += box[t - 16];
        __syncwarp();
    }
}

extern "C" __global__ void lock(int* out) {
    __shared__ int taken;
    if (threadIdx.x == 0) taken = 0;
    __syncthreads();
    bool done = false;
    while (!done) {
        if (atomicCAS(&taken, 0, 1) == 0) {
            out[0] = out[0] * 3 % 1000003 + 1;
            __threadfence_block();
            atomicExch(&taken, 0);
            done = true;
        }
    }
}

__device__ __noinline__ int deep(int n) { return n <= 0 ? 1 : deep(n - 1) * 3 + n; }
extern "C" __global__ void calls(int* out) {
    int t = threadIdx.x;
    if (t & 1) out[t] = deep(t & 7); else out[t] = deep((t & 15) + 5);
}

extern "C" __global__ void both_sides(int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    if (t & 32) __syncthreads(); else __syncthreads();
    out[t] = s[63 - t];
}
"""


def check_counts(run: Run) -> None:
    """What holds of the counts of any launch without findings."""
    assert run.findings == ()
    for i in run.instructions:
        assert i.executed <= i.thread_executed <= 32 * i.executed
        assert 0 <= i.thread_executed_predicated_on <= i.thread_executed


@each_architecture
def test_nested_branches(architecture: int) -> None:
    data = np.arange(128, dtype=np.int32)
    run = replay(SOURCE, "nested", [data], block=64, architecture=architecture)
    expected = []
    for t in range(64):
        r = 0
        if t & 1:
            if t & 2:
                r = t + 1 if t & 4 else t * 2
            else:
                for k in range(t & 12):
                    r = r * 3 + k
        elif t & 8:
            r = (t ^ 1) - 5
        expected.append(r)
    assert run.outputs[0][64:].tolist() == expected
    check_counts(run)
    assert (only(run, "STG").executed, only(run, "STG").thread_executed) == (2, 64)


@each_architecture
def test_loops_of_different_length_meet_again(architecture: int) -> None:
    n = np.random.default_rng(1).integers(0, 40, 64).astype(np.int32)
    run = replay(SOURCE, "trips", [n, zeros(64)], block=64, architecture=architecture)
    expected = zeros(64)
    for t, count in enumerate(n):
        for k in range(count):
            with np.errstate(over="ignore"):
                expected[t] = expected[t] * np.int32(5) + np.int32(k)
    assert run.outputs[1].tolist() == expected.tolist()
    check_counts(run)
    assert (only(run, "STG").executed, only(run, "STG").thread_executed) == (2, 64)


@each_architecture
def test_early_return(architecture: int) -> None:
    run = replay(SOURCE, "early", [zeros(50), np.int32(20)], block=50, architecture=architecture)
    t = np.arange(50)
    assert run.outputs[0].tolist() == np.where(t % 3 == 0, 0, t + 100 * (t < 20)).tolist()
    check_counts(run)
    stores = [i for i in run.instructions if i.opcode.startswith("STG")]
    on = [i.thread_executed_predicated_on for i in stores]
    assert on == [int((t % 3 != 0).sum()), int(((t % 3 != 0) & (t < 20)).sum())]


@each_architecture
def test_break_continue_and_goto(architecture: int) -> None:
    a = np.random.default_rng(2).integers(0, 50, 64).astype(np.int32)
    a[[3, 30, 50]] = 7, 40, 40
    run = replay(SOURCE, "breaks", [a, zeros(64)], block=64, architecture=architecture)
    assert run.outputs[1].tolist() == [walk(a, t) for t in range(64)]
    check_counts(run)


def walk(a: np.ndarray, t: int) -> int:  # type: ignore[type-arg]
    r = 0
    for i in range(8):
        for j in range(8):
            v = int(a[(t + 3 * i + 5 * j) & 63])
            if v == 7:
                break
            if v & 1:
                continue
            if v == 40:
                return r + 1000
            r += v
        if r > 300:
            break
    return r


@each_architecture
def test_syncwarp_hands_over(architecture: int) -> None:
    run = replay(SOURCE, "handover", [zeros(64)], block=64, architecture=architecture)
    t = np.arange(64)
    expected = np.where(t % 32 >= 16, 40 * (t - 16) + 6, 0)
    assert run.outputs[0].tolist() == expected.tolist()


@each_architecture
@pytest.mark.parametrize("threads", [32, 70])
def test_lanes_that_wait_for_each_other_get_on(architecture: int, threads: int) -> None:
    run = replay(SOURCE, "lock", [zeros(1)], block=threads, architecture=architecture)
    expected = 0
    for _ in range(threads):
        expected = expected * 3 % 1000003 + 1
    assert run.outputs[0].tolist() == [expected]


@each_architecture
def test_recursion_in_both_branches(architecture: int) -> None:
    def deep(n: int) -> int:
        return 1 if n <= 0 else deep(n - 1) * 3 + n

    run = replay(SOURCE, "calls", [zeros(48)], block=48, architecture=architecture)
    expected = [deep(t & 7) if t & 1 else deep((t & 15) + 5) for t in range(48)]
    assert run.outputs[0].tolist() == expected
    check_counts(run)


@each_architecture
def test_warps_meet_at_two_places(architecture: int) -> None:
    run = replay(SOURCE, "both_sides", [zeros(64)], block=64, architecture=architecture)
    assert run.outputs[0].tolist() == list(range(63, -1, -1))
