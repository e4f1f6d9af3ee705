"""A job: one launch of one cubin, as a folder that can travel to a GPU.

``job.json`` holds the launch and where it comes from, ``kernel.cubin`` the machine code. The
arguments are in ``arrays.npz`` (``arg0``, ``arg1`` ...; scalars are 0-d) with the expected outputs
(``expected2`` ...), or, for a catalogue kernel, are made again from its size and seed and checked
against the digest in ``job.json``. So jobs are prepared where the compiler is and run where the
GPU is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kernels.workload import Argument, Array, Launch, Problem

from .errors import MeasureError

MakeProblem = Callable[[str, Mapping[str, int], int], Problem]
CUBIN_FILE = "kernel.cubin"
_FACTS_FILE = "job.json"
_ARRAYS_FILE = "arrays.npz"


@dataclass(frozen=True)
class Job:
    """What is known of a launch without its arrays.

    ``kernel`` is the catalogue name or the user's source, ``size`` and ``seed`` what its problem
    was made from, ``entry`` the mangled function name inside the cubin, ``digest`` the SHA-256
    over all arguments. ``stored`` says that the arrays are in the folder; ``counters`` is False
    for a launch that is only timed.
    """

    name: str
    kernel: str
    entry: str
    architecture: int
    program_hash: str
    compiler: str
    grid: Sequence[int]
    block: Sequence[int]
    shared_bytes: int
    digest: str
    size: Mapping[str, int] = field(default_factory=dict)
    seed: int = 0
    counters: bool = True
    stored: bool = False


def job_name(kernel: str, size: Mapping[str, int]) -> str:
    """Folder name of a job: the kernel and its size, ``tiled_gemm-m64-n64-k64``."""
    return "-".join([kernel, *(f"{key}{value}" for key, value in size.items())])


def arguments_digest(arguments: Sequence[Argument]) -> str:
    """SHA-256 over the types, shapes and bytes of all arguments."""
    total = hashlib.sha256()
    for argument in arguments:
        value = np.asarray(argument)
        total.update(f"{value.dtype.str}{value.shape}".encode())
        total.update(np.ascontiguousarray(value).tobytes())
    return total.hexdigest()


def write_job(job: Job, cubin: bytes, problem: Problem, root: Path) -> Path:
    """Write a job below ``root``; an older job of that name is replaced. Returns its folder."""
    folder = root / job.name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CUBIN_FILE).write_bytes(cubin)
    if job.stored:
        arrays = {f"arg{i}": np.asarray(value) for i, value in enumerate(problem.arguments)}
        arrays |= {f"expected{i}": value for i, value in problem.expected.items()}
        np.savez_compressed(folder / _ARRAYS_FILE, **arrays)  # type: ignore[arg-type]
    head = asdict(job) | {"rtol": problem.rtol, "atol": problem.atol}
    (folder / _FACTS_FILE).write_text(json.dumps(head, indent=1) + "\n")
    return folder


def read_job(folder: Path) -> Job:
    """Read what a job folder says about its launch.

    Raises:
        MeasureError: the folder is not a job.
    """
    head = _read_head(folder)
    try:
        return Job(**{name: head[name] for name in Job.__dataclass_fields__})
    except KeyError as error:
        raise MeasureError(f"{folder} lacks {error} in job.json; prepare it again") from error


def read_problem(folder: Path, make: MakeProblem) -> Problem:
    """The arguments and expected outputs of a job; ``make`` builds a catalogue kernel's.

    Raises:
        MeasureError: arrays are missing, or came out other than when the job was prepared.
    """
    job, head = read_job(folder), _read_head(folder)
    if job.stored:
        problem = _stored_problem(folder, job, head)
    else:
        problem = make(job.kernel, job.size, job.seed)
    if arguments_digest(problem.arguments) != job.digest:
        raise MeasureError(
            f"the arguments of {job.name} differ from those it was prepared with "
            "(another numpy or another version of the kernels); prepare it again"
        )
    return problem


def job_folders(root: Path) -> list[Path]:
    """The job folders below ``root``, in name order."""
    return sorted(path.parent for path in root.glob(f"*/{_FACTS_FILE}"))


def _read_head(folder: Path) -> dict[str, Any]:
    try:
        head: dict[str, Any] = json.loads((folder / _FACTS_FILE).read_text())
    except (OSError, ValueError) as error:
        raise MeasureError(f"{folder} is not a measuring job: {error}; prepare it again") from error
    return head


def _stored_problem(folder: Path, job: Job, head: Mapping[str, Any]) -> Problem:
    try:
        with np.load(folder / _ARRAYS_FILE) as file:
            arrays: dict[str, Array] = {name: file[name] for name in file.files}
    except (OSError, ValueError) as error:
        raise MeasureError(f"{folder} holds no arrays: {error}; prepare it again") from error
    count = sum(name.startswith("arg") for name in arrays)
    return Problem(
        launch=Launch(_dim3(job.grid), _dim3(job.block), job.shared_bytes),
        arguments=tuple(_argument(arrays[f"arg{i}"]) for i in range(count)),
        expected={
            int(name.removeprefix("expected")): value
            for name, value in arrays.items()
            if name.startswith("expected")
        },
        rtol=head["rtol"],
        atol=head["atol"],
    )


def _dim3(values: Sequence[int]) -> tuple[int, int, int]:
    x, y, z = values
    return x, y, z


def _argument(value: Array) -> Argument:
    scalar: Argument = value[()]
    return value if value.ndim else scalar
