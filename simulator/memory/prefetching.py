"""Telling the processor what will be looked up soon."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from simulator.jit import intrinsic, types


def _prefetch(typing: Any, table: Any, place: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from numba.core.cgutils import get_or_insert_function

        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, flag, flag, flag])
        fetch = get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        entry = builder.bitcast(builder.gep(array.data, [arguments[1]]), pointer)
        builder.call(fetch, [entry, *(ir.Constant(flag, n) for n in (1, 3, 1))])
        return context.get_dummy_value()

    return types.void(table, types.int64), generate


LINE_WORDS = 16  # words of 32 bits that a processor fetches together
# prefetch(table, place): begin to fetch the entry that lies ``place`` entries behind the first.
prefetch: Callable[..., None] = intrinsic(_prefetch)
