"""Kernel arguments and launch dimensions as text on a command line.

::

    i32=1024                    a scalar: i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64
    f32[1024,1024]=random       a buffer: random, zeros, ones, arange, a number or a .npy file

``random`` is uniform in [-1, 1) for floating-point types and in 0..99 for integers, the same for
the same seed and position. ``arange`` counts from 0 and starts again at 0 where the type could no
longer hold the next integer exactly.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.workload import Argument, Array, Dim3
from simulator.errors import ArgumentError

DTYPES = {
    f"{kind}{bits}": np.dtype(f"{kind}{bits // 8}")
    for kind, sizes in (("i", (8, 16, 32, 64)), ("u", (8, 16, 32, 64)), ("f", (16, 32, 64)))
    for bits in sizes
}
RIGHT_FORM = "write i32=1024 for a scalar, f32[1024,1024]=random for a buffer"
CONTENTS = "random, zeros, ones, arange, a number or a .npy file"
MAX_BUFFER_BYTES = 2**32  # all buffers together: what a replay can address
_ARGUMENT = re.compile(r"\s*(?P<type>\w+)\s*(\[(?P<shape>[^\]]*)\])?\s*=\s*(?P<value>.*\S)\s*")
_EXACT = {"f2": 2**11, "f4": 2**24, "f8": 2**53}
_RANDOM_INTEGERS = 100


class _RefusedError(Exception):
    """What is wrong with one argument; becomes an ArgumentError that names its position."""


def parse_arguments(texts: Sequence[str], seed: int = 0) -> tuple[Argument, ...]:
    """Arguments in parameter order: numpy scalars and C-contiguous numpy arrays.

    Raises:
        ArgumentError: one cannot be read; names its position and shows the right form.
    """
    arguments: list[Argument] = []
    left = MAX_BUFFER_BYTES
    for position, text in enumerate(texts, 1):
        try:
            argument = _parse(text, np.random.default_rng((seed, position)), left)
        except _RefusedError as error:
            raise ArgumentError(f"{_ordinal(position)} --arg {text!r}: {error}") from None
        if isinstance(argument, np.ndarray):
            left -= argument.nbytes
        arguments.append(argument)
    return tuple(arguments)


def _ordinal(position: int) -> str:
    """``1st``, ``2nd``, ``11th``: cannot be mistaken for an index that begins at 0."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(position % 10, "th")
    return f"{position}{'th' if 10 < position % 100 < 14 else ending}"


def _parse(text: str, rng: np.random.Generator, bytes_left: int) -> Argument:
    match = _ARGUMENT.fullmatch(text)
    if match is None:
        raise _RefusedError(f"cannot be read; {RIGHT_FORM}")
    if match["type"] not in DTYPES:
        raise _RefusedError(f"unknown type {match['type']!r}; use one of {' '.join(DTYPES)}")
    dtype = DTYPES[match["type"]]
    if match["shape"] is None:
        return _scalar(dtype, match["value"])
    shape = _shape(match["shape"])
    size = math.prod(shape) * dtype.itemsize
    if size > bytes_left:
        raise _RefusedError(
            f"the buffers hold more than {MAX_BUFFER_BYTES:,} bytes; make them smaller"
        )
    return _buffer(dtype, shape, match["value"], rng)


def _scalar(dtype: np.dtype[Any], text: str) -> np.generic:
    """The value as ``dtype``, refused where the type cannot hold it."""
    try:
        value = float(text) if dtype.kind == "f" else int(text, 0)
    except ValueError:
        kind = "a number" if dtype.kind == "f" else "an integer"
        raise _RefusedError(f"{text!r} is not {kind}; {RIGHT_FORM}") from None
    if dtype.kind == "f":
        if math.isfinite(value) and abs(value) > float(np.finfo(dtype).max):
            raise _RefusedError(f"{text} is too large for {dtype.name}")
    elif not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        raise _RefusedError(f"{text} does not fit in {dtype.name} ({low} to {high})")
    scalar: np.generic = dtype.type(value)
    return scalar


def _shape(text: str) -> tuple[int, ...]:
    try:
        shape = tuple(int(part, 0) for part in text.split(","))
    except ValueError:
        raise _RefusedError(f"shape [{text}] is not made of whole numbers; {RIGHT_FORM}") from None
    if min(shape) < 1:
        raise _RefusedError(f"shape [{text}] must be positive in every dimension")
    return shape


def _buffer(
    dtype: np.dtype[Any], shape: tuple[int, ...], content: str, rng: np.random.Generator
) -> Array:
    if content == "random":
        return _random(dtype, shape, rng)
    if content == "arange":
        return _arange(dtype, shape)
    if content == "zeros":
        return np.zeros(shape, dtype)  # not backed with memory before it is written
    if content == "ones":
        return np.ones(shape, dtype)
    if content.endswith(".npy"):
        return _load(Path(content), dtype, shape)
    if not re.match(r"[-+.\d]|inf|nan", content):
        raise _RefusedError(f"unknown content {content!r}; use {CONTENTS}")
    return np.full(shape, _scalar(dtype, content), dtype)


def _random(dtype: np.dtype[Any], shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    if dtype.kind == "f":
        draw = np.float32 if dtype.itemsize <= 4 else np.float64
        uniform: NDArray[Any] = rng.random(shape, dtype=draw)
        uniform *= 2
        uniform -= 1
        return uniform.astype(dtype, copy=False)
    return rng.integers(0, _RANDOM_INTEGERS, shape, dtype=dtype)


def _arange(dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    count = math.prod(shape)
    limit = _EXACT[dtype.str[1:]] if dtype.kind == "f" else int(np.iinfo(dtype).max) + 1
    numbers = np.arange(count, dtype=np.int64)
    if limit < count:
        numbers %= limit
    return numbers.astype(dtype).reshape(shape)


def _load(path: Path, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    try:
        array: Array = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise _RefusedError(f"file {str(path)!r} does not exist") from None
    except (OSError, ValueError) as error:
        raise _RefusedError(f"file {str(path)!r} is no readable .npy file ({error})") from None
    if array.dtype != dtype or array.shape != shape:
        found = f"{array.dtype.name}{list(array.shape)}"
        raise _RefusedError(f"file {str(path)!r} holds {found}, not {dtype.name}{list(shape)}")
    return np.ascontiguousarray(array)


def parse_dim3(text: str, option: str) -> Dim3:
    """``32,32`` or ``8,4,2`` as three dimensions; those left out are 1.

    Raises:
        ArgumentError: not one to three positive integers; names the option.
    """
    parts = re.split(r"[,x]", text.strip())
    try:
        numbers = [int(part) for part in parts]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= 3 or min(numbers) < 1:
        raise ArgumentError(
            f"{option} {text!r}: give one to three positive integers, for example {option} 32,32"
        )
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def parse_size(text: str | None) -> int | dict[str, int] | None:
    """``1024``, or ``m=1024,n=512`` as named sizes; None stays None.

    Raises:
        ArgumentError: anything else; shows the right form.
    """
    if text is None:
        return None
    try:
        if "=" not in text:
            return int(text)
        pairs = [part.split("=") for part in text.split(",")]
        return {name.strip(): int(value) for name, value in pairs}
    except ValueError:
        raise ArgumentError(
            f"--size {text!r}: give a number, or named sizes as in --size m=1024,n=512"
        ) from None
