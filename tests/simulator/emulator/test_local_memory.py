"""Local memory: whole rows where all lanes are at one offset, lane by lane elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import simulator as sm
from simulator.global_report import local_traffic
from simulator.results import Run

SOURCE = r"""
// Loads and stores of an array indexed at run time; `spread` sets lanes apart, `width` is 1, 2 or 4
// words, `some` leaves lanes out.
template <class Vector>
__device__ void pass(const int* order, const Vector* in, Vector* out, int spread, int some)
{
    Vector kept[8];
    int thread = threadIdx.x;
    for (int i = 0; i < 8; i++)
        kept[i] = in[thread];
    if (thread % 32 < some)
        for (int i = 0; i < 8; i++)
            kept[order[i]] = in[i * blockDim.x + thread];
    for (int i = 0; i < 8; i++)
        out[i * blockDim.x + thread] = kept[order[(i + spread * thread) & 7]];
}
#define ENTRY(name, type) extern "C" __global__ void name(const int* order, const type* in, \
    type* out, int spread, int some) { pass<type>(order, in, out, spread, some); }
ENTRY(one, float)
ENTRY(two, float2)
ENTRY(four, float4)
extern "C" __global__ void anywhere(float* a, int n)
{
    __shared__ float tile[32];
    float own[16];
    int lane = threadIdx.x;
    tile[31 - lane] = a[lane];
    for (int i = 0; i < 16; i++)
        own[i] = 100.0f + i;
    own[n & 15] += 0.0f;
    __syncthreads();
    const float* where = n & 2 ? a : tile;
    const float* from = lane & 1 ? own + (lane & 15) : where + lane;
    a[lane] = *from + own[lane & 15];
}
extern "C" __global__ void outside(const int* order, float* out)
{
    float kept[64];
    for (int i = 0; i < 64; i++)
        kept[i] = 1.0f;
    kept[order[threadIdx.x / 32]] = 2.0f;
    out[threadIdx.x] = kept[order[1] & 63];
}
"""
ORDER = np.array([5, 0, 3, 7, 1, 6, 2, 4], np.int32)
THREADS = 64
WIDTHS = {"one": 1, "two": 2, "four": 4}


def _replay(entry: str, *args: Any) -> Run:
    kernel = sm.compile_cuda(SOURCE, entry, "h200")
    return sm.replay(kernel, (1,), (THREADS,), args, device="h200", blocks="all")


def _expected(data: NDArray[np.float32], spread: int, some: int) -> NDArray[np.float32]:
    thread = np.arange(THREADS)
    kept = np.repeat(data[:1], 8, axis=0)
    inside = thread % 32 < some
    kept[ORDER, :] = np.where(inside[None, :, None], data, kept)
    rows = [kept[ORDER[(i + spread * thread) & 7], thread] for i in range(8)]
    return np.stack(rows)


@pytest.mark.parametrize("entry", WIDTHS)
@pytest.mark.parametrize("spread", [0, 1])
@pytest.mark.parametrize("some", [32, 11])
def test_values_and_sectors(entry: str, spread: int, some: int) -> None:
    words = WIDTHS[entry]
    data = np.arange(8 * THREADS * words, dtype=np.float32).reshape(8, THREADS, words)
    out = np.zeros_like(data)
    run = _replay(entry, ORDER, data, out, np.int32(spread), np.int32(some))
    np.testing.assert_array_equal(run.outputs[2], _expected(data, spread, some))
    for record in run.instructions:
        if record.local_requests and spread == 0 and some == 32:
            assert record.local_sectors == record.local_requests * 4 * words
            assert record.local_bytes_used == record.local_requests * 128 * words


@pytest.mark.parametrize("device", ["a100_40", "rtx4090", "h200", "b200", "rtx5090"])
def test_pointers_into_any_memory(device: str) -> None:
    """A generic load of which odd lanes go to local memory, the others to shared memory."""
    kernel = sm.compile_cuda(SOURCE, "anywhere", device)
    data = np.arange(32, dtype=np.float32)
    run = sm.replay(kernel, 1, 32, [data, np.int32(1)], device=device)
    lane = np.arange(32)
    expected = np.where(lane % 2, 100 + (lane & 15), lane[::-1]) + 100 + (lane & 15)
    assert run.findings == ()
    np.testing.assert_array_equal(run.outputs[0], expected)
    (load,) = (r for r in run.instructions if r.opcode.startswith("LD.") and r.executed)
    assert (load.shared_requests, load.local_requests, load.global_requests) == (1, 1, 0)
    # word n is that of lanes n and n + 16: in two sectors, one lane in each
    assert (load.local_sectors, load.local_sectors_ideal, load.local_tags) == (16, 2, 8)
    assert load.local_bytes_used_per_sector == 4
    found = {name: counter.value for name, counter in run.counters.items()}
    assert (found["generic_instructions"], found["generic_requests"]) == (1, 2)
    assert (found["generic_sectors"], found["generic_sectors_ideal"]) == (16, 2)
    assert (found["generic_tags"], found["generic_bytes_used"]) == (8, 64)
    assert [row.operation for row in local_traffic(run)][-1] == "local generic load"


def test_all_lanes_outside_at_once_are_found() -> None:
    order = np.array([1 << 20, 3], np.int32)
    run = _replay("outside", order, np.zeros(THREADS, np.float32))
    assert len(run.findings) == 1
    assert run.findings[0].count == 32
