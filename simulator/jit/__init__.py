"""How compiled functions are compiled, and the types of their values.

Numba compiles them; ``objects`` keeps their machine code, so that a run that needs nothing new does
not load numba at all, and ``sources`` says when it is out of date.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np

from simulator.jit.calling import pack
from simulator.jit.function import Function, Intrinsic, load_numba

__all__ = [
    "LEAN",
    "Float",
    "Int",
    "bind",
    "compiled",
    "constant",
    "inlined",
    "int64",
    "intrinsic",
    "pack",
    "step",
    "types",
]

# Values inside compiled code are machine numbers whose width numba infers; where a module computes
# with several widths, Python's int and float would be the wrong promise.
Int: TypeAlias = Any
Float: TypeAlias = Any

Python = TypeVar("Python", bound=Callable[..., Any])
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

# Compiled functions read words of arrays as int64: mixed unsigned arithmetic would turn to floats.
int64: Callable[[Any], int] = cast("Callable[[Any], int]", np.int64)


def constant(value: int) -> int:
    """A named number that compiled functions may pass on.

    Numba compiles a function anew for every plain literal it is called with; a numpy scalar only
    has a type.
    """
    return cast(int, np.int64(value))


# Compiled functions allocate nothing and keep no arrays, so numba's reference counting is left out
# (``_nrt``): it would cost ten times what they do.
LEAN: dict[str, Any] = {"nogil": True, "_nrt": False}


def compiled(function: Python) -> Python:
    """Compile for calls from Python and from compiled code, without the interpreter lock."""
    return cast(Python, Function(function, LEAN))


def step(function: Python) -> Python:
    """Compile for calls from compiled code only."""
    return cast(Python, Function(function, LEAN))


def inlined(function: Python) -> Python:
    """Like ``step``, and always inlined into its callers' machine code."""
    return cast(Python, Function(function, {**LEAN, "forceinline": True}))


def bind(
    function: Callable[Arguments, Result], *arguments: Arguments.args, **_: Arguments.kwargs
) -> Callable[[], Result]:
    """A call of a compiled function with arguments that are taken apart once, for many times.

    The arrays' contents may change, their places not.
    """
    return cast(Function, function).bound(arguments)


def intrinsic(function: Callable[..., Any]) -> Any:
    """Numba's ``intrinsic``, made when something that calls it is compiled."""
    return Intrinsic(function)


class _Types:
    """``numba.types``, loaded when a type is asked for: by intrinsics, while they are compiled."""

    def __getattr__(self, name: str) -> Any:
        return getattr(load_numba().types, name)


types: Any = _Types()
