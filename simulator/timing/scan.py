"""Looking through all warps of a sub-core, or all queues, at once, written as LLVM vector code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from simulator.jit import intrinsic, types
from simulator.timing.state import (
    HEAD_CAME,
    HEAD_TIME,
    NEEDS_PORT,
    NEEDS_ROOM,
    NEEDS_TAG,
    NEVER,
    PLACES,
    SUBCORES,
)

_WORD, _HALF = ir.IntType(64), ir.IntType(32)
_LATE = (1 << 31) - 1


def _splat(builder: Any, word: Any, length: int) -> Any:
    """A row of equal words."""
    undefined = ir.Constant(ir.VectorType(word.type, length), ir.Undefined)
    single = builder.insert_element(undefined, word, ir.Constant(_HALF, 0))
    return builder.shuffle_vector(
        single, undefined, ir.Constant(ir.VectorType(_HALF, length), [0] * length)
    )


def _constants(word: Any, value: int, length: int) -> Any:
    return ir.Constant(ir.VectorType(word, length), [value] * length)


def _load_row(context: Any, builder: Any, kind: Any, table: Any, row: Any, length: int) -> Any:
    array = context.make_array(kind)(context, builder, table)
    words = array.data.type.pointee
    first = builder.gep(array.data, [builder.mul(row, ir.Constant(_WORD, length))])
    value = builder.load(builder.bitcast(first, ir.VectorType(words, length).as_pointer()))
    value.align = words.width // 8
    return value


def _least(builder: Any, row: Any) -> Any:
    from numba.core.cgutils import get_or_insert_function

    kind = ir.FunctionType(row.type.element, [row.type])
    name = f"llvm.vector.reduce.smin.v{row.type.count}i{row.type.element.width}"
    return builder.call(get_or_insert_function(builder.module, kind, name), [row])


def _greater(builder: Any, row: Any, other: Any) -> Any:
    return builder.select(builder.icmp_signed(">", row, other), row, other)


def _bits(builder: Any, flags: Any) -> Any:
    """A row of flags as the bits of a word."""
    return builder.zext(builder.bitcast(flags, ir.IntType(flags.type.count)), _WORD)


def _due(_typing: Any, table: Any, row: Any, now: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, row, _ = arguments
        times = _load_row(context, builder, signature.args[0], table, row, PLACES)
        now = _splat(builder, builder.trunc(arguments[2], _HALF), PLACES)
        is_due = builder.icmp_signed("<=", times, now)
        later = _least(builder, builder.select(is_due, _constants(_HALF, _LATE, PLACES), times))
        found = _bits(builder, is_due), builder.sext(later, _WORD)
        return context.make_tuple(builder, signature.return_type, found)

    return types.UniTuple(types.int64, 2)(table, types.int64, types.int64), generate


def _first_head(_typing: Any, heads: Any, port: Any, tag: Any, turn: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, port, tag, turn = arguments

        def column(number: int) -> Any:
            place = ir.Constant(_WORD, number)
            return _load_row(context, builder, signature.args[0], table, place, SUBCORES)

        def needed(time: Any, number: int) -> Any:
            return builder.and_(_splat(builder, time, SUBCORES), column(number))

        times = _greater(builder, column(HEAD_TIME), needed(port, NEEDS_PORT))
        times = _greater(builder, times, needed(tag, NEEDS_TAG))
        soonest = _least(builder, times)
        ties = builder.icmp_signed("==", times, _splat(builder, soonest, SUBCORES))
        came = builder.select(ties, column(HEAD_CAME), _constants(_WORD, int(NEVER), SUBCORES))
        oldest = _splat(builder, _least(builder, came), SUBCORES)
        ties = builder.and_(ties, builder.icmp_signed("==", came, oldest))
        twice = builder.mul(_bits(builder, ties), ir.Constant(_WORD, 1 + (1 << SUBCORES)))
        behind = builder.cttz(builder.lshr(twice, turn), ir.Constant(ir.IntType(1), 0))
        queue = builder.and_(builder.add(turn, behind), ir.Constant(_WORD, SUBCORES - 1))
        zero = _constants(_WORD, 0, SUBCORES)
        senders = _bits(builder, builder.icmp_signed("<", column(NEEDS_ROOM), zero))
        return context.make_tuple(builder, signature.return_type, (soonest, queue, senders))

    word = types.int64
    return types.UniTuple(word, 3)(heads, word, word, word), generate


# due(table, row, now): of the times in a row of int32[:, PLACES] which are not after ``now``, one
# bit each, and the first of the others (the largest number if there is none).
due: Callable[..., tuple[int, int]] = intrinsic(_due)
# first_head(heads, port, tag, turn): when the first of the queues' heads could be served, which,
# and the heads that need room for what they send, one bit each; of several then that which came
# first, of those the next one from ``turn`` on. ``port`` and ``tag``: when these are free.
first_head: Callable[..., tuple[int, int, int]] = intrinsic(_first_head)
