"""Are the subroutines of quick arithmetic told from ways that data really steer?"""

from __future__ import annotations

import numpy as np
import pytest

import simulator as sm
from simulator import coverage
from simulator.detours import find_steering
from simulator.results import COUNT_FIELDS, Run, Status
from tests.simulator.replaying import ARCHITECTURES, DEVICES, replay

DETOURS = """
extern "C" __global__ void divides(const float* a, const float* b, float* out) {
    int i = blockIdx.x * 32 + threadIdx.x;
    out[i] = a[i] / b[i];
}

extern "C" __global__ void divides_often(const float* a, const float* b, float* out) {
    int i = blockIdx.x * 32 + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 5; ++k) sum += sqrtf(a[i + k]) / (1.0f + b[i] / a[i]);
    out[i] = sum;
}

extern "C" __global__ void divides_doubles(const double* a, const double* b, double* out) {
    int i = blockIdx.x * 32 + threadIdx.x;
    out[i] = a[i] / b[i] + sqrt(a[i]);
}
"""
STEERS = """
extern "C" __global__ void quotient_is_index(const float* a, const float* b, float* out) {
    int i = blockIdx.x * 32 + threadIdx.x;
    out[(int)(a[i] / b[i]) & 31] = 1.0f;
}

extern "C" __global__ void quotient_is_guard(const float* a, const float* b, float* out) {
    int i = blockIdx.x * 32 + threadIdx.x;
    if (a[i] / b[i] > 2.0f) out[i] = 1.0f;
}

extern "C" __global__ void way_steers(const float* a, const float* b, float* out) {
    int i = blockIdx.x * 32 + threadIdx.x, k = 0;
    if (a[i] > 0.5f) for (k = 1; __fdividef(k, b[i]) < 9.0f; k *= 3) {}
    out[i + 32 * k] = a[i] / b[i];
}

__device__ __noinline__ float helper(float x, float* out) { out[1] = x; return x * x; }

extern "C" __global__ void subroutine_stores(const float* a, const float* b, float* out) {
    int i = blockIdx.x * 32 + threadIdx.x;
    float x = a[i];
    if (x > 0.5f) x = helper(x, out);
    out[i] = x;
}
"""
BLOCKS = 300
ROUND = """
__device__ __noinline__ float power(float x) {
    for (int k = 0; k < 7; ++k) x = x * x + 1.0f;
    return x;
}

extern "C" __global__ void what_is_gone_round_steers(const float* a, float* out, int n) {
    int i = blockIdx.x * 32 + threadIdx.x, k = n;
    float x = a[i];
    if (x > 0.5f) x = power(x);
    else { for (int j = 0; j < n; ++j) k = k * 3 + j; }
    out[i + 32 * k] = x;
}
"""


def names(text: str) -> list[str]:
    return [line.split("__global__ void ")[1].split("(")[0] for line in text.splitlines()
            if "__global__" in line]  # fmt: skip


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("name", names(DETOURS))
def test_extreme_operands_steer_nothing(name: str, architecture: int) -> None:
    kernel = sm.compile_cuda(DETOURS, name, DEVICES[architecture])
    found = find_steering(kernel)
    assert found.where is None
    assert {i.index for i in kernel.instructions if i.opcode in ("CALL", "RET")} <= found.detours
    assert not any(kernel.instructions[index].access for index in found.detours)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("name", names(STEERS))
def test_what_data_steer_is_no_detour(name: str, architecture: int) -> None:
    found = find_steering(sm.compile_cuda(STEERS, name, DEVICES[architecture]))
    assert found.where is not None
    assert not found.detours


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_what_a_detour_goes_round_counts_as_loaded(architecture: int) -> None:
    kernel = sm.compile_cuda(ROUND, "what_is_gone_round_steers", DEVICES[architecture])
    assert find_steering(kernel).where is not None


def _run(monkeypatch: pytest.MonkeyPatch, a: np.ndarray, blocks: str = "auto") -> Run:
    monkeypatch.setattr(coverage, "SMALL_LAUNCH", 0)
    monkeypatch.setattr(coverage, "MEDIUM_LAUNCH", 0)
    b = np.ones_like(a)
    return replay(DETOURS, "divides", [a, b, np.zeros_like(a)], grid=BLOCKS, blocks=blocks)


def _counts(run: Run) -> list[tuple[int, ...]]:
    return [tuple(getattr(i, name) for name in COUNT_FIELDS) for i in run.instructions]


def test_a_sample_without_extreme_operands_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    a = np.random.default_rng(1).random(32 * BLOCKS, np.float32) + 1
    run, whole = _run(monkeypatch, a), _run(monkeypatch, a, "all")
    assert run.sampling.blocks_replayed < BLOCKS
    assert run.counters["executed"].status is Status.BOUNDED
    assert "divisions" in run.sampling.chance
    assert whole.counters["executed"].status is Status.EXACT
    assert _counts(run) == _counts(whole)


def test_blocks_with_extreme_operands_are_all_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    a = np.random.default_rng(1).random(32 * BLOCKS, np.float32) + 1
    a[:: 32 * 5] = 1e-44  # in every fifth block
    run = _run(monkeypatch, a)
    assert run.sampling.blocks_replayed == BLOCKS
    assert "extreme" in run.sampling.reason
    assert run.counters["executed"].status is Status.EXACT


def test_small_launches_are_counted_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    a = np.ones(32 * BLOCKS, np.float32)
    run = replay(DETOURS, "divides", [a, a, np.zeros_like(a)], grid=BLOCKS, blocks="auto")
    assert (run.sampling.blocks_replayed, run.counters["executed"].status) == (BLOCKS, Status.EXACT)
