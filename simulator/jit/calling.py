"""Calling compiled functions as numba lays their arguments out, without numba.

A function takes a pointer to its result, a pointer for an exception, and its arguments: numbers as
they are, an array as seven or more words, a tuple as its members. It returns a status, 0 for well.
From Python the words are handed over as bytes, eight each; a few lines of LLVM IR spread them out.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeAlias

import numpy as np

from simulator.jit.loading import load_object, object_code

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
# How a number is written into a word, and its type in LLVM IR.
_WORDS = {
    "bool": ("<q", "i8"),
    **{f"int{n}": ("<q", f"i{n}") for n in (8, 16, 32, 64)},
    **{f"uint{n}": ("<Q", f"i{n}") for n in (8, 16, 32, 64)},
    "float32": ("<f4x", "float"),
    "float64": ("<d", "double"),
}
_NUMBER_WORDS = {name: struct.Struct(layout).pack for name, (layout, _) in _WORDS.items()}
_ARRAYS = [struct.Struct(f"<{5 + 2 * axes}q").pack for axes in range(8)]  # by number of axes
_NOTHING = ctypes.c_byte * 0
_PYTHON: dict[type, str] = {bool: "bool", int: "int64", float: "float64"}


class _Members(tuple[Any, ...]):
    """The kind of a tuple of many members, which is hashed once."""

    def __new__(cls, members: Any) -> _Members:
        found = super().__new__(cls, members)
        found._hash = tuple.__hash__(found)
        return found

    def __hash__(self) -> int:
        return self._hash

    _hash: int


@dataclass(frozen=True)
class Packed:
    """An argument taken apart once, for many calls."""

    value: Any
    kind: Kind
    words: bytes


def pack(value: Any) -> Any:
    """Take an argument apart ahead of its calls: worth it for tuples of many arrays.

    The arrays' contents may change, their places not.
    """
    kind = kind_of(value)
    return Packed(value, _Members(kind) if isinstance(kind, tuple) else kind, _words(value, kind))


def kind_of(value: Any) -> Kind:
    """The kind of an argument.

    Raises TypeError for what compiled functions do not take.
    """
    plain = _PYTHON.get(type(value))
    if plain is not None:
        return plain
    if isinstance(value, Packed):
        return value.kind
    if isinstance(value, np.ndarray):
        flags = value.flags
        return value.dtype, value.ndim, flags.c_contiguous, flags.aligned, flags.writeable
    if isinstance(value, np.generic):
        return value.dtype.name
    if isinstance(value, tuple):
        return type(value).__qualname__, *map(kind_of, value)
    raise TypeError(f"compiled functions take numbers, arrays and tuples, not {type(value)}")


def _place(array: Any) -> int:
    """Where an array begins; most arrays tell it sooner as buffers than as ``ctypes.data``."""
    try:
        return ctypes.addressof(_NOTHING.from_buffer(array))
    except (TypeError, ValueError):  # read-only, or not in one piece
        return int(array.ctypes.data)


def _words(value: Any, kind: Kind) -> bytes:
    """An argument as numba passes it on: number by number."""
    if isinstance(value, Packed):
        return value.words
    if isinstance(value, np.ndarray):
        shape, strides = value.shape, value.strides
        place = _place(value)
        return _ARRAYS[len(shape)](0, 0, value.size, value.itemsize, place, *shape, *strides)
    if isinstance(kind, str):
        number = value.item() if isinstance(value, np.generic) else value
        return _NUMBER_WORDS[kind](number)
    return b"".join(map(_words, value, kind[1:]))


def _word_types(kind: Kind) -> Iterator[str]:
    if isinstance(kind, str):
        yield _WORDS[kind][1]
    elif isinstance(kind[1], int):
        yield from ["i64"] * (5 + 2 * kind[1])
    else:
        for member in kind[1:]:
            yield from _word_types(member)


@cache
def _entry(types: tuple[str, ...]) -> tuple[Any, Any]:
    """Calls a function with its words: ``i32 enter(function, result, exception, words)``."""
    lines = []
    for n, kind in enumerate(types):
        lines.append(f"  %p{n} = getelementptr i64, ptr %words, i64 {n}")
        lines.append(f"  %a{n} = load {kind}, ptr %p{n}, align 1")
    arguments = "".join(f", {kind} %a{n}" for n, kind in enumerate(types))
    text = "\n".join([
        "define i32 @enter(ptr %function, ptr %result, ptr %exception, ptr %words) {",
        *lines,
        f"  %status = call i32 %function(ptr %result, ptr %exception{arguments})",
        "  ret i32 %status",
        "}",
    ])  # fmt: skip
    engine = load_object(object_code(text))
    pointer = ctypes.c_void_p
    prototype = ctypes.CFUNCTYPE(ctypes.c_int32, pointer, pointer, pointer, ctypes.c_char_p)
    return prototype(engine.get_function_address("enter")), engine


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
        return _entry(tuple(word for kind in self.kinds for word in _word_types(kind)))[0]

    @cached_property
    def _layout(self) -> type[ctypes.Structure]:
        fields = [(f"value{n}", _NUMBERS[name]) for n, name in enumerate(self.result)]
        nothing = [("none", ctypes.c_void_p)]  # a function without a result writes a null pointer
        return type("Result", (ctypes.Structure,), {"_fields_": fields or nothing})

    def __call__(self, arguments: Sequence[Any]) -> Any:
        return self.run(self.words(arguments))

    def words(self, arguments: Sequence[Any]) -> bytes:
        """Arguments as ``run`` takes them."""
        return b"".join(map(_words, arguments, self.kinds))

    def run(self, words: bytes, _arguments: Sequence[Any] = ()) -> Any:
        """Call the function with arguments that were taken apart; whoever keeps the words keeps the
        arguments too, whose memory they name."""
        result, exception = self._layout(), ctypes.c_void_p()
        place, thrown = ctypes.addressof(result), ctypes.addressof(exception)
        status = self._call(self.address, place, thrown, words)
        if status:
            raise ArithmeticError(f"compiled function {self.name} failed with status {status}")
        if not self.result:
            return None
        values = tuple(getattr(result, f"value{n}") for n in range(len(self.result)))
        return values[0] if self.single else values
