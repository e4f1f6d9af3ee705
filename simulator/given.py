"""What a caller gives to :func:`simulator.replay`, checked before anything reads it."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, SupportsIndex

import numpy as np

from simulator.errors import ArgumentError
from simulator.isa.kernel import Kernel

Dim3 = tuple[int, int, int]

_VALUES = "biufcV"  # kinds of numpy types that have bytes of their own


def check_kernel(kernel: object) -> None:
    """Refuse what no front end made.

    Raises:
        ArgumentError: it is no Kernel.
    """
    if not isinstance(kernel, Kernel):
        raise ArgumentError(
            f"the kernel is {_a(kernel)}; give what compile_cuda, load_cubin, compile_ptx, "
            "from_cupy or from_numba returns"
        )


def dimensions(values: SupportsIndex | Sequence[int], name: str) -> Dim3:
    """``grid`` or ``block`` as three numbers; those left out are 1.

    Raises:
        ArgumentError: not one to three positive integers.
    """
    try:
        numbers = tuple(map(index, [values] if isinstance(values, SupportsIndex) else values))
    except TypeError:
        numbers = ()
    if not 1 <= len(numbers) <= 3 or min(numbers) < 1:
        raise ArgumentError(
            f"{name} {values!r} must be one to three positive integers, as in {name}=(32, 32)"
        )
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def whole(value: object, name: str) -> int:
    """A number from 0 on.

    Raises:
        ArgumentError: it is none.
    """
    try:
        number = index(value)  # type: ignore[arg-type]  # raises for what is no integer
    except TypeError:
        number = -1
    if number < 0:
        raise ArgumentError(f"{name} is {value!r}; give an integer from 0 on")
    return number


def launch_arguments(args: Sequence[Any]) -> list[Any]:
    """The kernel's arguments: arrays as they are, values as numpy scalars; None is a null pointer.

    Raises:
        ArgumentError: one is neither; names its position and the way out.
    """
    if isinstance(args, (np.ndarray, str, bytes)) or not np.iterable(args):
        raise ArgumentError(f"args is {_a(args)}; give a list with one value for each parameter")
    return [_argument(position, value) for position, value in enumerate(args)]


def _argument(position: int, value: Any) -> Any:
    if value is None:
        return np.uint64(0)
    if hasattr(value, "__cuda_array_interface__"):
        raise ArgumentError(
            f"argument {position} is {_a(value)} in a GPU's memory; copy it to a numpy array first"
        )
    if not isinstance(value, (np.ndarray, np.generic, bool, int, float, complex)):
        raise ArgumentError(
            f"argument {position} is {_a(value)}; give a numpy scalar (np.int32(4)) for a value, "
            "a numpy array for a buffer"
        )
    kind = np.asarray(value).dtype
    if kind.kind not in _VALUES or kind.hasobject or not kind.isnative:
        raise ArgumentError(
            f"argument {position} has elements of type {kind}, which a kernel cannot read; "
            "convert it with astype, for example to np.float32"
        )
    return value


def _a(value: object) -> str:
    return f"a {type(value).__name__}"
