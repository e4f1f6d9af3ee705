"""How the counting rules are compiled: one decorator and three bit operations.

Numba's on-disk cache watches only the file a function stands in. After editing a rule, delete the
``__pycache__`` folders (or touch the callers' files), or its callers keep the old code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a rule with numba: cached on disk, without the interpreter lock."""
    return cast(Function, njit(cache=True, nogil=True)(function))


def _lowest_lane(typingctx: Any, mask: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), generate


def _popcount(typingctx: Any, mask: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


# Both take and return an int64; the lowest lane of an empty mask is 64.
lowest_lane: Callable[[int], int] = intrinsic(_lowest_lane)
popcount: Callable[[int], int] = intrinsic(_popcount)
