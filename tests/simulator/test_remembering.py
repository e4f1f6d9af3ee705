"""Analyses of kernels are kept on disk, and done again where anything they hang on is another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import simulator as sm
from simulator.detours import find_steering
from simulator.isa.kernel import Kernel
from simulator.places import find_telling
from simulator.remembering import remembered
from simulator.slicing import dispensable
from simulator.toolchain.cache import CACHE_VARIABLE

SOURCE = """
extern "C" __global__ void steps(const float* in, float* out) {
    int i = blockIdx.x * 32 + threadIdx.x;
    float sum = in[i];
#pragma unroll
    for (int k = 1; k < 20; ++k) sum = sum * in[i] + 0.1f * k;
    if (blockIdx.x == 7) out[i] = sum;
}

extern "C" __global__ void divides(const float* in, float* out) {
    out[threadIdx.x] = in[threadIdx.x] / in[threadIdx.x + 32];
}

extern "C" __global__ void looks_up(const int* place, float* out) {
    out[place[threadIdx.x]] = 1.0f;
}
"""
calls: list[tuple[int, int]] = []


@remembered(lambda found: [found], lambda _, plain: int(plain[0]))
def _longer(kernel: Kernel, by: int = 0) -> int:
    calls.append((len(kernel.instructions), by))
    return len(kernel.instructions) + by


@pytest.fixture
def kernel() -> Kernel:
    return sm.compile_cuda(SOURCE, entry="steps", device="h200")


@pytest.fixture(autouse=True)
def cache(kernel: Kernel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    calls.clear()
    return tmp_path


def test_an_analysis_is_done_once(kernel: Kernel) -> None:
    assert _longer(kernel) == _longer(kernel) == len(kernel.instructions)
    assert len(calls) == 1


def test_another_question_or_kernel_is_analysed(kernel: Kernel) -> None:
    shorter = replace(kernel, instructions=kernel.instructions[:-1])
    other = replace(kernel, program_hash="another")
    for asked, by in ((kernel, 0), (kernel, 1), (shorter, 1), (other, 1)):
        assert _longer(asked, by) == len(asked.instructions) + by
    assert len(calls) == 4


def test_a_kernel_without_a_hash_is_not_remembered(kernel: Kernel, cache: Path) -> None:
    bare = replace(kernel, program_hash="")
    assert _longer(bare) == _longer(bare) == len(kernel.instructions)
    assert len(calls) == 2
    assert not list(cache.rglob("*"))


def test_what_is_kept_is_what_was_found(kernel: Kernel, cache: Path) -> None:
    """For each analysis: from the code itself, the first time, and from the disk."""
    bare = replace(kernel, program_hash="")
    for analyse in (find_steering, find_telling, dispensable):
        found = analyse(bare)
        assert analyse(kernel) == analyse(replace(kernel)) == found
    assert find_telling(bare).comparisons
    assert dispensable(bare)
    kept = [path for path in cache.rglob("*") if path.is_file()]
    assert len(kept) == 3


def test_sets_are_kept() -> None:
    kernel = sm.compile_cuda(SOURCE, entry="divides", device="h200")
    first, second = find_steering(kernel), find_steering(kernel)
    assert first == second
    assert first.detours


def test_an_instruction_that_was_found_is_one_of_the_kernel() -> None:
    kernel = sm.compile_cuda(SOURCE, entry="looks_up", device="h200")
    first, second = find_steering(kernel).where, find_steering(kernel).where
    assert first is not None
    assert first is second
    assert first.opcode.startswith("ST")
