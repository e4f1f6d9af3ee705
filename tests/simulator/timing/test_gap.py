"""Does every cost that is taken away make a launch faster by what it was, and no other?"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from simulator.emulator.launch import Launch
from simulator.emulator.program import build_program
from simulator.errors import ArgumentError
from simulator.frontends.cuda import compile_cuda
from simulator.launching import open_catalogue
from simulator.results import LaunchTime
from simulator.time import explain_target, predict_target
from simulator.timing.gap import STEPS
from simulator.timing.parameters import load_parameters
from simulator.timing.predict import predict_time


@cache
def gap(kernel: str, size: int) -> dict[str, LaunchTime]:
    target = open_catalogue(kernel, size, 0, "rtx4090")
    return {step.name: step.time for step in explain_target(target, "rtx4090", {})}


def us(kernel: str, size: int, step: str) -> float:
    return gap(kernel, size)[step].warm.microseconds


@pytest.mark.parametrize("kernel", ["register_tiling_gemm", "transpose_tiled", "reduction_shuffle"])
def test_no_step_is_slower_and_all_together_are_fastest(kernel: str) -> None:
    size = 256 if "gemm" in kernel or "transpose" in kernel else 65536
    found = {step: us(kernel, size, step) for step in STEPS}
    assert max(found.values()) <= found["as it is"] * 1.03
    assert found["all three"] <= min(found.values()) * 1.03
    assert found["all three"] < 0.95 * found["as it is"]


def test_conflicts_cost_time_only_where_there_are_some() -> None:
    assert us("transpose_tiled", 256, "no bank conflicts") < us("transpose_tiled", 256, "as it is")
    plain = us("transpose_padded", 256, "as it is")
    assert us("transpose_padded", 256, "no bank conflicts") == plain


def test_without_conflicts_a_kernel_takes_as_long_as_the_one_that_has_none() -> None:
    """Stores and loads of the two differ by nothing else."""
    free = us("transpose_tiled", 256, "no bank conflicts")
    assert free == pytest.approx(us("transpose_padded", 256, "as it is"), rel=0.02)


def test_with_perfect_overlap_no_warp_waits_for_a_result() -> None:
    stalls = gap("register_tiling_gemm", 256)["perfect overlap"].warm.stalls
    assert not stalls.keys() & {"long_scoreboard", "short_scoreboard", "barrier"}


def test_perfect_overlap_still_takes_what_the_units_take() -> None:
    found = gap("transpose_padded", 256)["perfect overlap"].cold
    assert found.cycles_active >= found.speed_of_light["dram"] * found.cycles_active > 0
    assert max(found.busy.values()) <= 1.0


def test_a_store_that_skips_its_wait_does_not_wait_in_l2_for_the_load_it_follows() -> None:
    """``y[i] += x[i]``: only without the wait are the sectors stored to still on their way."""
    found = gap("saxpy", 1 << 20)
    assert found["perfect overlap"].cold.microseconds < 1.03 * found["as it is"].cold.microseconds


def test_with_perfect_issue_no_stall_count_or_bank_holds_a_warp() -> None:
    stalls = gap("register_tiling_gemm", 256)["perfect issue"].warm.stalls
    assert stalls.get("wait", 0.0) < 0.2
    assert "dispatch_stall" not in stalls


def test_a_slower_clock_takes_longer_and_a_smaller_l2_does_not_help() -> None:
    target = open_catalogue("tiled_gemm", 128, 0, "rtx4090")
    plain = predict_target(target, "rtx4090", {}).warm.microseconds
    slow = predict_target(target, "rtx4090", {"clock_hz": 1.0e9}).warm.microseconds
    assert 1.5 * plain < slow < 2.6 * plain
    small = predict_target(target, "rtx4090", {"l2_bytes": 1024.0}).warm.microseconds
    assert small > plain


def test_fewer_registers_let_more_warps_in() -> None:
    target = open_catalogue("register_tiling_gemm", {"m": 4096, "n": 4096, "k": 8}, 0, "rtx4090")
    plain = predict_target(target, "rtx4090", {}).warm.achieved_occupancy
    less = predict_target(target, "rtx4090", {"registers": 64.0}).warm.achieved_occupancy
    assert less > 1.2 * plain


_CHASE = """extern "C" __global__ void chase(const int* a, int* out) {
    int at = 0;
    for (int i = 0; i < 32; i++) at = a[at + 4096 * i];
    out[threadIdx.x] = at;
}"""


def chase(changes: dict[str, float]) -> LaunchTime:
    """One warp reads DRAM 32 times, one after the other."""
    kernel = compile_cuda(_CHASE, "chase", "h200")
    arguments = [np.zeros(1 << 17, np.int32), np.zeros(32, np.int32)]
    return predict_time(Launch(build_program(kernel), (1, 1, 1), (32, 1, 1), 0, arguments), "h200",
                        changes)  # fmt: skip


def test_a_faster_clock_shortens_what_waits_for_l2_but_not_for_dram() -> None:
    slow, fast = (chase({"clock_hz": clock}) for clock in (1.0e9, 2.0e9))
    warm = [time.warm.cycles_active / hz for time, hz in ((slow, 1.0), (fast, 2.0))]
    beyond = [
        (time.cold.cycles_active - time.warm.cycles_active) / hz
        for time, hz in ((slow, 1.0), (fast, 2.0))
    ]
    assert warm[1] == pytest.approx(warm[0] / 2, rel=0.01)
    assert beyond[1] > 0.7 * beyond[0]


def test_latencies_are_those_of_every_read() -> None:
    plain, dram = chase({}), chase({"dram_latency_cycles": 1537.0})
    assert dram.cold.cycles_active - plain.cold.cycles_active == pytest.approx(32e3, rel=0.02)
    assert dram.warm == plain.warm
    l2 = chase({"l2_hit_latency_cycles": 382.0})
    assert l2.warm.cycles_active - plain.warm.cycles_active == pytest.approx(3.2e3, rel=0.05)


@pytest.mark.parametrize("key", ["l2_read_bytes_per_cycle", "dram_read_bytes_per_second"])
def test_less_bandwidth_takes_longer(key: str) -> None:
    target = open_catalogue("transpose_padded", 2048, 0, "rtx4090")
    plain = predict_target(target, "rtx4090", {}).cold.microseconds
    usual = load_parameters("rtx4090")[key]
    less = predict_target(target, "rtx4090", {key: usual / 8}).cold.microseconds
    assert less > 1.5 * plain


@pytest.mark.parametrize("change", [{"waits": 1.0}, {"nothing": 0.0}, {"clock_hz": 0.0}])
def test_changes_that_make_no_sense_are_refused(change: dict[str, float]) -> None:
    target = open_catalogue("saxpy", 4096, 0, "rtx4090")
    with pytest.raises(ArgumentError):
        predict_target(target, "rtx4090", change)
