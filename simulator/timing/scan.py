"""Looking through all warps of a sub-core at once, written as LLVM vector code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from simulator.jit import intrinsic, types
from simulator.timing.state import NEVER, PLACES

_WORD = ir.IntType(64)
_ROW = ir.VectorType(_WORD, PLACES)


def _splat(builder: Any, word: Any) -> Any:
    """A row of equal words."""
    undefined = ir.Constant(_ROW, ir.Undefined)
    single = builder.insert_element(undefined, word, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(
        single, undefined, ir.Constant(ir.VectorType(ir.IntType(32), PLACES), [0] * PLACES)
    )


def _load_row(context: Any, builder: Any, kind: Any, table: Any, row: Any) -> Any:
    array = context.make_array(kind)(context, builder, table)
    first = builder.gep(array.data, [builder.mul(row, ir.Constant(_WORD, PLACES))])
    value = builder.load(builder.bitcast(first, _ROW.as_pointer()))
    value.align = 8
    return value


def _due(_typing: Any, table: Any, row: Any, now: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from numba.core.cgutils import get_or_insert_function

        times = _load_row(context, builder, signature.args[0], arguments[0], arguments[1])
        is_due = builder.icmp_signed("<=", times, _splat(builder, arguments[2]))
        bits = builder.zext(builder.bitcast(is_due, ir.IntType(PLACES)), _WORD)
        never = ir.Constant(_ROW, [int(NEVER)] * PLACES)
        later = builder.select(is_due, never, times)
        least = get_or_insert_function(
            builder.module, ir.FunctionType(_WORD, [_ROW]), f"llvm.vector.reduce.smin.v{PLACES}i64"
        )
        return context.make_tuple(
            builder, signature.return_type, (bits, builder.call(least, [later]))
        )

    return types.UniTuple(types.int64, 2)(table, types.int64, types.int64), generate


# due(table, row, now): of the times in a row of int64[:, PLACES] which are not after ``now``, one
# bit each, and the first of the others (NEVER if there is none).
due: Callable[..., tuple[int, int]] = intrinsic(_due)
