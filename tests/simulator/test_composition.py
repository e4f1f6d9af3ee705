"""Does a sample give what all blocks give, and is it refused where it would not?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simulator as sm
from simulator import coverage
from simulator.results import COUNT_FIELDS, Run, Status
from simulator.slicing import dispensable
from tests.simulator.replaying import replay, zeros

SOURCE = """
extern "C" __global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float as[16][16], bs[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < k; t += 16) {
        int x = t + threadIdx.x, y = t + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : 0.0f;
        bs[threadIdx.y][threadIdx.x] = y < k && column < n ? b[y * n + column] : 0.0f;
        __syncthreads();
        for (int j = 0; j < 16; ++j) sum += as[threadIdx.y][j] * bs[j][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

extern "C" __global__ void uneven(float* out, int n) {  // work grows with the block
    float sum = 0.0f;
    for (int k = 0; k < (int)(blockIdx.x * blockIdx.x); ++k) sum = sum * 0.5f + k;
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}

extern "C" __global__ void drift(float* out) {  // the lines of a block drift with its index
    out[blockIdx.x * 33 + threadIdx.x] = 1.0f;
}

extern "C" __global__ void gather(const int* index, float* out) {
    int i = blockIdx.x * 32 + threadIdx.x;
    out[index[i]] = 1.0f;
}

extern "C" __global__ void grows(float* out) {  // adds to its own buffer, more in later blocks
    int i = blockIdx.x * 32 + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < (int)(blockIdx.x * blockIdx.x); ++k) {
#pragma unroll
        for (int j = 0; j < 32; ++j) sum = sum * 0.5f + 0.25f * j;
    }
    out[i] += sum;
}
"""


@pytest.fixture(autouse=True)
def _no_launch_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "SMALL_LAUNCH", 0)


def counts(run: Run) -> list[tuple[int, ...]]:
    return [tuple(getattr(i, name) for name in COUNT_FIELDS) for i in run.instructions]


def exact_totals(run: Run) -> dict[str, float]:
    return {name: c.value for name, c in run.counters.items() if c.status is Status.EXACT}


@pytest.mark.parametrize(
    ("m", "n", "k"), [(160, 160, 32), (145, 171, 33), (130, 300, 17), (16, 640, 20), (700, 1, 5)]
)
def test_sample_equals_all(m: int, n: int, k: int) -> None:
    random = np.random.default_rng(1)
    a, b = random.random((m, k), np.float32), random.random((k, n), np.float32)
    args = [a, b, zeros(m, n, dtype=np.float32), np.int32(m), np.int32(n), np.int32(k)]
    shape: dict[str, Any] = {"grid": (-(-n // 16), -(-m // 16)), "block": (16, 16)}
    sampled = replay(SOURCE, "product", args, blocks="auto", **shape)
    whole = replay(SOURCE, "product", args, blocks="all", **shape)
    assert sampled.sampling.argument == "checked"
    assert sampled.sampling.blocks_replayed < sampled.sampling.blocks_total
    assert counts(sampled) == counts(whole)
    assert exact_totals(sampled) == exact_totals(whole)
    assert len(exact_totals(sampled)) > 10
    bounded = "global_output_wavefronts"  # follows the address bits of every single block
    assert sampled.counters[bounded].value == pytest.approx(whole.counters[bounded].value, rel=0.05)
    assert sampled.outputs == {}
    np.testing.assert_allclose(whole.outputs[2], a @ b, rtol=1e-4)


@pytest.mark.parametrize(
    ("kernel", "args", "reason"),
    [
        ("uneven", [zeros(3200, dtype=np.float32), np.int32(0)], "differ in their counts"),
        ("drift", [zeros(3300, dtype=np.float32)], "too few blocks lie alike in 128-byte lines"),
        ("gather", [np.arange(3200)[::-1].astype(np.int32), zeros(3200)], "loaded data steers"),
    ],
)
def test_launches_without_a_sample_are_replayed_whole(
    kernel: str, args: list[Any], reason: str
) -> None:
    run = replay(SOURCE, kernel, args, grid=100, blocks="auto")
    assert run.sampling.argument == "all blocks"
    assert run.sampling.blocks_replayed == 100
    assert reason in run.sampling.reason
    assert counts(run) == counts(replay(SOURCE, kernel, args, grid=100, blocks="all"))
    assert run.counters["executed"].status is Status.EXACT


def test_a_sample_that_does_not_hold_leaves_no_trace_in_the_outputs() -> None:
    kernel = sm.compile_cuda(SOURCE, "grows", "rtx4090")
    assert dispensable(kernel)  # a sample's blocks store something else
    start = np.random.default_rng(2).random(3200, np.float32)
    run = replay(SOURCE, "grows", [start], grid=100, blocks="auto")
    whole = replay(SOURCE, "grows", [start], grid=100, blocks="all")
    assert "differ in their counts" in run.sampling.reason
    np.testing.assert_array_equal(run.outputs[0], whole.outputs[0])
    assert (run.outputs[0][32:] > start[32:]).all()


def test_sample_knows_how_blocks_drift_through_lines() -> None:
    args = [zeros(33 * 300, dtype=np.float32)]
    sampled = replay(SOURCE, "drift", args, grid=300, blocks="auto")
    assert sampled.sampling.argument == "checked"
    whole = replay(SOURCE, "drift", args, grid=300, blocks="all")
    assert counts(sampled) == counts(whole)
    sectors = sum(-(-(33 * b % 8 + 32) // 8) for b in range(300))
    assert sum(i.global_sectors for i in sampled.instructions) == sectors


def test_findings_of_a_launch_in_parts_are_those_of_the_whole() -> None:
    args = [zeros(2000, dtype=np.float32)]
    parts = replay(SOURCE, "drift", args, grid=100, blocks="auto")
    whole = replay(SOURCE, "drift", args, grid=100, blocks="all")
    assert parts.findings == whole.findings
    assert len(whole.findings) == 1
    assert whole.findings[0].count == sum(max(0, 33 * b + t >= 2000) for b in range(100)
                                          for t in range(32))  # fmt: skip
    np.testing.assert_array_equal(parts.outputs[0], whole.outputs[0])


def test_a_number_of_blocks_is_an_estimate() -> None:
    args = [zeros(3200, dtype=np.float32), np.int32(0)]
    run = replay(SOURCE, "uneven", args, grid=100, blocks=10)
    assert (run.sampling.argument, run.sampling.blocks_replayed) == ("sampled", 10)
    assert run.counters["executed"].status is Status.BOUNDED
    assert run.instructions[0].executed == 100
    assert replay(SOURCE, "uneven", args, grid=100, blocks=200).sampling.argument == "all blocks"


def test_replay_is_reproducible() -> None:
    args = [np.arange(3200).astype(np.int32), zeros(3200, dtype=np.float32)]
    first, second = (replay(SOURCE, "gather", args, grid=100, blocks="auto") for _ in "ab")
    assert counts(first) == counts(second)
    assert first.examples == second.examples
