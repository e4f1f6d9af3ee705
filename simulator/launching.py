"""From what a user names (catalogue kernel, source, cubin) to something that can be replayed.

The front ends load native libraries, so they are imported when a launch needs them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kernels.workload import Argument, Launch
from simulator.device import load_device
from simulator.device.limits import check_code, check_launch
from simulator.errors import ArgumentError, UnknownNameError
from simulator.isa.kernel import Kernel
from simulator.results import Run


@dataclass(frozen=True)
class Target:
    """A kernel with everything a replay needs."""

    kernel: Kernel
    launch: Launch
    arguments: tuple[Argument, ...]


def open_catalogue(
    name: str,
    size: int | Mapping[str, int] | None,
    seed: int,
    device: str,
    options: Sequence[str] = (),
) -> Target:
    """A catalogue kernel at a problem size, compiled for a device.

    ``options`` are added to the kernel's own compiler options.

    Raises:
        UnknownNameError: no such kernel.
        ArgumentError: a size the kernel cannot run.
        CompileError, ToolchainError: from the compiler.
    """
    from kernels.catalogue import load_workload, workloads
    from kernels.errors import SizeError, UnknownKernelError
    from simulator.frontends.cuda import compile_cuda

    try:
        workload = load_workload(name)
    except UnknownKernelError:
        names = [known for item in workloads() for known in (item.name, *item.aliases)]
        raise UnknownNameError("kernel", name, names) from None
    try:
        problem = workload.problem(size, seed)
    except SizeError as error:
        raise ArgumentError(str(error)) from None
    kernel = compile_cuda(
        workload.source,
        workload.entry,
        device,
        (*workload.options, *options),
        name=workload.source_file,
    )
    return Target(kernel, problem.launch, problem.arguments)


def open_source(
    path: Path,
    entry: str | None,
    device: str,
    options: Sequence[str],
    launch: Launch,
    arguments: Sequence[Argument],
) -> Target:
    """A kernel of a CUDA C++ or PTX file; ``entry`` may be left out when it holds one kernel.

    Raises:
        InputError: the file cannot be read, or holds several kernels and no entry is given.
        CompileError, UnknownNameError, ToolchainError: from the compiler.
    """
    from simulator.frontends.cuda import compile_cuda
    from simulator.frontends.ptx import compile_ptx

    compile_file = compile_ptx if path.suffix == ".ptx" else compile_cuda
    kernel = compile_file(path, entry, device, tuple(options))
    return Target(kernel, launch, tuple(arguments))


def open_cubin(
    path: Path, entry: str | None, launch: Launch, arguments: Sequence[Argument]
) -> Target:
    """A kernel of a cubin file; ``entry`` may be left out when it holds one kernel.

    Raises:
        InputError: the file cannot be read, or holds several kernels and no entry is given.
        CubinError, UnknownNameError: it is no cubin, or has no such kernel.
    """
    from simulator.frontends.cubin import load_cubin

    return Target(load_cubin(path, entry), launch, tuple(arguments))


def check_target(target: Target, device: str) -> None:
    """Refuse what could not be launched on the device: code, dimensions, shared memory, registers.

    Raises:
        ArgumentError: names what is over which limit.
    """
    kernel, launch = target.kernel, target.launch
    gpu = load_device(device)
    check_code(gpu, kernel.architecture)
    shared_bytes = kernel.static_shared_bytes + launch.shared_bytes
    check_launch(gpu, launch.grid, launch.block, shared_bytes, kernel.registers)


def replay_target(
    target: Target,
    device: str,
    blocks: str | int,
    caches: bool = False,
    time: bool = False,
    bank_pressure: bool = False,
    timeline: int = 0,
    what_if: Mapping[str, float] | None = None,
) -> Run:
    """Replay a target that passed :func:`check_target`; with caches and more if asked to."""
    from simulator.composition import replay

    launch = target.launch
    return replay(
        target.kernel,
        grid=launch.grid,
        block=launch.block,
        args=list(target.arguments),
        shared_bytes=launch.shared_bytes,
        device=device,
        blocks=blocks,
        caches=caches,
        time=time,
        bank_pressure=bank_pressure,
        timeline=timeline,
        what_if=what_if,
    )
