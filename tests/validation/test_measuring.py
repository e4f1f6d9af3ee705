"""Does a measurement go on behind a fault, and say what it could not take?"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kernels import Launch, Problem
from validation import measure
from validation import ncu as profiler
from validation.errors import MeasureError, ProfilerError
from validation.jobs import Job, arguments_digest, write_job
from validation.launch import TIME
from validation.measure import build_record, measure_jobs, read_results
from validation.records import load_record, save_record

# Stands in for validation.launch: reports each job as timed, but dies in the one named "bad".
LAUNCHER = """
import json, sys
results, only = sys.argv[1:]
with open(results, "a") as out:
    print(json.dumps({"device": {"gpu": "pretended"}}), file=out)
    for name in open(only).read().split():
        print(json.dumps({"job": name, "status": "started"}), file=out, flush=True)
        if name == "bad":
            sys.exit(9)
        times = {"warm_us": [1.0, 2.0]}
        line = {"job": name, "status": "ok", "outputs": [], "times": times}
        print(json.dumps(line), file=out, flush=True)
"""
PROBLEM = Problem(Launch((1, 1, 1), (32, 1, 1)), (np.zeros(4, np.float32),), {})


def make_job(name: str, root: Path) -> Job:
    job = Job(
        name=name,
        kernel=name,
        entry=name,
        architecture=90,
        program_hash="1" * 64,
        compiler="NVRTC 13.5",
        grid=[1, 1, 1],
        block=[32, 1, 1],
        shared_bytes=0,
        digest=arguments_digest(PROBLEM.arguments),
        stored=True,
    )
    write_job(job, b"", PROBLEM, root)
    return job


@pytest.fixture
def pretended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Jobs a, bad and c, the launcher replaced, no ncu."""
    for name in ("a", "bad", "c"):
        make_job(name, tmp_path / "jobs")

    def launcher(jobs: Path, names: list[str], stem: Path, mode: str, repeats: int) -> list[str]:
        assert mode == TIME
        only, results = stem.with_suffix(".names"), stem.with_suffix(".jsonl")
        only.write_text("\n".join(names))
        results.unlink(missing_ok=True)
        return [sys.executable, "-c", LAUNCHER, str(results), str(only)]

    def no_ncu() -> Path:
        raise ProfilerError("ncu was not found")

    monkeypatch.setattr(measure, "_launcher", launcher)
    monkeypatch.setattr(profiler, "find_ncu", no_ncu)
    return tmp_path


def test_a_fault_costs_one_record_and_no_ncu_costs_the_counters(pretended: Path) -> None:
    said: list[str] = []
    jobs, out = pretended / "jobs", pretended / "out"
    paths = measure_jobs(jobs, out, pretended / "work", 2, False, said.append)
    a, bad, c = (load_record(path) for path in paths)
    assert a.times == c.times == {"warm_us": [1.0, 2.0]}
    assert a.provenance["gpu"] == "pretended"
    assert a.notes == ["no counters: ncu was not found"]
    assert bad.times == {}
    assert bad.notes[0] == "failed on the GPU: the process ended with exit code 9"
    assert any("timed 2 of 3" in line for line in said)


def test_complete_records_are_not_measured_again(pretended: Path) -> None:
    jobs, out, said = pretended / "jobs", pretended / "out", list[str]()
    first = measure_jobs(jobs, out, pretended / "work", 2, False, said.append)
    save_record(replace(load_record(first[0]), notes=()), first[0])
    again = measure_jobs(jobs, out, pretended / "work", 2, False, said.append)
    assert [path.name for path in again] == ["bad.json.xz", "c.json.xz"]
    assert len(measure_jobs(jobs, out, pretended / "work", 2, True, said.append)) == 3


def test_no_jobs_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MeasureError, match="prepare some first"):
        measure_jobs(tmp_path, tmp_path, tmp_path, 1, False, print)


def test_a_launcher_that_never_starts_shows_its_log(tmp_path: Path) -> None:
    with pytest.raises(MeasureError, match="no such GPU"):
        read_results(tmp_path / "none.jsonl", 1, "no such GPU")


def test_an_error_line_names_the_reason(tmp_path: Path) -> None:
    lines = [{"job": "a", "status": "started"}, {"job": "a", "status": "error", "error": "fault"}]
    path = tmp_path / "r.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    assert read_results(path, 3, "").failed == {"a": "fault"}


def test_counters_become_columns(tmp_path: Path) -> None:
    job = make_job("a", tmp_path)
    columns = {"inst_executed": {0: 4, 16: 2}, "memory_l1_wavefronts_shared": {16: 8}}
    seen = profiler.ProfiledLaunch("a", {"gpu__time_duration.sum": 7.0}, columns)
    measured = measure.Measured(launches={"a": {"cold": seen}})
    record = build_record(job, measured)
    assert record.instructions["pc"] == [0, 16]
    assert record.column("memory_l1_wavefronts_shared") == {0: 0, 16: 8}
    assert record.metrics == {"cold": {"gpu__time_duration.sum": 7}}


def test_rows_must_belong_to_their_jobs(tmp_path: Path) -> None:
    make_job("a", tmp_path)
    done = measure.Attempt(finished={"a": {}})
    right = profiler.ProfiledLaunch("a", {}, {})
    assert measure._attribute(tmp_path, done, [right]) == {"a": right}
    with pytest.raises(ProfilerError, match="ncu saw other where a launched a"):
        measure._attribute(tmp_path, done, [profiler.ProfiledLaunch("other", {}, {})])
    with pytest.raises(ProfilerError, match="0 launches of 1 jobs"):
        measure._attribute(tmp_path, done, [])
