"""Compiles catalogue kernels for a GPU and writes the jobs that measure them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from kernels import Problem, UnknownKernelError, Workload, load_workload, workloads
from simulator.errors import UnknownNameError
from simulator.frontends.cuda import compile_cuda
from simulator.isa.kernel import Kernel

from .jobs import Job, arguments_digest, job_name, write_job

SEED = 0


def select_workloads(names: Iterable[str]) -> list[Workload]:
    """The catalogue kernels of these names; ``all`` stands for every one.

    Raises:
        UnknownNameError: there is no such kernel.
    """
    wanted = list(names)
    if "all" in wanted:
        return list(workloads())
    try:
        return [load_workload(name) for name in wanted]
    except UnknownKernelError as error:
        known = [name for item in workloads() for name in (item.name, *item.aliases)]
        raise UnknownNameError("kernel", error.name, known) from None


def job_sizes(workload: Workload, defaults: bool) -> Iterator[Mapping[str, int]]:
    """The problem sizes to measure: the test sizes, then the default size where asked for."""
    yield from workload.test_sizes
    if defaults and dict(workload.sizes) not in [dict(size) for size in workload.test_sizes]:
        yield workload.sizes


def prepare_workload(
    workload: Workload, device: str | int, root: Path, defaults: bool = False
) -> list[Path]:
    """Compile a kernel for ``device`` and write a job for each size to measure below ``root``.

    Raises:
        CompileError, ToolchainError: as ``compile_cuda``.
    """
    return prepare_sizes(workload, job_sizes(workload, defaults), device, root)


def prepare_sizes(
    workload: Workload,
    sizes: Iterable[Mapping[str, int]],
    device: str | int,
    root: Path,
    seed: int = SEED,
) -> list[Path]:
    """Compile a kernel for ``device`` and write a job for each of some sizes below ``root``.

    Raises:
        CompileError, ToolchainError: as ``compile_cuda``.
    """
    kernel = compile_cuda(
        workload.source,
        entry=workload.entry,
        device=device,
        options=workload.options,
        name=workload.source_file,
    )
    folders = []
    for size in sizes:
        problem = workload.problem(size, seed)
        job = make_job(workload.name, kernel, problem, size, seed)
        folders.append(write_job(job, kernel.cubin, problem, root))
    return folders


def make_job(
    name: str, kernel: Kernel, problem: Problem, size: Mapping[str, int], seed: int
) -> Job:
    """The job of one launch of a compiled catalogue kernel."""
    return Job(
        name=job_name(name, size),
        kernel=name,
        entry=kernel.name,
        architecture=kernel.architecture,
        program_hash=kernel.program_hash,
        compiler=kernel.compiler,
        grid=list(problem.launch.grid),
        block=list(problem.launch.block),
        shared_bytes=problem.launch.shared_bytes,
        digest=arguments_digest(problem.arguments),
        size=dict(size),
        seed=seed,
    )
