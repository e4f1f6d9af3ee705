"""The metrics table: is it whole, and are the counters it derives sums over the right opcodes?"""

from __future__ import annotations

import numpy as np
import pytest

import simulator as sm
from simulator.derived import unknown_opcodes
from simulator.isa.kernel import Kernel
from simulator.metrics import Metric, is_listed, load_metrics, load_pipes, load_source_page, matches
from simulator.records import FIELDS
from simulator.results import COUNT_FIELDS, Run, Status

SOURCE = """
extern "C" __global__ void probe(const float* in, float* out, int n) {
    __shared__ float tile[64];
    int i = threadIdx.x;
    tile[i] = i < n ? in[i] : 0.0f;
    __syncthreads();
    float sum = tile[63 - i] + __shfl_xor_sync(~0u, tile[i], 1);
    if (i < n) out[i] = fmaf(sum, 3.0f, 1.0f);
}
"""


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return sm.compile_cuda(SOURCE, device="h200")


@pytest.fixture(scope="module")
def run(kernel: Kernel) -> Run:
    args = [np.ones(64, np.float32), np.zeros(64, np.float32), np.int32(40)]
    return sm.replay(kernel, (2,), (64,), args, device="h200")


@pytest.mark.parametrize("metric", load_metrics(), ids=lambda m: m.counter)
def test_a_row_is_whole(metric: Metric) -> None:
    assert metric.unit
    assert metric.group
    assert (metric.status is Status.BOUNDED) == (metric.tolerance is not None)
    for column, opcodes in (metric.sum or {}).items():
        assert column in (*FIELDS, "silent", "per_block")
        if isinstance(opcodes, str) and opcodes != "all":
            pipes = load_pipes(90)
            assert pipes is not None
            assert opcodes.removeprefix("pipe ") in pipes
            assert min(metric.ncu) == 90, "pipes are known for sm_90 alone"
    if not metric.ncu:
        assert metric.sum
        assert metric.status is Status.EXACT


def test_names_are_unique_and_bounds_hang_on_counters() -> None:
    counters = [m.counter for m in load_metrics()]
    names = [m.ncu_name(90) for m in load_metrics() if m.ncu]
    assert len(set(counters)) == len(counters)
    assert len(set(names)) == len(names)
    for metric in load_metrics():
        if metric.tolerance:
            assert metric.tolerance.low <= 0 <= metric.tolerance.high
            assert metric.tolerance.of in (*counters, *FIELDS)
            assert metric.tolerance.reason
    assert {column.counter for column in load_source_page()} <= set(COUNT_FIELDS)


def test_no_opcode_runs_in_two_pipes() -> None:
    pipes = load_pipes(90)
    assert pipes is not None
    for opcode in {opcode.removeprefix("-") for listed in pipes.values() for opcode in listed}:
        assert sum(is_listed(opcode, listed) for listed in pipes.values()) == 1, opcode


def test_an_opcode_matches_with_its_modifiers_only() -> None:
    assert matches("LDS.128", "LDS")
    assert matches("S2R SR_TID.X", "S2R SR_TID")
    assert not matches("LDSM.16", "LDS")
    assert not matches("S2R SR_CTAID.X", "S2R SR_TID")
    assert not matches("LDS", "LDS.128")


def test_counters_add_up(run: Run) -> None:
    value = {name: counter.value for name, counter in run.counters.items()}
    assert value["warps_launched"] == 4
    assert value["blocks_launched"] == 2
    assert value["shared_bytes_static"] == 256
    assert value["registers_per_thread"] == max(16, run.registers)
    for count, words in (("global_load_requests", "LDG"), ("shared_store_instructions", "STS")):
        rows = [r for r in run.instructions if r.opcode.startswith(words)]
        assert value[count] == sum(r.executed for r in rows) > 0
    assert value["ffma_threads"] == 80
    shared = sum(value[f"shared_{op}_wavefronts_hardware"] for op in ("load", "store", "atomic"))
    assert value["shared_wavefronts_hardware"] == shared
    misc = value["shared_misc_wavefronts_hardware"]
    assert value["shared_wavefronts_all_hardware"] == shared + misc
    # a thread index and a shuffle a warp, a barrier a block
    assert misc == 4 + 4 + 2


def test_ncu_gives_the_same_numbers_under_other_names(run: Run) -> None:
    found = run.ncu()
    assert found["smsp__inst_executed.sum"] == run.counters["executed"]
    assert found["memory_l1_wavefronts_shared"] == run.counters["shared_wavefronts"]
    name = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
    assert found[name].value == run.counters["bank_conflicts"].value
    assert run.counters["bank_conflicts"].status is Status.EXACT  # by address
    assert found[name].status is Status.BOUNDED  # the hardware adds arbitration


def test_pipes_are_left_out_where_they_are_not_known() -> None:
    kernel = sm.compile_cuda(SOURCE, device="rtx4090")
    args = [np.ones(64, np.float32), np.zeros(64, np.float32), np.int32(40)]
    found = sm.replay(kernel, (2,), (64,), args, device="rtx4090").ncu()
    assert "smsp__inst_executed.sum" in found
    assert not any("pipe_alu" in name or "_misc" in name for name in found)


def test_an_opcode_of_no_known_pipe_makes_pipes_unmodelled() -> None:
    source = """extern "C" __global__ void k(unsigned* a) {
        a[threadIdx.x] = __match_any_sync(~0u, a[threadIdx.x]); }"""
    kernel = sm.compile_cuda(source, device="h200")
    executed = np.ones(len(kernel.instructions), np.int64)
    assert any(name.startswith("MATCH") for name in unknown_opcodes(kernel, executed))
    run = sm.replay(kernel, (1,), (32,), [np.zeros(32, np.uint32)], device="h200")
    assert run.counters["pipe_alu_instructions"].status is Status.UNMODELLED
    assert run.counters["executed"].status is Status.EXACT


def test_halves_doubles_and_matrix_products_have_counts_of_their_own() -> None:
    source = """#include <cuda_fp16.h>
    extern "C" __global__ void k(__half2* h, double* d) {
        int i = threadIdx.x;
        h[i] = __hfma2(h[i], h[i + 32], h[i + 64]);
        if (i < 5) d[i] = fma(d[i], d[i + 32], 1.0) * d[i];
    }"""
    kernel = sm.compile_cuda(source, device="rtx4090")
    args = [np.zeros(96, np.uint32), np.zeros(64)]
    found = sm.replay(kernel, 1, 32, args).counters
    counts = {name: found[f"{name}_threads"].value for name in ("hfma", "hadd", "dfma", "dmul")}
    assert counts == {"hfma": 32, "hadd": 0, "dfma": 5, "dmul": 5}
    assert found["tensor_instructions"].value == 0
    flops = {kind: found[f"flop_{kind}"].value for kind in ("fp16", "fp32", "fp64", "tensor")}
    assert flops == {"fp16": 4 * 32, "fp32": 0, "fp64": 2 * 5 + 5, "tensor": 0}


def test_wavefronts_of_copies_past_l1_are_bounded() -> None:
    """Their rule holds in 706 of 709 requests (deviation D5)."""
    source = """#include <cuda_pipeline.h>
    extern "C" __global__ void k(const float4* in, float4* out) {
        __shared__ float4 tile[32];
        __pipeline_memcpy_async(tile + threadIdx.x, in + threadIdx.x, 16);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        out[threadIdx.x] = tile[threadIdx.x];
    }"""
    kernel = sm.compile_cuda(source, device="h200")
    data = np.ones((32, 4), np.float32)
    run = sm.replay(kernel, 1, 32, [data, np.zeros_like(data)], device="h200")
    bounded = {i.opcode for i in run.instructions if i.status is Status.BOUNDED}
    assert bounded == {"LDGSTS.E.BYPASS.128"}
    assert run.counters["shared_wavefronts"].status is Status.BOUNDED
    assert run.counters["global_sectors"].status is Status.EXACT
