"""Operations on all 32 lanes at once, written as LLVM vector code.

Each is called from numba-compiled code like a function. ``rows`` are C-contiguous uint32 arrays:
a row of 32 addresses (one axis), or a table whose rows hold one from a given column on (two axes).
Masks are int64 (bit i: lane i) unless noted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from simulator.jit import intrinsic, types

LANES = 32
WORD = ir.IntType(32)
INDEX = ir.IntType(64)
VECTOR = ir.VectorType(WORD, LANES)

# Odd numbers without a pattern, one a lane (multiples of the golden ratio).
HASH_FACTORS = [(lane * 0x9E3779B9 & 0xFFFFFFFF) | 1 for lane in range(1, LANES + 1)]


def _load(builder: Any, pointer: Any) -> Any:
    """Load 32 words; rows are only aligned to a word."""
    value = builder.load(builder.bitcast(pointer, VECTOR.as_pointer()))
    value.align = 4
    return value


def _splat(builder: Any, word: Any) -> Any:
    """A vector of 32 equal words."""
    undefined = ir.Constant(VECTOR, ir.Undefined)
    single = builder.insert_element(undefined, word, ir.Constant(WORD, 0))
    return builder.shuffle_vector(single, undefined, ir.Constant(VECTOR, [0] * LANES))


def _row_pointer(context: Any, builder: Any, kind: Any, table: Any, row: Any, column: Any) -> Any:
    """Pointer to the word at (row, column) of a table."""
    array = context.make_array(kind)(context, builder, table)
    words = builder.mul(row, builder.extract_value(array.shape, 1))
    return builder.gep(array.data, [builder.add(words, column)])


def _moved(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
    """The row at (table, row, column) less a base address, inactive lanes zero."""
    table, row, column, base, mask = arguments
    pointer = _row_pointer(context, builder, kinds[0], table, row, column)
    moved = builder.sub(_load(builder, pointer), _splat(builder, base))
    bits = builder.bitcast(builder.trunc(mask, WORD), ir.VectorType(ir.IntType(1), LANES))
    return builder.and_(moved, builder.sext(bits, VECTOR))


def _lowest_lane(typing: Any, mask: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), generate


def _popcount(typing: Any, mask: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


def _same_lanes(typing: Any, addresses: Any, lane: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        own = builder.load(builder.gep(array.data, [arguments[1]]))
        difference = builder.xor(_load(builder, array.data), _splat(builder, own))
        kept = builder.and_(difference, _splat(builder, builder.trunc(arguments[2], WORD)))
        equal = builder.icmp_unsigned("==", kept, ir.Constant(VECTOR, [0] * LANES))
        return builder.zext(builder.bitcast(equal, WORD), INDEX)

    return types.int64(addresses, types.int64, types.int64), generate


def _hash_row(typing: Any, table: Any, row: Any, column: Any, base: Any, mask: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from numba.core.cgutils import get_or_insert_function

        moved = _moved(context, builder, signature.args, arguments)
        products = builder.mul(moved, ir.Constant(VECTOR, HASH_FACTORS))
        add = get_or_insert_function(
            builder.module, ir.FunctionType(WORD, [VECTOR]), "llvm.vector.reduce.add.v32i32"
        )
        return builder.zext(builder.call(add, [products]), INDEX)

    index = types.int64
    return types.int64(table, index, index, types.uint32, index), generate


def _row_equals(
    typing: Any,
    table: Any,
    row: Any,
    column: Any,
    base: Any,
    mask: Any,
    known: Any,
    known_row: Any,
    known_column: Any,
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        moved = _moved(context, builder, signature.args, arguments[:5])
        pointer = _row_pointer(context, builder, signature.args[5], *arguments[5:])
        differ = builder.icmp_unsigned("!=", moved, _load(builder, pointer))
        return builder.icmp_unsigned("==", builder.bitcast(differ, WORD), ir.Constant(WORD, 0))

    index = types.int64
    arguments = (table, index, index, types.uint32, index, known, index, index)
    return types.boolean(*arguments), generate


def _move_row(
    typing: Any,
    table: Any,
    row: Any,
    column: Any,
    base: Any,
    mask: Any,
    to: Any,
    to_row: Any,
    to_column: Any,
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        moved = _moved(context, builder, signature.args, arguments[:5])
        pointer = _row_pointer(context, builder, signature.args[5], *arguments[5:])
        store = builder.store(moved, builder.bitcast(pointer, VECTOR.as_pointer()))
        store.align = 4
        return context.get_dummy_value()

    index = types.int64
    return types.void(table, index, index, types.uint32, index, to, index, index), generate


# lowest_lane(mask): the lowest set bit; 64 for an empty mask.
lowest_lane: Callable[[int], int] = intrinsic(_lowest_lane)
# popcount(mask): the number of set bits.
popcount: Callable[[int], int] = intrinsic(_popcount)
# same_lanes(addresses, lane, bits): the lanes whose address agrees with the lane's in these bits.
same_lanes: Callable[..., int] = intrinsic(_same_lanes)
# hash_row(table, row, column, base, mask): hash of the moved row; its high bits (of 32) are good.
hash_row: Callable[..., int] = intrinsic(_hash_row)
# row_equals(table, row, column, base, mask, known, known_row, known_column): whether the moved row
# is the known one.
row_equals: Callable[..., bool] = intrinsic(_row_equals)
# move_row(table, row, column, base, mask, to, to_row, to_column): write the moved row.
move_row: Callable[..., None] = intrinsic(_move_row)
