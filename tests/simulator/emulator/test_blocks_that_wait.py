"""Blocks that wait for each other: barriers of the grid, chains of flags, and those without end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import simulator as sm
from simulator.errors import ReplayError
from simulator.results import Run
from simulator.status import Status

SOURCE = r"""
// Every thread adds to what another block's thread has written before the barrier.
extern "C" __global__ void rounds(unsigned* count, volatile float* data, int rounds)
{
    int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 1; r <= rounds; r++) {
        float other = data[(i + 37 * r) % n + (r - 1) % 2 * n];
        data[i + r % 2 * n] = other + 1.0f;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(count, 1);
            while (*(volatile unsigned*)count < r * gridDim.x)
                ;
        }
        __syncthreads();
    }
}
// Blocks sum what those of lower (or, backwards, of higher) index have summed.
extern "C" __global__ void chain(const int* in, int* out, volatile int* flag, volatile int* sum,
                                 int backwards)
{
    int place = backwards ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    __shared__ int total;
    if (threadIdx.x == 0) {
        int own = in[place];
        if (place > 0) {
            while (flag[place - 1] == 0)
                ;
            own += sum[place - 1];
        }
        sum[place] = own;
        __threadfence();
        flag[place] = 1;
        total = own;
    }
    __syncthreads();
    out[place * blockDim.x + threadIdx.x] = total;
}
extern "C" __global__ void never(volatile int* flag)
{
    while (flag[0] == 0)  // WAITS
        ;
    flag[1] = 1;
}
extern "C" __global__ void busy(float* out, int turns)
{
    float sum = 0.0f;
#pragma unroll 1
    for (int i = 0; i < turns; i++)
        sum = sum * 0.5f + i;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
"""


def _replay(entry: str, blocks: int, threads: int, *args: Any, **options: Any) -> Run:
    kernel = sm.compile_cuda(SOURCE, entry, "h200")
    return sm.replay(kernel, (blocks,), (threads,), args, device="h200", **options)


def _after_rounds(data: NDArray[np.float32], rounds: int) -> NDArray[np.float32]:
    n = len(data) // 2
    data, i = data.copy(), np.arange(n)
    for r in range(1, rounds + 1):
        data[i + r % 2 * n] = data[(i + 37 * r) % n + (r - 1) % 2 * n] + 1
    return data


@pytest.mark.parametrize("caches", [False, True])
def test_a_barrier_of_the_grid(caches: bool) -> None:
    data = np.arange(2 * 12 * 64, dtype=np.float32)
    run = _replay("rounds", 12, 64, np.zeros(1, np.uint32), data, np.int32(4), caches=caches)
    np.testing.assert_array_equal(run.outputs[1], _after_rounds(data, 4))
    assert run.outputs[0][0] == 4 * 12
    for record in run.instructions:
        if record.opcode.startswith(("STG", "ATOMG")):
            assert record.executed == 4 * 12 * (2 if record.opcode.startswith("STG") else 1)


@pytest.mark.parametrize("backwards", [0, 1])
def test_a_chain_of_flags(backwards: int) -> None:
    blocks = 30
    values = np.arange(1, blocks + 1, dtype=np.int32)
    nothing = np.zeros(blocks, np.int32)
    run = _replay(
        "chain", blocks, 32, values, np.zeros(blocks * 32, np.int32), nothing, nothing,
        np.int32(backwards),
    )  # fmt: skip
    expected = np.repeat(np.cumsum(values), 32)
    np.testing.assert_array_equal(run.outputs[1], expected)


def test_a_flag_that_nobody_sets_ends_in_an_error() -> None:
    line = SOURCE.splitlines().index("    while (flag[0] == 0)  // WAITS") + 1
    with pytest.raises(ReplayError, match=f"block 0 waits for ever at .*:{line} ") as caught:
        _replay("never", 3, 64, np.zeros(2, np.int32))
    assert "no block that was replayed writes it" in str(caught.value)


def test_a_barrier_of_a_grid_too_large_says_how_many_blocks_fit() -> None:
    threads, fit = 1024, 2 * 132
    data = np.zeros(2 * (fit + 3) * threads, np.float32)
    with pytest.raises(ReplayError, match=f"launch {fit} at most"):
        _replay("rounds", fit + 3, threads, np.zeros(1, np.uint32), data, np.int32(1))


def test_long_loops_are_not_taken_for_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    from simulator.emulator import turns

    monkeypatch.setattr(turns.Turns, "_go_round", None)  # nothing is set aside
    run = _replay("busy", 2, 32, np.zeros(64, np.float32), np.int32(300_000))
    assert len(set(run.outputs[0].tolist())) == 1


def test_counts_of_loops_that_wait_are_bounded() -> None:
    zeros = [np.zeros(n, np.int32) for n in (256, 8, 8)]
    chain = [np.arange(8, dtype=np.int32), *zeros, np.int32(1)]
    busy = [np.zeros(256, np.float32), np.int32(100)]
    for name, arguments, status in (
        ("chain", chain, Status.BOUNDED), ("busy", busy, Status.EXACT)
    ):  # fmt: skip
        run = _replay(name, 8, 32, *arguments)
        assert run.counters["executed"].status is status
