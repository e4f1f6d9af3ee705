"""Vectors of eight 32-bit integers inside compiled functions, for code the compiler cannot find.

A vector is a value like an int: operations take and give vectors. Comparisons give all ones or zero
in every element, so that ``choose`` takes what they give.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from llvmlite import ir

from simulator.jit import intrinsic, types

WIDTH = 8
_I32 = ir.IntType(32)
_VECTOR = ir.VectorType(_I32, WIDTH)
_TWO = ("vector", "vector")
Emit = Callable[..., Any]


@cache
def _vector() -> Any:
    """Numba's type of a vector."""
    from numba.extending import models, register_model

    class Vector(types.Type):  # type: ignore[misc]
        """Eight words in a register."""

    class Model(models.PrimitiveModel):  # type: ignore[misc]
        """How numba lays it out."""

        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, _VECTOR)

    register_model(Vector)(Model)
    return Vector(name="eight_int32")


def _type(name: str) -> Any:
    return _vector() if name == "vector" else getattr(types, name)


def _named(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    """A call of one of LLVM's own functions."""
    from numba.core import cgutils

    kind = ir.FunctionType(result, [a.type for a in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), list(arguments))


def _operation(result: str, arguments: tuple[str, ...], emit: Emit) -> Any:
    """A compiled function whose code ``emit(builder, *arguments)`` writes."""

    def generate(context: Any, builder: Any, found: Any, values: Any) -> Any:
        value = emit(builder, *values)
        return context.get_dummy_value() if value is None else value

    def describe() -> Any:
        return _type(result)(*map(_type, arguments)), generate

    def one(typingctx: Any, a: Any) -> Any:
        return describe()

    def two(typingctx: Any, a: Any, b: Any) -> Any:
        return describe()

    def three(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
        return describe()

    return intrinsic((one, two, three)[len(arguments) - 1])


def _binary(name: str) -> Any:
    return _operation("vector", _TWO, lambda b, x, y: getattr(b, name)(x, y))


def _builtin(name: str) -> Any:
    def emit(builder: Any, x: Any, y: Any) -> Any:
        return _named(builder, f"llvm.{name}.v8i32", _VECTOR, x, y)

    return _operation("vector", _TWO, emit)


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


vload = _operation("vector", ("int64", "int64"), _load)  # eight words at an address plus words
vstore = _operation("void", ("int64", "int64", "vector"), _store)
splat = _operation("vector", ("int32",), _splat)
add, subtract, multiply = (_binary(name) for name in ("add", "sub", "mul"))
both, either, differ = (_binary(name) for name in ("and_", "or_", "xor"))
left, right, signed_right = (_binary(name) for name in ("shl", "lshr", "ashr"))
larger, smaller = _builtin("smax"), _builtin("smin")
add_saturating = _builtin("sadd.sat")
less = _operation("vector", _TWO, _less)  # signed
choose = _operation("vector", ("vector", "vector", "vector"), _choose)
zeros_ahead = _operation("vector", ("vector",), _zeros_ahead)  # 32 for zero
largest_of = _operation(
    "int32", ("vector",), lambda b, x: _named(b, "llvm.vector.reduce.smax.v8i32", _I32, x)
)
