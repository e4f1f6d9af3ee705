"""Does a job arrive as it was sent?"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernels import Launch, Problem
from validation.errors import MeasureError
from validation.jobs import (
    Job,
    arguments_digest,
    job_folders,
    job_name,
    read_job,
    read_problem,
    write_job,
)
from validation.launch import catalogue_problem

PROBLEM = Problem(
    Launch((2, 1, 1), (64, 1, 1), 1024),
    (np.arange(6, dtype=np.float32).reshape(2, 3), np.int32(7), np.zeros(2, np.uint8)),
    {2: np.array([1, 2], np.uint8)},
    rtol=0.5,
    atol=0.25,
)
JOB = Job(
    name="mine-n6",
    kernel="mine.cu",
    entry="mine",
    architecture=90,
    program_hash="abc",
    compiler="NVRTC 13.5",
    grid=[2, 1, 1],
    block=[64, 1, 1],
    shared_bytes=1024,
    digest=arguments_digest(PROBLEM.arguments),
    size={"n": 6},
    stored=True,
)


def test_stored_job_comes_back(tmp_path: Path) -> None:
    folder = write_job(JOB, b"machine code", PROBLEM, tmp_path)
    assert job_folders(tmp_path) == [folder]
    assert read_job(folder) == JOB
    assert (folder / "kernel.cubin").read_bytes() == b"machine code"
    problem = read_problem(folder, catalogue_problem)
    assert problem.launch == PROBLEM.launch
    assert (problem.rtol, problem.atol) == (0.5, 0.25)
    assert isinstance(problem.arguments[1], np.int32)
    for sent, got in zip(PROBLEM.arguments, problem.arguments, strict=True):
        assert np.asarray(sent).dtype == np.asarray(got).dtype
        np.testing.assert_array_equal(sent, got)
    np.testing.assert_array_equal(problem.expected[2], PROBLEM.expected[2])


def test_catalogue_job_is_made_again(tmp_path: Path) -> None:
    made = catalogue_problem("saxpy", {"n": 100}, 3)
    job = replace(
        JOB,
        kernel="saxpy",
        size={"n": 100},
        seed=3,
        stored=False,
        digest=arguments_digest(made.arguments),
    )
    folder = write_job(job, b"", made, tmp_path)
    assert not (folder / "arrays.npz").exists()
    again = read_problem(folder, catalogue_problem)
    assert arguments_digest(again.arguments) == job.digest


def test_changed_arguments_are_refused(tmp_path: Path) -> None:
    folder = write_job(replace(JOB, digest="0" * 64), b"", PROBLEM, tmp_path)
    with pytest.raises(MeasureError, match="prepare it again"):
        read_problem(folder, catalogue_problem)


def test_damaged_job_is_refused(tmp_path: Path) -> None:
    folder = write_job(JOB, b"", PROBLEM, tmp_path)
    head = json.loads((folder / "job.json").read_text())
    del head["entry"]
    (folder / "job.json").write_text(json.dumps(head))
    with pytest.raises(MeasureError, match="entry"):
        read_job(folder)
    (folder / "job.json").write_text("{")
    with pytest.raises(MeasureError, match="not a measuring job"):
        read_job(folder)


def test_digest_sees_type_shape_and_bits() -> None:
    base = np.zeros(4, np.float32)
    others: list[Any] = [base.reshape(2, 2), base.view(np.int32), np.float32(0), -base]
    digests = {arguments_digest([value]) for value in [base, *others]}
    assert len(digests) == 5


def test_name_holds_every_dimension() -> None:
    assert job_name("tiled_gemm", {"m": 130, "k": 45}) == "tiled_gemm-m130-k45"
