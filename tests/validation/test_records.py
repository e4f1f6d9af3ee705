"""Are the committed hardware records whole, and is the wrong one refused?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kernels import workloads
from validation.errors import RecordError
from validation.metrics import SOURCE_COLUMNS
from validation.records import (
    Record,
    check_program,
    load_record,
    record_paths,
    save_record,
)

PATHS = record_paths("h200")
RECORDS = [load_record(path) for path in PATHS]
COUNTED = [record for record in RECORDS if record.instructions]
FAULTS = "sgemm_reg_tiled_published"  # reads and writes outside its memory: no counts


def label(record: Record) -> str:
    return "-".join([record.kernel, *map(str, record.size.values())])


def test_every_kernel_has_its_test_sizes_and_its_default_size() -> None:
    have = {(record.kernel, frozenset(record.size.items())) for record in RECORDS}
    want = {
        (item.name, frozenset(size.items()))
        for item in workloads()
        for size in (*item.test_sizes, item.sizes)
    }
    assert want <= have


def test_only_the_faulty_kernel_has_no_counts() -> None:
    without = {record.kernel for record in RECORDS if not record.instructions}
    assert without == {FAULTS}
    assert all("illegal memory access" in r.notes[0] for r in RECORDS if r.kernel == FAULTS)


@pytest.mark.parametrize("record", COUNTED, ids=label)
def test_outputs_matched_the_reference(record: Record) -> None:
    checked = [output["matches"] for output in record.outputs if output["matches"] is not None]
    assert checked
    assert all(checked)


@pytest.mark.parametrize("record", COUNTED, ids=label)
def test_columns_are_whole(record: Record) -> None:
    offsets = record.instructions["pc"]
    assert list(offsets) == list(range(0, 16 * len(offsets), 16))
    for column in SOURCE_COLUMNS:
        assert len(record.instructions[column.metric]) == len(offsets)


@pytest.mark.parametrize("record", COUNTED, ids=label)
def test_source_page_adds_up_to_the_hardware_counter(record: Record) -> None:
    total = sum(record.instructions["inst_executed"])
    counted = record.metrics["cold"]["smsp__inst_executed.sum"]
    if record.kernel == "vectorized_gemm":
        # A BSYNC whose last awaited lanes leave by BREAK runs twice; the source page counts one.
        again = (counted - total) / sum(record.column("inst_executed").values())
        assert 0 < again < 0.01
        return
    if record.kernel == "local_sort":
        # D13: parts of a warp that meet before a BSYNC; the passes of ncu differ among themselves.
        assert 0 < counted - total < 0.002 * counted
        return
    assert total == counted


@pytest.mark.parametrize("record", COUNTED, ids=label)
def test_provenance_is_named(record: Record) -> None:
    facts = record.provenance
    assert facts["gpu"] == "NVIDIA H200"
    assert facts["driver_version"]
    assert facts["settings"]["ncu"].startswith("2025.")
    assert facts["settings"]["cache_control"] == {"cold": "all", "warm": "none"}
    assert record.compiler.startswith("NVRTC ")
    assert len(record.program_hash) == 64
    assert all(len(record.times[kind]) == 20 for kind in ("warm_us", "cold_us", "single_us"))


def test_record_comes_back_and_is_reproducible(tmp_path: Path) -> None:
    first, second = tmp_path / "a.json.xz", tmp_path / "deep" / "b.json.xz"
    save_record(COUNTED[0], first)
    save_record(load_record(first), second)
    assert load_record(second) == COUNTED[0]
    assert first.read_bytes() == second.read_bytes()


def test_other_machine_code_is_refused() -> None:
    record = COUNTED[0]
    check_program(record, record.program_hash, record.compiler)
    with pytest.raises(RecordError, match="install that version"):
        check_program(record, "0" * 64, "NVRTC 99.0")
    with pytest.raises(RecordError, match="measure it again"):
        check_program(record, "0" * 64, record.compiler)


def test_unreadable_records_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.json.xz"
    with pytest.raises(RecordError, match="not a readable hardware record"):
        load_record(path)
    path.write_bytes(b"not compressed")
    with pytest.raises(RecordError, match="not a readable hardware record"):
        load_record(path)
    save_record(replace(COUNTED[0], schema=99), path)
    with pytest.raises(RecordError, match="another schema"):
        load_record(path)
