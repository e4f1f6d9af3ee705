"""Vectors of eight 32-bit integers inside compiled functions, for code the compiler cannot find.

A vector is a value like an int: operations take and give vectors. Comparisons give all ones or zero
in every element, so that ``choose`` takes what they give.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

WIDTH = 8
_I32 = ir.IntType(32)
_VECTOR = ir.VectorType(_I32, WIDTH)
Emit = Callable[..., Any]


class _Vector(types.Type):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(name="eight_int32")


VECTOR = _Vector()


@register_model(_Vector)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _named(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    """A call of one of LLVM's own functions."""
    kind = ir.FunctionType(result, [a.type for a in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), list(arguments))


def _operation(signature: Any, emit: Emit) -> Any:
    """A compiled function whose code ``emit(builder, *arguments)`` writes."""

    def generate(context: Any, builder: Any, found: Any, arguments: Any) -> Any:
        value = emit(builder, *arguments)
        return context.get_dummy_value() if value is None else value

    def one(typingctx: Any, a: Any) -> Any:
        return signature, generate

    def two(typingctx: Any, a: Any, b: Any) -> Any:
        return signature, generate

    def three(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
        return signature, generate

    return intrinsic((one, two, three)[len(signature.args) - 1])


def _binary(name: str) -> Any:
    return _operation(VECTOR(VECTOR, VECTOR), lambda b, x, y: getattr(b, name)(x, y))


def _builtin(name: str) -> Any:
    def emit(builder: Any, x: Any, y: Any) -> Any:
        return _named(builder, f"llvm.{name}.v8i32", _VECTOR, x, y)

    return _operation(VECTOR(VECTOR, VECTOR), emit)


def _place(builder: Any, base: Any, index: Any) -> Any:
    words = builder.inttoptr(base, _I32.as_pointer())
    return builder.bitcast(builder.gep(words, [index]), _VECTOR.as_pointer())


def _load(builder: Any, base: Any, index: Any) -> Any:
    value = builder.load(_place(builder, base, index))
    value.align = 4
    return value


def _store(builder: Any, base: Any, index: Any, value: Any) -> None:
    builder.store(value, _place(builder, base, index)).align = 4


def _splat(builder: Any, value: Any) -> Any:
    one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, ir.Constant(_I32, 0))
    return builder.shuffle_vector(one, one, ir.Constant(_VECTOR, None))


def _less(builder: Any, x: Any, y: Any) -> Any:
    return builder.sext(builder.icmp_signed("<", x, y), _VECTOR)


def _choose(builder: Any, mask: Any, x: Any, y: Any) -> Any:
    zero = ir.Constant(_VECTOR, None)
    return builder.select(builder.icmp_signed("!=", mask, zero), x, y)


def _zeros_ahead(builder: Any, x: Any) -> Any:
    return _named(builder, "llvm.ctlz.v8i32", _VECTOR, x, ir.Constant(ir.IntType(1), 0))


_I64 = types.int64
vload = _operation(VECTOR(_I64, _I64), _load)  # eight words at an address plus words
vstore = _operation(types.void(_I64, _I64, VECTOR), _store)
splat = _operation(VECTOR(types.int32), _splat)
add, subtract, multiply = (_binary(name) for name in ("add", "sub", "mul"))
both, either, differ = (_binary(name) for name in ("and_", "or_", "xor"))
left, right, signed_right = (_binary(name) for name in ("shl", "lshr", "ashr"))
larger, smaller = _builtin("smax"), _builtin("smin")
add_saturating = _builtin("sadd.sat")
less = _operation(VECTOR(VECTOR, VECTOR), _less)  # signed
choose = _operation(VECTOR(VECTOR, VECTOR, VECTOR), _choose)
zeros_ahead = _operation(VECTOR(VECTOR), _zeros_ahead)  # 32 for zero
largest_of = _operation(
    types.int32(VECTOR), lambda b, x: _named(b, "llvm.vector.reduce.smax.v8i32", _I32, x)
)
