"""Constant bank 0 of a launch: dimensions, stack pointer and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.emulator import layout as layouts
from simulator.emulator.arena import Arena
from simulator.errors import ArgumentError
from simulator.isa.kernel import ArrayPassing, Kernel, OperandKind, Parameter

Dim3 = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class BankLayout:
    """Byte offsets in constant bank 0 that the compiler reads."""

    block_dim: int
    grid_dim: int
    stack_pointer: int
    workspace: int  # the low word of its address; the high word stands before
    local_window: int  # where generic addresses of local memory start (64 bits)


# Read off compiled kernels of each architecture.
_UP_TO_SM_89 = BankLayout(0x0, 0xC, stack_pointer=0x28, workspace=0x90, local_window=0x20)
_SM_90 = BankLayout(0x0, 0xC, stack_pointer=0x28, workspace=0x48, local_window=0x20)
_FROM_SM_100 = BankLayout(0x360, 0x370, stack_pointer=0x37C, workspace=0x258, local_window=0x2F8)
# From sm_100 on code reads the workspace so many bytes lower for each block of a cluster.
_CLUSTER_BYTES = 0xA0

# What the driver hands to a cooperative launch, all zeros: a size and the word that a barrier of
# the grid counts in (cooperative_groups, grid_workspace).
WORKSPACE_BYTES = 64

# Up to sm_89: where generic addresses of shared memory start (64 bits); later a special register.
_SHARED_WINDOW = 0x18


def bank_layout(architecture: int) -> BankLayout:
    """The layout of an architecture such as 89."""
    if architecture >= 100:
        return _FROM_SM_100
    return _SM_90 if architecture >= 90 else _UP_TO_SM_89


def reads_workspace(kernel: Kernel) -> bool:
    """Whether a kernel asks for the workspace of a cooperative launch, as grid.sync() does."""
    place = bank_layout(kernel.architecture).workspace
    return any(
        o.kind is OperandKind.CONSTANT and o.bank == 0 and o.value == place
        for i in kernel.instructions
        for o in i.operands
    )


def launch_bank(
    kernel: Kernel,
    grid: Dim3,
    block: Dim3,
    stack_pointer: int,
    arguments: Sequence[Any],
    arena: Arena,
) -> bytes:
    """Bank 0 as bytes. Arrays among ``arguments`` are the arena's buffers in order; the workspace
    is the next one, where the kernel reads it.

    Raises ArgumentError when arguments do not fit the kernel's parameters.
    """
    end = max((p.offset + p.size for p in kernel.parameters), default=0)
    bank = np.zeros(kernel.parameter_base + end + 64, dtype=np.uint8)
    given = kernel.constants.get(0, b"")
    bank[: min(len(given), len(bank))] = np.frombuffer(given, np.uint8)[: len(bank)]
    layout = bank_layout(kernel.architecture)
    for base, values in ((layout.block_dim, block), (layout.grid_dim, grid)):
        bank[base : base + 12] = np.array(values, dtype=np.uint32).view(np.uint8)
    pointer = np.array([stack_pointer], dtype=np.uint32).view(np.uint8)
    bank[layout.stack_pointer : layout.stack_pointer + 4] = pointer
    _write_window(bank, layout.local_window, layouts.LOCAL_WINDOW_HIGH)
    if kernel.architecture < 90:
        _write_window(bank, _SHARED_WINDOW, layouts.SHARED_WINDOW_HIGH)
    buffers = 0
    filled = passed(kernel, arguments)
    _check_count(kernel, arguments, filled)
    for parameter, argument in zip(kernel.parameters, filled, strict=True):
        if isinstance(argument, np.ndarray):
            value = np.array([arena.device_address(buffers)], dtype=np.uint64).view(np.uint8)
            buffers += 1
        else:
            value = np.frombuffer(np.asarray(argument).tobytes(), dtype=np.uint8)
        _check_size(kernel, parameter, argument, len(value))
        place = kernel.parameter_base + parameter.offset
        bank[place : place + len(value)] = value
    if reads_workspace(kernel):
        _write_workspace(bank, kernel.architecture, arena.device_address(buffers))
    return bank.tobytes()


def _write_window(bank: NDArray[np.uint8], place: int, high: int) -> None:
    bank[place : place + 8] = np.array([0, high], dtype=np.uint32).view(np.uint8)


def _write_workspace(bank: NDArray[np.uint8], architecture: int, address: int) -> None:
    place = bank_layout(architecture).workspace
    if architecture >= 100:
        place -= _CLUSTER_BYTES  # a launch without clusters is one of clusters of one block
    words = np.array([address >> 32, address & 0xFFFFFFFF], dtype=np.uint32)
    bank[place - 4 : place + 4] = words.view(np.uint8)


def passed(kernel: Kernel, arguments: Sequence[Any]) -> list[Any]:
    """A value a parameter: an array stands for its address, or as Numba passes it."""
    if kernel.array_passing is ArrayPassing.POINTER:
        return list(arguments)
    found: list[Any] = []
    for argument in arguments:
        found += _numba_words(argument) if isinstance(argument, np.ndarray) else [argument]
    return found


def _numba_words(array: np.ndarray[Any, Any]) -> list[Any]:
    """What a kernel of Numba gets for an array, which lies in C order in a replay."""
    strides: list[int] = []
    step = array.itemsize
    for extent in reversed(array.shape):
        strides.insert(0, step)
        step *= extent
    nothing = np.uint64(0)  # no owner and no parent
    sizes = [np.int64(array.size), np.int64(array.itemsize)]
    shape = [np.int64(n) for n in (*array.shape, *strides)]
    return [nothing, nothing, *sizes, array, *shape]


def _check_count(kernel: Kernel, arguments: Sequence[Any], values: Sequence[Any]) -> None:
    if len(values) == len(kernel.parameters):
        return
    if len(values) != len(arguments):
        raise ArgumentError(
            f"the arguments of kernel {kernel.name} make {len(values)} parameters instead of "
            f"{len(kernel.parameters)}; give arrays of the signature's dimensions"
        )
    sizes = ", ".join(str(p.size) for p in kernel.parameters)
    takes = f"{len(kernel.parameters)} of {sizes} bytes" if sizes else "none"
    given = "1 argument was" if len(arguments) == 1 else f"{len(arguments)} arguments were"
    raise ArgumentError(
        f"{given} given to kernel {kernel.name}, which takes {takes}; "
        "give one for each of its parameters, in order"
    )


def _check_size(kernel: Kernel, parameter: Parameter, argument: Any, size: int) -> None:
    if size != parameter.size:
        given = "a buffer" if isinstance(argument, np.ndarray) else np.asarray(argument).dtype.name
        raise ArgumentError(
            f"argument {parameter.index} of kernel {kernel.name} is {given} of {size} bytes, but "
            f"the parameter has {parameter.size}; {_way_out(parameter)}"
        )


def _way_out(parameter: Parameter) -> str:
    if parameter.size in (1, 2, 4, 8):
        return (
            "give a numpy scalar of the right type (np.int32, np.float32, ...) or an array for a "
            "pointer"
        )
    return "give a struct as a scalar of a structured numpy type with its fields"
