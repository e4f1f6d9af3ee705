"""Does the comparison find every difference, name it, and refuse what does not belong?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simulator.metrics import SourceColumn
from simulator.results import InstructionRecord, Run, Sampling
from validation.compare import compare_instructions, compare_outputs, compared_counts
from validation.errors import RecordError
from validation.metrics import SOURCE_COLUMNS
from validation.outputs import check_output, digest
from validation.records import Record, load_record, record_paths
from validation.rows import compare_launch

RECORD = next(
    record
    for record in map(load_record, record_paths("h200"))
    if record.kernel == "register_tiling_gemm" and record.size["m"] == 150
)


def perfect_run(record: Record) -> Run:
    """A run that predicts exactly what was measured, with a padding instruction behind."""
    columns = {column.counter: record.instructions[column.metric] for column in SOURCE_COLUMNS}
    counted = tuple(
        InstructionRecord(
            index,
            pc,
            f"OP{index}",
            "OP",
            "k.cu",
            index,
            **{name: values[index] for name, values in columns.items()},
        )
        for index, pc in enumerate(record.instructions["pc"])
    )
    end = counted[-1].pc + 16
    padding = InstructionRecord(len(counted), end, "NOP", "NOP", None, None)
    grid, block = record.launch["grid"], record.launch["block"]
    return Run(
        kernel=record.kernel,
        device="h200",
        architecture=90,
        program_hash=record.program_hash,
        compiler=record.compiler,
        grid=(grid[0], grid[1], grid[2]),
        block=(block[0], block[1], block[2]),
        dynamic_shared_bytes=record.launch["shared_bytes"],
        static_shared_bytes=0,
        registers=0,
        spill_store_bytes=None,
        spill_load_bytes=None,
        sampling=Sampling(1, 1, "all blocks", ""),
        instructions=(*counted, padding),
        counters={},
    )


RUN = perfect_run(RECORD)


def changed(index: int, **values: Any) -> Run:
    instructions = list(RUN.instructions)
    instructions[index] = replace(instructions[index], **values)
    return replace(RUN, instructions=tuple(instructions))


def test_a_perfect_run_has_no_difference() -> None:
    assert compare_instructions(RUN, RECORD) == []
    assert compared_counts(RUN, RECORD) == 9 * len(RUN.instructions)


@pytest.mark.parametrize("column", SOURCE_COLUMNS, ids=lambda column: column.counter)
def test_one_wrong_count_is_found_and_named(column: SourceColumn) -> None:
    field, metric = column.counter, column.metric
    right = getattr(RUN.instructions[100], field)
    (difference,) = compare_instructions(changed(100, **{field: right + 1}), RECORD)
    assert (difference.pc, difference.counter, difference.metric) == (1600, field, metric)
    assert (difference.predicted, difference.measured) == (right + 1, right)
    assert f"predicted {right + 1}, measured {right}" in str(difference)


def test_a_count_that_hangs_on_chance_promises_nothing() -> None:
    record = replace(RECORD, outputs=[], metrics={})
    wrong = changed(100, executed=RUN.instructions[100].executed + 1)
    assert compare_launch(wrong, record, "h200").wrong
    sampling = replace(RUN.sampling, chance="warps come in any order")
    assert not compare_launch(replace(wrong, sampling=sampling), record, "h200").wrong


def test_executed_padding_is_a_difference() -> None:
    (difference,) = compare_instructions(changed(-1, executed=1), RECORD)
    assert (difference.predicted, difference.measured) == (1, 0)


def test_other_code_or_launch_is_refused() -> None:
    with pytest.raises(RecordError, match="other machine code"):
        compare_instructions(replace(RUN, program_hash="0" * 64), RECORD)
    with pytest.raises(RecordError, match="has grid"):
        compare_instructions(replace(RUN, grid=(9, 9, 9)), RECORD)


def test_a_record_beyond_the_code_is_refused() -> None:
    with pytest.raises(RecordError, match="counts an instruction at"):
        compare_instructions(replace(RUN, instructions=RUN.instructions[:10]), RECORD)


def test_a_record_without_counters_says_why() -> None:
    silent = replace(RECORD, instructions={}, notes=["no permission"])
    with pytest.raises(RecordError, match="no permission"):
        compare_instructions(RUN, silent)


def test_outputs_are_compared_by_their_bits() -> None:
    good = np.arange(4, dtype=np.float32)
    record = replace(RECORD, outputs=[{"argument": 2, "sha256": digest(good)}])
    assert compare_outputs(replace(RUN, outputs={2: good}), record) == []
    assert compare_outputs(replace(RUN, outputs={2: good + 1, 0: good}), record) == [2]


def test_integers_must_match_exactly_and_floats_within_tolerance() -> None:
    whole = np.array([1, 2], np.int32)
    assert check_output(0, whole, whole, 1.0, 1.0).matches is True
    assert check_output(0, whole, whole + 1, 1.0, 1.0).matches is False
    real = np.array([1.0, np.nan], np.float32)
    near = check_output(0, real, real + np.float32(0.01), 0.0, 0.1)
    assert near.matches is True
    assert near.max_error == pytest.approx(0.01, rel=1e-4)
    assert check_output(0, real, np.array([1.0, 2.0], np.float32), 0.0, 0.1).matches is False
    assert check_output(0, real, None, 0.0, 0.0).matches is None
