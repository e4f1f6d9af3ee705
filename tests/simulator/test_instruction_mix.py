"""Are opcodes, active threads and floating-point operations those of the records?"""

from __future__ import annotations

import pytest

from simulator.instruction_mix import (
    count_all,
    count_flops,
    count_opcodes,
    count_pipes,
    run_status,
    tensor_flops,
)
from simulator.results import Counter, Flops, Sampling, Status
from tests.simulator.runs import make_run, record


def test_opcodes_add_up_to_the_launch() -> None:
    run = make_run()
    counts = {count.opcode: count for count in count_opcodes(run)}
    assert set(counts) == {"S2R", "LDS", "FADD", "FFMA", "STS", "STG"}
    assert counts["LDS"].executed == 48
    assert counts["LDS"].thread_executed == 48 * 32
    assert sum(count.executed for count in counts.values()) == count_all(run).executed
    assert next(iter(counts)) == "LDS"


def test_active_threads_are_an_average() -> None:
    rows = (
        record(0, "FADD R1, R2, R3", 1, 4),
        record(1, "FADD R1, R2, R3", 1, 4, thread_executed=64, thread_executed_predicated_on=16),
    )
    (count,) = count_opcodes(make_run(instructions=rows))
    assert (count.executed, count.active_threads) == (8, (128 + 64) / 8)
    assert count.predicated_on == 128 + 16


def test_flops_by_kind() -> None:
    rows = (
        record(0, "FADD R1, R2, R3", 1, 1),
        record(1, "@P0 FFMA.FTZ R1, R2, R3, R4", 1, 1, thread_executed_predicated_on=10),
        record(2, "DFMA R2, R4, R6, R8", 1, 1),
        record(3, "HFMA2 R2, R4, R6, R8", 1, 1),
        record(4, "HFMA2.MMA R2, -RZ, RZ, 0, 0", 1, 1),
        record(5, "HMMA.16816.F32 R4, R8, R12, R4", 1, 3),
        record(6, "IADD3 R4, R8, R12, RZ", 1, 3),
        record(8, "HADD2.F32 R4, -RZ, R7.H0_H0", 1, 1),
        record(7, "FFMA2 R4, R8.F32x2.HI_LO, R12.F32x2.HI_LO, R4.F32x2.HI_LO", 1, 1),
    )
    found = count_flops(make_run(instructions=rows))
    assert found == Flops(fp16=128, fp32=32 + 20 + 128, fp64=64, tensor=3 * 2 * 16 * 8 * 16)
    assert found.total == 128 + 180 + 64 + 12288


@pytest.mark.parametrize(
    ("opcode", "modifiers", "flops"),
    [
        ("HMMA", ("1688", "F32", "TF32"), 2 * 16 * 8 * 8),
        ("DMMA", ("8x8x4",), 2 * 8 * 8 * 4),
        ("HGMMA", ("64x128x16", "F32"), 2 * 64 * 128 * 16 // 4),
        ("HMMA", ("F32",), 0),
    ],
)
def test_matrix_products_by_shape(opcode: str, modifiers: tuple[str, ...], flops: int) -> None:
    assert tensor_flops(opcode, modifiers) == flops


def test_pipes_come_from_counters() -> None:
    counters = {
        "pipe_alu_instructions": Counter(3, "warp-instructions", Status.EXACT),
        "pipe_fma_instructions": Counter(7, "warp-instructions", Status.EXACT),
        "issued": Counter(10, "warp-instructions", Status.BOUNDED),
    }
    assert list(count_pipes(make_run(counters=counters))) == ["fma", "alu"]
    assert count_pipes(make_run()) == {}


def test_a_scaled_sample_is_no_exact_number() -> None:
    assert run_status(make_run()) is Status.EXACT
    assert run_status(make_run(sampling=Sampling(9, 3, "sampled", ""))) is Status.BOUNDED
