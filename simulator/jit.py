"""How compiled functions are compiled, and the types of their values.

Numba's on-disk cache watches only the file a function stands in. After editing a rule, delete the
``__pycache__`` folders, or callers in other files keep the old code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np

_njit: Any = numba.njit  # some options used here are missing in its stubs

# Values inside compiled code are machine numbers whose width numba infers; where a module computes
# with several widths, Python's int and float would be the wrong promise.
Int: TypeAlias = Any
Float: TypeAlias = Any

Function = TypeVar("Function", bound=Callable[..., Any])

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
OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "no_cfunc_wrapper": True,
    "_nrt": False,
}


def compiled(function: Function) -> Function:
    """Compile with numba: cached on disk, without the interpreter lock or reference counts."""
    return cast(Function, _njit(**OPTIONS)(function))


def step(function: Function) -> Function:
    """Like ``compiled`` but only for calls from compiled code, which halves the compile time."""
    return cast(Function, _njit(no_cpython_wrapper=True, **OPTIONS)(function))


def allocating(function: Function) -> Function:
    """Compile functions that make small arrays of their own."""
    return cast(Function, _njit(cache=True, nogil=True)(function))


def inlined(function: Function) -> Function:
    """Like ``step``, and always inlined into its callers' machine code."""
    return cast(Function, _njit(forceinline=True, no_cpython_wrapper=True, **OPTIONS)(function))
