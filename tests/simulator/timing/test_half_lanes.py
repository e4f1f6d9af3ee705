"""Do GPUs with half the load/store lanes take two cycles for a request, and others one?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.device import device_names, load_device
from simulator.emulator.launch import Launch
from simulator.emulator.program import build_program
from simulator.frontends.cuda import compile_cuda
from simulator.timing.predict import predict_time

_SOURCE = """template <typename T> __device__ T load(unsigned at);
template <> __device__ float load<float>(unsigned at) {
    float v;
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v) : "r"(at));
    return v;
}
template <> __device__ float4 load<float4>(unsigned at) {
    float4 v;
    asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(at));
    return v;
}
template <typename T> __device__ void loads(float* out, int n) {
    __shared__ T table[1024];
    unsigned at = __cvta_generic_to_shared(table + threadIdx.x);
    float sum = 0;
    for (int i = 0; i < n; i++) {
        T v[16];
        for (int k = 0; k < 16; k++) v[k] = load<T>(at);
        for (int k = 0; k < 16; k++) sum += *(float*)&v[k];
    }
    out[threadIdx.x] = sum;
}
extern "C" __global__ void narrow(float* out, int n) { loads<float>(out, n); }
extern "C" __global__ void wide(float* out, int n) { loads<float4>(out, n); }
"""


def cycles_a_load(entry: str, device: str) -> float:
    """Cycles of an SM for each load of its 16 warps."""
    program = build_program(compile_cuda(_SOURCE, entry, device))
    found = []
    for trips in (8, 24):
        arguments = [np.zeros(512, np.float32), np.int32(trips)]
        launch = Launch(program, (1, 1, 1), (512, 1, 1), 0, arguments)
        found.append(predict_time(launch, device).warm.cycles_active)
    return (found[1] - found[0]) / (16 * 16 * 16)


@pytest.mark.parametrize(("device", "cycles"), [("h200", 1), ("a100_80", 1), ("rtx4090", 2)])
def test_a_load_of_a_word_a_lane(device: str, cycles: int) -> None:
    assert cycles_a_load("narrow", device) == pytest.approx(cycles, rel=0.15)


@pytest.mark.parametrize("device", ["h200", "rtx4090"])
def test_a_load_of_four_words_a_lane_takes_four_wavefronts_everywhere(device: str) -> None:
    assert cycles_a_load("wide", device) == pytest.approx(4, rel=0.1)


@pytest.mark.parametrize("name", device_names())
def test_who_has_half_the_lanes(name: str) -> None:
    device = load_device(name)
    fact = device.facts.get("lsu_cycles_per_instruction")
    assert (fact is not None and fact.value == 2) == (device.architecture in (86, 89, 120))
