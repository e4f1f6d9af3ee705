"""How the counting rules are compiled.

Numba's on-disk cache watches only the file a function stands in. After editing a rule, delete the
``__pycache__`` folders, or callers in other files keep the old code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile with numba: cached on disk, without the interpreter lock."""
    return cast(Function, njit(cache=True, nogil=True)(function))


def inlined(function: Function) -> Function:
    """Like ``compiled``, and always inlined into its callers' machine code."""
    return cast(Function, njit(cache=True, nogil=True, forceinline=True)(function))
