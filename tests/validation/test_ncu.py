"""Is ncu's raw page read for what it says? The page here is a cut of one from an H200."""

from __future__ import annotations

import csv
import io
import stat
from pathlib import Path

import pytest

from validation import ncu
from validation.errors import ProfilerError
from validation.metrics import LAUNCH_METRICS, known_metrics

PAGE = (Path(__file__).parent / "data" / "raw_page.csv").read_text()


def test_launches_come_in_order_with_their_names() -> None:
    assert [launch.entry for launch in ncu.parse_raw_page(PAGE)] == ["never", "probe"]


def test_numbers_of_a_launch() -> None:
    probe = ncu.parse_raw_page(PAGE)[1]
    assert probe.metrics["gpu__time_duration.sum"] == 9984
    assert probe.metrics["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] == 2228
    assert probe.metrics["launch__occupancy_limit_warps"] == 16


def test_columns_are_by_offset_in_the_kernel() -> None:
    never, probe = ncu.parse_raw_page(PAGE)
    assert never.columns["inst_executed"] == {16 * i: 2 * (i < 10) for i in range(14)}
    assert probe.columns["inst_executed"][0xD0] == 256
    assert probe.columns["memory_l1_wavefronts_shared"][0x120] == 256
    assert probe.columns["memory_l2_theoretical_sectors_global"][0xD0] == 1024
    assert probe.columns["memory_l2_theoretical_sectors_local"] == {}


def test_only_known_metrics_are_kept() -> None:
    probe = ncu.parse_raw_page(PAGE)[1]
    assert "sass__inst_executed_per_opcode" not in probe.metrics
    assert "launch__func_cache_config" not in probe.metrics


def test_columns_of_a_large_kernel_are_read() -> None:
    """Six thousand instructions fill a cell of more than 128 KiB."""
    many = "; ".join(f"0x{0x7F0000000000 + 16 * n:x}: {n}" for n in range(8000))
    rows = csv.DictReader(io.StringIO(PAGE[PAGE.index('"ID"') :]))
    row = {**list(rows)[-1], "inst_executed": f"31,996,000 ({many})"}
    page = io.StringIO()
    writer = csv.DictWriter(page, rows.fieldnames or (), quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerow(row)
    (launch,) = ncu.parse_raw_page(page.getvalue())
    assert sorted(launch.columns["inst_executed"].values()) == list(range(8000))


def test_page_without_launches() -> None:
    assert ncu.parse_raw_page("==WARNING== No kernels were profiled.\n") == []


def test_metrics_a_gpu_lacks_are_left_out() -> None:
    present, missing = known_metrics(["smsp__inst_executed", "gpu__time_duration"])
    assert present == ("smsp__inst_executed.sum", "gpu__time_duration.sum")
    assert set(missing) == set(LAUNCH_METRICS) - set(present)


def test_missing_ncu_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(ncu, "USUAL_PLACES", ())
    with pytest.raises(ProfilerError, match="Nsight Compute"):
        ncu.find_ncu()


def script(folder: Path, text: str) -> Path:
    path = folder / "ncu"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_no_permission_is_explained(tmp_path: Path) -> None:
    fake = script(tmp_path, "echo '==ERROR== ERR_NVGPUCTRPERM - no permission'; exit 1")
    with pytest.raises(ProfilerError, match="NVreg_RestrictProfilingToAdminUsers"):
        ncu.profile(fake, ["true"], tmp_path / "r.ncu-rep", ["inst_executed"], "all", 10.0)


def test_no_report_shows_what_ncu_said(tmp_path: Path) -> None:
    fake = script(tmp_path, "echo 'Failed to initialize the profiler'; exit 1")
    with pytest.raises(ProfilerError, match="Failed to initialize the profiler"):
        ncu.profile(fake, ["true"], tmp_path / "r.ncu-rep", ["inst_executed"], "all", 10.0)


def test_metric_query_keeps_base_names(tmp_path: Path) -> None:
    lines = '"Metric name","Metric type"\\n"dram__bytes_read","Counter"\\n"A.B.x__y","Counter"'
    fake = script(tmp_path, f"printf '{lines}\\n'")
    assert ncu.available_metrics(fake) == {"dram__bytes_read"}
