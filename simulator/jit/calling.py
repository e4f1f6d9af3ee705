"""Calling compiled functions as numba lays their arguments out, without numba.

A function takes a pointer to its result, a pointer for an exception, and its arguments: numbers as
they are, an array as seven or more words, a tuple as its members. It returns a status, 0 for well.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

# What distinguishes one compiled version from another: the name of a number's type, the type, axes
# and layout of an array, or a tuple's class and members.
Kind: TypeAlias = "str | tuple[Any, ...]"

_NUMBERS: dict[str, Any] = {
    "bool": ctypes.c_bool,
    **{f"int{n}": getattr(ctypes, f"c_int{n}") for n in (8, 16, 32, 64)},
    **{f"uint{n}": getattr(ctypes, f"c_uint{n}") for n in (8, 16, 32, 64)},
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
}
_PYTHON: dict[type, str] = {bool: "bool", int: "int64", float: "float64"}


@dataclass(frozen=True)
class Packed:
    """An argument taken apart once, for many calls."""

    value: Any
    kind: Kind
    words: tuple[Any, ...]


def pack(value: Any) -> Any:
    """Take an argument apart ahead of its calls: worth it for tuples of many arrays.

    The arrays' contents may change, their places not.
    """
    return Packed(value, kind_of(value), tuple(_words(value)))


def kind_of(value: Any) -> Kind:
    """The kind of an argument.

    Raises TypeError for what compiled functions do not take.
    """
    if isinstance(value, np.ndarray):
        flags = value.flags
        return value.dtype, value.ndim, flags.c_contiguous, flags.aligned, flags.writeable
    plain = _PYTHON.get(type(value))
    if plain is not None:
        return plain
    if isinstance(value, Packed):
        return value.kind
    if isinstance(value, np.generic):
        return value.dtype.name
    if isinstance(value, tuple):
        return type(value).__qualname__, *map(kind_of, value)
    raise TypeError(f"compiled functions take numbers, arrays and tuples, not {type(value)}")


def _words(value: Any) -> Iterator[Any]:
    """An argument as numba passes it on: number by number."""
    if isinstance(value, np.ndarray):
        yield from (0, 0, value.size, value.itemsize, value.__array_interface__["data"][0])
        yield from value.shape
        yield from value.strides
    elif isinstance(value, Packed):
        yield from value.words
    elif isinstance(value, tuple):
        for member in value:
            yield from _words(member)
    else:
        yield value.item() if isinstance(value, np.generic) else value


def _word_types(kind: Kind) -> Iterator[Any]:
    if isinstance(kind, str):
        yield _NUMBERS[kind]
    elif isinstance(kind[1], int):
        yield from [ctypes.c_int64] * (5 + 2 * kind[1])
    else:
        for member in kind[1:]:
            yield from _word_types(member)


@dataclass
class Native:
    """A compiled function at an address.

    ``result`` names the type of each value it returns; ``single`` tells a value from a tuple of
    one. ``owner`` keeps the code alive.
    """

    name: str
    address: int
    kinds: tuple[Kind, ...]
    result: Sequence[str]
    single: bool
    owner: Any

    @cached_property
    def _call(self) -> Any:
        types = [word for kind in self.kinds for word in _word_types(kind)]
        pointer = ctypes.c_void_p
        return ctypes.CFUNCTYPE(ctypes.c_int32, pointer, pointer, *types)(self.address)

    @cached_property
    def _layout(self) -> type[ctypes.Structure]:
        fields = [(f"value{n}", _NUMBERS[name]) for n, name in enumerate(self.result)]
        nothing = [("none", ctypes.c_void_p)]  # a function without a result writes a null pointer
        return type("Result", (ctypes.Structure,), {"_fields_": fields or nothing})

    def __call__(self, arguments: Sequence[Any]) -> Any:
        result, exception = self._layout(), ctypes.c_void_p()
        words = [word for value in arguments for word in _words(value)]
        status = self._call(ctypes.addressof(result), ctypes.addressof(exception), *words)
        if status:
            raise ArithmeticError(f"compiled function {self.name} failed with status {status}")
        if not self.result:
            return None
        values = tuple(getattr(result, f"value{n}") for n in range(len(self.result)))
        return values[0] if self.single else values
