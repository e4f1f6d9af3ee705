"""The known deviations: each test states the closed gap, and fails strictly when it closes."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from simulator.metrics import load_pipes
from simulator.results import Run
from validation.compare import compare_outputs
from validation.deviations import Deviation, Gap, find_deviation, load_deviations
from validation.records import RECORDS_ROOT, SUFFIX, Record, load_record
from validation.replays import is_comparable, replay_record

ROOT = Path(__file__).parents[2]
SIZES = {
    "vectorized_gemm": "m128-n128-k128",
    "softmax": "rows16-columns512",
    "tiled_gemm": "m1024-n1024-k1024",
    "sgemm_reg_tiled": "m130-n70-k45",
    "spmv_csr": "rows101-columns77-row_length21",
    "sgemm_reg_tiled_published": "m64-n64-k64",
    "hgemm_tensor": "m128-n128-k96",
    "local_sort": "n2048",
}


@cache
def record_of(kernel: str) -> tuple[Record, Path]:
    path = RECORDS_ROOT / "h200" / f"{kernel}-{SIZES[kernel]}{SUFFIX}"
    return load_record(path), path


@cache
def run_of(kernel: str) -> Run:
    return replay_record(*record_of(kernel))


def measured(kernel: str, metric: str) -> float:
    return record_of(kernel)[0].metrics["cold"][metric]


def assert_equal(kernel: str, *metrics: str) -> None:
    predicted = run_of(kernel).ncu()
    for metric in metrics:
        assert predicted[metric].value == measured(kernel, metric), metric


def gap(number: str) -> pytest.MarkDecorator:
    (title,) = [d.title for d in load_deviations() if d.id == number]
    return pytest.mark.xfail(strict=True, raises=AssertionError, reason=f"{number}: {title}")


@gap("D1")
def test_bsync_after_break_is_counted_once() -> None:
    assert_equal("vectorized_gemm", "smsp__inst_executed.sum")


@gap("D2")
def test_the_published_kernel_can_be_counted_on_a_gpu() -> None:
    assert is_comparable(record_of("sgemm_reg_tiled_published")[0])


@gap("D3")
def test_hardware_conflicts_are_those_by_address() -> None:
    assert_equal("tiled_gemm", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")


@gap("D4")
def test_outputs_behind_mufu_have_the_same_bits() -> None:
    assert compare_outputs(run_of("softmax"), record_of("softmax")[0]) == []


@gap("D7")
def test_output_wavefronts_of_a_launch() -> None:
    metric = "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum"
    assert_equal("sgemm_reg_tiled", metric)


@gap("D8")
def test_instructions_are_issued_once() -> None:
    assert_equal("sgemm_reg_tiled", "smsp__inst_issued.sum", "sm__inst_executed_pipe_adu.sum")


@gap("D9")
def test_every_store_reaches_l2() -> None:
    assert_equal("spmv_csr", "lts__t_sectors_srcunit_tex_op_write.sum")


@gap("D10")
def test_pipes_of_ada_are_known() -> None:
    assert load_pipes(89) is not None


@pytest.mark.parametrize("deviation", load_deviations(), ids=lambda d: d.id)
def test_every_deviation_has_its_strict_test(deviation: Deviation) -> None:
    if deviation.test is None:
        assert "any order" in deviation.title, "only what differs from launch to launch has none"
        return
    file, name = deviation.test.split("::")
    text = (ROOT / file).read_text(encoding="utf-8")
    assert re.search(rf'@gap\("{deviation.id}"\)\ndef {name}\(', text)


def test_numbers_are_unique_and_in_order() -> None:
    assert [d.id for d in load_deviations()] == [f"D{n + 1}" for n in range(len(load_deviations()))]


def excused(ran: list[str], counter: str, size: float = 1.0, sass: str | None = None) -> str | None:
    found = find_deviation("any", dict.fromkeys(ran, 1000), Gap(counter, size, sass))
    return found.id if found else None


def test_only_what_a_deviation_names_is_excused() -> None:
    executed = ["BREAK", "MUFU.EX2", "LDS.64"]
    assert excused(executed, "executed") == "D1"
    assert excused(executed, "outputs") == "D4"
    assert excused(["BRA"], "executed") is None
    assert excused(["BRA"], "thread_executed_predicated_on") is None
    assert excused(executed, "global_load_requests") is None


def test_parts_of_a_warp_that_meet_explain_only_a_share() -> None:
    assert excused(["BSYNC"], "executed", 18) == "D13"
    assert excused(["BSYNC"], "executed", 19) is None
    assert excused(["BSYNC"], "thread_executed", 32 * 18) == "D13"
    assert excused(["BSYNC"], "executed", 1, "@P0 BSYNC B0") == "D13"
    assert excused(["BSYNC"], "executed", 1, "FADD R0, R1, R2") is None
    assert excused(["BSYNC"], "global_sectors", 1, "BSYNC B0") is None


@gap("D12")
def test_copies_past_l1_ask_for_distinct_sectors() -> None:
    assert_equal("hgemm_tensor", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")


@gap("D13")
def test_every_part_executes_bsync_once() -> None:
    assert_equal("local_sort", "smsp__inst_executed.sum")


def test_a_branch_counts_lanes_of_both_predicates() -> None:
    path = RECORDS_ROOT / "h200_unseen" / f"top_k-500{SUFFIX}"
    record = load_record(path)
    run = replay_record(record, path)
    counter = run.counters["thread_executed_predicated_on"]
    assert counter.value == record.metrics["cold"]["smsp__thread_inst_executed_pred_on.sum"]
    by_guard = sum(i.thread_executed_predicated_on for i in run.instructions)
    assert by_guard == sum(record.instructions["thread_inst_executed_true"])
    assert by_guard > counter.value
