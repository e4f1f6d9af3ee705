"""Do roofs follow from counts and facts, and does no measured launch beat one?"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import simulator as sm
from simulator.device import device_names, load_device
from simulator.launching import open_catalogue, replay_target
from simulator.results import Counter, Status
from simulator.roofline import find_roofline, fullest_share
from tests.simulator.runs import make_run, record
from validation.records import Record, load_record, record_paths

ADA = load_device("rtx4090")


def test_roofs_of_a_small_run() -> None:
    """One block: one SM does all the work."""
    found = find_roofline(make_run())
    cycles = {roof.name: roof.cycles for roof in found.roofs}
    executed = 7 * 16 + 8
    assert cycles["issue"] == executed / 4
    assert cycles["FP32"] == 2 * 16 * 32 / 128
    assert cycles["LSU"] == pytest.approx((4 * 16 + 8) * 2)
    assert cycles["shared"] == 176
    assert cycles["L2"] is None
    assert found.binding is not None
    assert found.binding.name == "shared"
    assert found.ranked[1].name == "LSU"


def test_packed_operations_give_two_results() -> None:
    rows = (
        record(0, "FFMA R1, R2, R3, R4", 1, 4),
        record(1, "FFMA2 R4, R8, R12, R4", 1, 4),
        record(2, "HFMA2 R1, R2, R3, R4", 1, 4),
    )
    amounts = {roof.name: roof.amount for roof in find_roofline(make_run(instructions=rows)).roofs}
    assert (amounts["FP32"], amounts["FP16"]) == (3 * 4 * 32, 2 * 4 * 32)


def test_the_fullest_sm_takes_longest() -> None:
    assert fullest_share(make_run(grid=(64, 1, 1)), ADA) == 1 / 64
    assert fullest_share(make_run(grid=(129, 1, 1)), ADA) == 2 / 129
    few = find_roofline(make_run(grid=(64, 1, 1)))
    assert few.roofs[0].cycles == pytest.approx((7 * 16 + 8) / 4 / 64)


def test_peak_share_is_that_of_the_whole_gpu() -> None:
    found = find_roofline(make_run())
    assert found.binding is not None
    share = 16 * 32 * 3 / 176 / (2 * 128 * 128)
    assert found.peak_share(found.binding) == pytest.approx(share)


def test_dram_roof_uses_measured_bandwidth_and_clock() -> None:
    counters = {
        name: Counter(1e9, "bytes", Status.BOUNDED)
        for name in ("dram_read_bytes", "dram_write_bytes")
    }
    found = find_roofline(make_run(counters={**make_run().counters, **counters}))
    roof = next(roof for roof in found.roofs if roof.name == "DRAM")
    assert roof.cycles == pytest.approx(2e9 / 937.9e9 * 2.52e9)
    assert (roof.status, found.binding) == (Status.BOUNDED, roof)


@pytest.mark.parametrize("name", device_names())
def test_every_device_has_the_roofs_inside_its_sms(name: str) -> None:
    found = find_roofline(make_run(device=name))
    known = {roof.name for roof in found.roofs if roof.cycles is not None}
    assert {"issue", "FP32", "shared"} <= known
    assert all(roof.origin for roof in found.roofs if roof.cycles is not None)


CLEAR = """
extern "C" __global__ void copies(const float4* in, float4* out) {
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = in[i];
}
extern "C" __global__ void multiplies(float* out, float x) {
    float r[8];
    #pragma unroll
    for (int i = 0; i < 8; ++i) r[i] = i + threadIdx.x;
    #pragma unroll 16
    for (int k = 0; k < 64; ++k)
        #pragma unroll
        for (int i = 0; i < 8; ++i) r[i] = fmaf(r[i], x, 1.0f);
    float sum = 0;
    for (int i = 0; i < 8; ++i) sum += r[i];
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
extern "C" __global__ void conflicts(float* out, int n) {
    __shared__ float tile[32 * 32];
    int t = threadIdx.x % 32;
    for (int k = 0; k < 32; ++k) tile[32 * k + t] = k;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += tile[32 * t + (k & 31)];
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize(
    ("entry", "device", "binding", "ahead"),
    [
        ("multiplies", "a100_40", "FP32", 1.8),
        ("multiplies", "rtx4090", "issue", 1.0),  # which issues what its units take, no more
        ("multiplies", "h200", "issue", 1.0),
        ("conflicts", "a100_40", "shared", 10),
        ("conflicts", "rtx4090", "shared", 5),
        ("conflicts", "b200", "shared", 10),
    ],
)
def test_what_binds_in_clear_cases(entry: str, device: str, binding: str, ahead: float) -> None:
    last = np.float32(0.5) if entry == "multiplies" else np.int32(64)
    kernel = sm.compile_cuda(CLEAR, entry, device)
    found = sm.replay(kernel, 512, 256, [np.zeros(512 * 256, np.float32), last], device=device)
    assert found.roofline is not None
    first, second = found.roofline.ranked[:2]
    assert first.name == binding
    assert (first.cycles or 0) > ahead * (second.cycles or 0)


def test_a_copy_that_l2_cannot_hold_is_bound_by_dram() -> None:
    kernel = sm.compile_cuda(CLEAR, "copies", "h200")
    data = np.zeros((1 << 22, 4), np.float32)
    args = [data, np.zeros_like(data)]
    found = sm.replay(kernel, 1 << 14, 256, args, device="h200", caches=True).roofline
    assert found is not None
    assert found.binding is not None
    assert found.binding.name == "DRAM"


def small(record: Record) -> bool:
    return "sm__cycles_active.max" in record.metrics.get("warm", {}) and all(
        size <= 300 for size in record.size.values()
    )


MEASURED = [path for path in record_paths("h200") if small(load_record(path))]


@pytest.mark.parametrize("path", MEASURED, ids=lambda path: path.name.split(".")[0])
def test_no_launch_measured_on_an_h200_beats_its_roof(path: Path) -> None:
    record = load_record(path)
    target = open_catalogue(record.kernel, dict(record.size), record.seed, "h200")
    found = replay_target(target, "h200", "auto").roofline
    assert found is not None
    assert found.binding is not None
    assert found.binding.cycles is not None
    measured = min(record.metrics[kind]["sm__cycles_active.max"] for kind in ("cold", "warm"))
    assert 0 < found.binding.cycles <= measured
    assert math.isfinite(found.binding.cycles)
