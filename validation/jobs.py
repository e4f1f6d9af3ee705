"""A job: one launch of one cubin with its arguments, as a folder that can travel to a GPU.

``job.json`` holds the launch and where it comes from, ``kernel.cubin`` the machine code,
``arrays.npz`` the arguments (``arg0``, ``arg1`` ...; scalars are 0-d) and the expected outputs
(``expected2`` ...). A folder of jobs is prepared where the compiler is and run where the GPU is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kernels.workload import Argument, Array, Launch, Problem

from .errors import MeasureError


@dataclass(frozen=True)
class Job:
    """One launch to measure.

    ``kernel`` is the catalogue name or the user's source, ``size`` and ``seed`` what its problem
    was made from, ``entry`` the mangled function name inside ``cubin``. ``counters`` is False for
    a launch that is only timed.
    """

    name: str
    kernel: str
    entry: str
    architecture: int
    program_hash: str
    compiler: str
    cubin: bytes = field(repr=False)
    problem: Problem = field(repr=False)
    size: Mapping[str, int] = field(default_factory=dict)
    seed: int = 0
    counters: bool = True


def job_name(kernel: str, size: Mapping[str, int]) -> str:
    """Folder name of a job: the kernel and its size, ``tiled_gemm-m64-n64-k64``."""
    return "-".join([kernel, *(f"{key}{value}" for key, value in size.items())])


def write_job(job: Job, root: Path) -> Path:
    """Write a job below ``root``; an older job of that name is replaced. Returns its folder."""
    folder = root / job.name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kernel.cubin").write_bytes(job.cubin)
    (folder / "job.json").write_text(json.dumps(_description(job), indent=1) + "\n")
    arrays = {f"arg{i}": np.asarray(value) for i, value in enumerate(job.problem.arguments)}
    arrays |= {f"expected{i}": value for i, value in job.problem.expected.items()}
    np.savez_compressed(folder / "arrays.npz", **arrays)  # type: ignore[arg-type]
    return folder


def read_job(folder: Path) -> Job:
    """Read a job folder.

    Raises:
        MeasureError: the folder is not a complete job.
    """
    try:
        head = json.loads((folder / "job.json").read_text())
        cubin = (folder / "kernel.cubin").read_bytes()
        with np.load(folder / "arrays.npz") as arrays:
            problem = _problem(head, {name: arrays[name] for name in arrays.files})
        return Job(cubin=cubin, problem=problem, **head["job"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise MeasureError(f"{folder} is not a measuring job: {error}; prepare it again") from error


def job_folders(root: Path) -> list[Path]:
    """The job folders below ``root``, in name order."""
    return sorted(path.parent for path in root.glob("*/job.json"))


def _description(job: Job) -> dict[str, Any]:
    launch = job.problem.launch
    kept = ("name", "kernel", "entry", "architecture", "program_hash", "compiler")
    head = {name: getattr(job, name) for name in kept}
    head |= {"size": dict(job.size), "seed": job.seed, "counters": job.counters}
    return {
        "job": head,
        "grid": list(launch.grid),
        "block": list(launch.block),
        "shared_bytes": launch.shared_bytes,
        "rtol": job.problem.rtol,
        "atol": job.problem.atol,
    }


def _problem(head: Mapping[str, Any], arrays: Mapping[str, Array]) -> Problem:
    count = sum(name.startswith("arg") for name in arrays)
    expected = {
        int(name.removeprefix("expected")): value
        for name, value in arrays.items()
        if name.startswith("expected")
    }
    grid, block = head["grid"], head["block"]
    return Problem(
        launch=Launch(tuple(grid), tuple(block), head["shared_bytes"]),
        arguments=tuple(_argument(arrays[f"arg{i}"]) for i in range(count)),
        expected=expected,
        rtol=head["rtol"],
        atol=head["atol"],
    )


def _argument(value: Array) -> Argument:
    scalar: Argument = value[()]
    return value if value.ndim else scalar
