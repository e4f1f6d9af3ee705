"""Whether a device can launch a kernel at all: CUDA's launch limits."""

from __future__ import annotations

import math

from simulator.device.model import Device
from simulator.errors import ArgumentError

Dim3 = tuple[int, int, int]


def check_code(device: Device, architecture: int) -> None:
    """Refuse machine code that the device cannot run.

    A GPU runs code of its own compute capability and of earlier ones with the same major number.

    Raises:
        ArgumentError: code for ``sm_<architecture>`` is for other GPUs.
    """
    code, chip = divmod(architecture, 10), divmod(device.architecture, 10)
    if code[0] != chip[0] or code[1] > chip[1]:
        raise ArgumentError(
            f"this is machine code for sm_{architecture}, {device.title} is "
            f"sm_{device.architecture}; choose another device"
        )


def _check_dimensions(name: str, given: Dim3, limit: Dim3, device: Device) -> None:
    for axis, size, most in zip("xyz", given, limit, strict=True):
        if size < 1:
            raise ArgumentError(f"{name}.{axis} is {size}; it must be at least 1")
        if size > most:
            raise ArgumentError(f"{name}.{axis} is {size:,}; {device.title} allows {most:,}")


def _round_up(number: int, unit: int) -> int:
    return -(-number // unit) * unit


def registers_per_block(device: Device, registers: int, threads: int) -> int:
    """Registers a block takes: whole allocation units a warp, warps in whole groups.

    ``registers`` are those of a thread. Rule: the toolkit's occupancy header.
    """
    per_warp = _round_up(registers * 32, device.register_allocation_unit)
    warps = _round_up(threads, 32) // 32
    return per_warp * _round_up(warps, device.warp_allocation_granularity)


def check_launch(
    device: Device,
    grid: Dim3,
    block: Dim3,
    shared_bytes: int = 0,
    registers: int = 0,
) -> None:
    """Refuse what the CUDA driver would refuse to launch.

    ``shared_bytes`` is static and dynamic together, with opt-in to the large limit;
    ``registers`` are those of a thread.

    Raises:
        ArgumentError: a dimension, the block's threads, its shared memory or its registers are
            over a limit of the device; names the number and the limit.
    """
    _check_dimensions("grid", grid, device.max_grid_dim, device)
    _check_dimensions("block", block, device.max_block_dim, device)
    threads = math.prod(block)
    if threads > device.max_threads_per_block:
        most = device.max_threads_per_block
        raise ArgumentError(f"a block of {threads:,} threads; {device.title} allows {most:,}")
    if not 0 <= shared_bytes <= device.shared_bytes_per_block_optin:
        most = device.shared_bytes_per_block_optin
        raise ArgumentError(
            f"{shared_bytes:,} bytes of shared memory a block; {device.title} allows {most:,}"
        )
    taken = registers_per_block(device, registers, threads)
    if taken > device.max_registers_per_block:
        raise ArgumentError(
            f"a block of {threads:,} threads with {registers} registers each takes {taken:,} "
            f"registers; {device.title} allows {device.max_registers_per_block:,}: "
            "use fewer threads or __launch_bounds__"
        )
