"""Replays what a record was measured from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from kernels import UnknownKernelError, load_workload
from kernels.workload import Problem
from simulator.device import load_device
from simulator.errors import UnknownNameError
from simulator.isa.kernel import Kernel
from simulator.results import Run

from .errors import RecordError
from .jobs import CUBIN_FILE, read_job, read_problem
from .records import SUFFIX, Record, check_program

JOB_SUFFIX = ".job"  # beside a record of a kernel that is not in the catalogue


def device_of(record: Record) -> str:
    """The name of the data file of the GPU a record was measured on.

    Raises:
        RecordError: that GPU has none; says how to add one.
    """
    gpu = str(record.provenance.get("gpu", "an unnamed GPU"))
    try:
        return load_device(gpu).name
    except UnknownNameError:
        raise RecordError(no_data_file(gpu, record.architecture)) from None


def no_data_file(gpu: str, architecture: int) -> str:
    """What to do for a GPU that cannot be predicted yet."""
    return (
        f"{gpu} has no data file, so nothing is predicted for it; to add one, copy the file of a "
        f"GPU of sm_{architecture} (or of the nearest architecture) in simulator/device/data/, "
        "set its name and its numbers and name their sources"
    )


def replay_record(record: Record, path: Path, time: bool = False) -> Run:
    """Replay the launch of a record: of the catalogue, of the unseen kernels, or of the job kept
    beside the file.

    With ``time`` its time is predicted too.

    Raises:
        RecordError: neither is there, or the machine code is another now.
        SimulatorError: from the compiler or the replay.
    """
    from simulator.composition import replay

    device = device_of(record)
    kernel, problem = _origin(record, path, device)
    check_program(record, kernel.program_hash, kernel.compiler)
    launch = problem.launch
    arguments = list(problem.arguments)
    shared = launch.shared_bytes
    return replay(kernel, launch.grid, launch.block, arguments, shared, device, time=time)


def is_comparable(record: Record) -> bool:
    """Whether the record holds counts; a launch that faulted on the GPU has none."""
    return bool(record.instructions or record.metrics)


def _origin(record: Record, path: Path, device: str) -> tuple[Kernel, Problem]:
    """The code and the arguments; a kept job comes first, its name may be a catalogue kernel's."""
    if job_beside(path).is_dir():
        return _kept_job(record, path)
    from .unseen import find_unseen  # which imports how jobs are prepared

    found = _catalogue(record) or find_unseen(record.kernel, device)
    return found or _kept_job(record, path)


def _catalogue(record: Record) -> tuple[Kernel, Problem] | None:
    try:
        workload = load_workload(record.kernel)
    except UnknownKernelError:
        return None
    return _compiled(workload.name, record.architecture), workload.problem(record.size, record.seed)


@lru_cache(maxsize=4)
def _compiled(name: str, architecture: int) -> Kernel:
    from simulator.frontends.cuda import compile_cuda

    item = load_workload(name)
    return compile_cuda(
        item.source,
        entry=item.entry,
        device=architecture,
        options=item.options,
        name=item.source_file,
    )


def _kept_job(record: Record, path: Path) -> tuple[Kernel, Problem]:
    from simulator.frontends.cubin import load_cubin

    folder = job_beside(path)
    if not folder.is_dir():
        raise RecordError(
            f"{record.kernel} is not in the catalogue, and {folder} with its code and arguments "
            "is missing; keep it beside the record, or measure again"
        )
    job = read_job(folder)

    def no_maker(*_: object) -> Problem:
        raise RecordError(f"{folder} holds no arguments; measure again")

    return load_cubin(folder / CUBIN_FILE, job.entry), read_problem(folder, no_maker)


def job_beside(path: Path) -> Path:
    """Where the job of a record is kept."""
    return path.with_name(path.name.removesuffix(SUFFIX) + JOB_SUFFIX)


def chosen(paths: list[Path], names: list[str]) -> Iterator[Path]:
    """The record files of these kernels; all of them without names."""
    for path in paths:
        if not names or path.name.split("-")[0] in names:
            yield path
