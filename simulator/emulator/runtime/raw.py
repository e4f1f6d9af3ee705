"""Raw memory access for the runtime: loads and stores at an address plus an index.

The runtime works on memory that generated code shares with it, so it takes addresses (int64), not
arrays. Every function here compiles to one or two machine instructions.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from simulator.jit import intrinsic, types

_WORDS = {8: "uint8", 16: "uint16", 32: "uint32", 64: "int64"}


def _word(bits: int) -> Any:
    return getattr(types, _WORDS[bits])


def _place(builder: Any, arguments: Any, bits: int) -> Any:
    element = ir.IntType(bits)
    base = builder.inttoptr(arguments[0], element.as_pointer())
    return builder.gep(base, [arguments[1]])


def _loader(bits: int) -> Any:
    def load(typingctx: Any, base: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            value = builder.load(_place(builder, arguments, bits))
            value.align = bits // 8
            return value

        return _word(bits)(types.int64, types.int64), generate

    return intrinsic(load)


def _storer(bits: int) -> Any:
    def store(typingctx: Any, base: Any, index: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            instruction = builder.store(arguments[2], _place(builder, arguments, bits))
            instruction.align = bits // 8
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, _word(bits)), generate

    return intrinsic(store)


load8, load16, load32, load64 = (_loader(bits) for bits in (8, 16, 32, 64))
store8, store16, store32, store64 = (_storer(bits) for bits in (8, 16, 32, 64))


def _bitcaster(source: str, target: str) -> Any:
    def cast(typingctx: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], context.get_value_type(getattr(types, target)))

        return getattr(types, target)(getattr(types, source)), generate

    return intrinsic(cast)


bits_to_float = _bitcaster("uint32", "float32")
float_to_bits = _bitcaster("float32", "uint32")
bits_to_double = _bitcaster("int64", "float64")
double_to_bits = _bitcaster("float64", "int64")


def _reserver(size: int) -> Any:
    def reserve(typingctx: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            with builder.goto_entry_block():
                place = builder.alloca(ir.ArrayType(ir.IntType(8), size))
            place.align = 64
            return builder.ptrtoint(place, ir.IntType(64))

        return types.int64(), generate

    return intrinsic(reserve)


# Scratch memory that lives as long as the calling function (call it from the outermost one only).
reserve_planes = _reserver(8192)


def _fused(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """a * b + c on float64, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


fused: Any = intrinsic(_fused)


def _quotient(typingctx: Any, a: Any, b: Any) -> Any:
    """a / b on float64, also by zero."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fdiv(*arguments)

    return types.float64(types.float64, types.float64), generate


quotient: Any = intrinsic(_quotient)


def _call_code(typingctx: Any, function: Any, warp: Any, context_address: Any) -> Any:
    """Call a generated basic block: ``i32 f(warp, context)`` at a code address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        i64 = ir.IntType(64)
        kind = ir.FunctionType(ir.IntType(32), [i64, i64])
        pointer = builder.inttoptr(arguments[0], kind.as_pointer())
        return builder.call(pointer, [arguments[1], arguments[2]])

    return types.int32(types.int64, types.int64, types.int64), generate


def _count_ones(typingctx: Any, value: Any) -> Any:
    """Set bits of a 32-bit mask."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.zext(builder.ctpop(arguments[0]), ir.IntType(64))

    return types.int64(types.uint32), generate


call_code: Any = intrinsic(_call_code)
count_ones: Any = intrinsic(_count_ones)
