"""Does ``compare`` say what it found: on the screen, as JSON, by its exit code?"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from simulator.results import Status
from validation.__main__ import app
from validation.records import RECORDS_ROOT, SUFFIX, load_record, save_record
from validation.rows import Verdict, judge

NAME = f"tiled_gemm-m128-n128-k128{SUFFIX}"


def compare(*words: str) -> Result:
    return CliRunner().invoke(app, ["compare", *words], env={"COLUMNS": "80"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of one record that agrees."""
    place = tmp_path / "records"
    place.mkdir()
    shutil.copy(RECORDS_ROOT / "h200" / NAME, place / NAME)
    return place


def spoil(folder: Path, metric: str, value: float) -> None:
    record = load_record(folder / NAME)
    metrics = {cache: {**numbers, metric: value} for cache, numbers in record.metrics.items()}
    save_record(replace(record, metrics=metrics), folder / NAME)


def test_an_agreeing_record_ends_well(folder: Path, tmp_path: Path) -> None:
    result = compare("--records", str(folder), "--json", str(tmp_path / "c.json"))
    assert result.exit_code == 0, result.output
    assert "1,368 of 1,368 counts by instruction equal" in result.output
    lines = result.output.replace(str(tmp_path), "").splitlines()  # a path is as long as it is
    assert [line for line in lines if len(line) > 80] == []
    content = json.loads((tmp_path / "c.json").read_text())
    (launch,) = content["launches"]
    assert launch["kernel"] == "tiled_gemm"
    assert launch["instructions_equal"] == launch["instructions_compared"] == 1368
    assert {row["verdict"] for row in launch["rows"]} == {
        "equal",
        "within",
        "estimate",
        "not predicted",
    }
    row = next(r for r in launch["rows"] if r["metric"] == "smsp__inst_issued.sum")
    assert row["difference"] == row["measured"] - row["predicted"]
    assert row["low"] <= row["difference"] <= row["high"]
    assert content["summary"]


def test_an_exact_counter_that_differs_ends_in_1(folder: Path) -> None:
    spoil(folder, "smsp__inst_executed.sum", 1)
    result = compare("--records", str(folder))
    assert result.exit_code == 1
    assert "WRONG" in result.output


def test_a_broken_bound_ends_in_1(folder: Path) -> None:
    spoil(folder, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 1)
    assert compare("--records", str(folder)).exit_code == 1


def test_one_wrong_instruction_is_named(folder: Path) -> None:
    record = load_record(folder / NAME)
    counts = list(record.instructions["inst_executed"])
    counts[3] += 1
    columns = {**record.instructions, "inst_executed": counts}
    save_record(replace(record, instructions=columns), folder / NAME)
    result = compare("--records", str(folder), "--kernel", "tiled")
    assert result.exit_code == 1
    assert "0x0030" in result.output


def test_details_name_the_arbitration() -> None:
    result = compare("--device", "h200", "--kernel", "transpose_tiled", "--details")
    assert result.exit_code == 0, result.output
    assert "arbitration" in result.output
    assert "gpu__time_duration.sum" in result.output
    assert max(len(line) for line in result.output.splitlines()) <= 80


def test_other_machine_code_is_refused(folder: Path) -> None:
    record = load_record(folder / NAME)
    save_record(replace(record, program_hash="0" * 64), folder / NAME)
    result = compare("--records", str(folder))
    assert result.exit_code == 2
    assert "other machine code" in " ".join(result.output.split())


def test_a_gpu_without_a_data_file_says_how_to_add_one(folder: Path) -> None:
    record = load_record(folder / NAME)
    save_record(replace(record, provenance={"gpu": "NVIDIA X1"}), folder / NAME)
    result = compare("--records", str(folder))
    assert result.exit_code == 2
    said = " ".join(result.output.split())
    assert "NVIDIA X1 has no data file" in said
    assert "simulator/device/data/" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--device", "rtx1"], "unknown device with records"),
        (["--kernel", "nothing"], "no records of nothing"),
    ],
)
def test_bad_input_ends_in_2(words: list[str], message: str) -> None:
    result = compare(*words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_published_times_stand_by_themselves() -> None:
    result = compare("--device", "RTX 4090")
    assert result.exit_code == 0
    assert "published us" in result.output
    assert "predicted us" in result.output
    assert "327.300" in result.output


def test_a_launch_that_faulted_is_named() -> None:
    result = compare("--kernel", "sgemm_reg_tiled_published")
    assert result.exit_code == 0
    assert "illegal memory access" in " ".join(result.output.split())


def test_verdicts() -> None:
    assert judge(5, 5, Status.EXACT, None) is Verdict.EQUAL
    assert judge(5, 6, Status.EXACT, None) is Verdict.WRONG
    assert judge(5, 6, Status.BOUNDED, (0, 1)) is Verdict.WITHIN
    assert judge(5, 7, Status.BOUNDED, (0, 1)) is Verdict.WRONG
    assert judge(5, 4, Status.BOUNDED, (0, 1)) is Verdict.WRONG
    assert judge(5, 9, Status.BOUNDED, None) is Verdict.WITHIN
    assert judge(5, 5, Status.UNMODELLED, None) is Verdict.NOT_PREDICTED
