"""A user's own launch as a job: a CUDA source or a cubin with its dimensions and arguments."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kernels.workload import Launch, Problem
from simulator.arguments import parse_arguments, parse_dim3
from simulator.errors import ArgumentError
from simulator.isa.kernel import Kernel

from .jobs import write_job
from .prepare import make_job
from .records import SUFFIX
from .replays import JOB_SUFFIX


@dataclass(frozen=True)
class OwnLaunch:
    """What the command line says of a launch; texts as in ``simulator.arguments``."""

    source: Path | None
    cubin: Path | None
    entry: str | None
    grid: str | None
    block: str | None
    shared_bytes: int
    arguments: Sequence[str]
    options: Sequence[str]
    seed: int

    @property
    def file(self) -> Path:
        """The source or cubin."""
        path = self.source or self.cubin
        assert path is not None  # the command line gives one
        return path


def prepare_own(own: OwnLaunch, problem: Problem, architecture: int, name: str, root: Path) -> Path:
    """Compile or load the kernel and write its job below ``root``; returns the job's folder.

    Raises:
        ArgumentError: code for other GPUs.
        CompileError, CubinError, UnknownNameError, ToolchainError: from the front ends.
    """
    kernel = _kernel(own, architecture)
    if kernel.architecture // 10 != architecture // 10 or kernel.architecture > architecture:
        raise ArgumentError(
            f"{own.file} is machine code for sm_{kernel.architecture}, this GPU is "
            f"sm_{architecture}; compile it for this one"
        )
    job = make_job(name, kernel, problem, {}, own.seed)
    return write_job(replace(job, stored=True), kernel.cubin, problem, root)


def own_problem(own: OwnLaunch) -> Problem:
    """Dimensions and arguments of the launch; there is no reference to check outputs against.

    Raises:
        ArgumentError: one is missing or cannot be read.
    """
    if own.grid is None or own.block is None:
        missing = "--grid" if own.grid is None else "--block"
        raise ArgumentError(f"your own kernel needs {missing}, for example {missing} 32,32")
    grid, block = parse_dim3(own.grid, "--grid"), parse_dim3(own.block, "--block")
    arguments = parse_arguments(own.arguments, own.seed)
    return Problem(Launch(grid, block, own.shared_bytes), arguments, expected={})


def _kernel(own: OwnLaunch, architecture: int) -> Kernel:
    if own.source is not None:
        from simulator.frontends.cuda import compile_cuda

        return compile_cuda(own.source, own.entry, architecture, tuple(own.options))
    from simulator.frontends.cubin import load_cubin

    if own.options:
        raise ArgumentError("--option does not go with --cubin; leave it out")
    return load_cubin(own.file, own.entry)


def place(out: Path, default_name: str) -> tuple[Path, str]:
    """Folder and name of one record; ``out`` is a folder or a file ``NAME.json.xz``."""
    if out.name.endswith(SUFFIX):
        return out.parent, out.name.removesuffix(SUFFIX)
    return out, default_name


def keep_job(folder: Path, out: Path) -> None:
    """Keep a job beside its record, so that it can be replayed later."""
    out.mkdir(parents=True, exist_ok=True)
    shutil.copytree(folder, out / f"{folder.name}{JOB_SUFFIX}", dirs_exist_ok=True)
