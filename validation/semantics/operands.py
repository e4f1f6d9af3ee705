"""Operands that are hard on purpose, made from a seed alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_FORMATS = {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52)}


def operands(kind: str, count: int, seed: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Three arrays of ``count`` operands of a kind: uint32, or uint64 for 64-bit kinds.

    Integers are random bits of random lengths with extreme values; floats have every class
    (denormals, infinities, NaNs, both zeros) and exponents that meet, so that sums cancel.
    """
    generator = np.random.default_rng([seed, *kind.encode()])
    half = count // 2
    first = _random(generator, kind, half)
    second = _corners(generator, kind, count - half)
    arrays = [np.concatenate(parts) for parts in zip(first, second, strict=True)]
    return arrays[0], arrays[1], arrays[2]


def _random(generator: np.random.Generator, kind: str, count: int) -> list[NDArray[Any]]:
    if kind in ("float16", "bfloat16"):
        halves = [_floats(generator, kind, 2 * count) for _ in range(3)]
        packed = [(h[::2] | h[1::2] << np.uint64(16)).astype(np.uint32) for h in halves]
        return packed
    make = _floats if kind in _FORMATS else _integers
    dtype = np.uint64 if kind.endswith("64") else np.uint32
    return [make(generator, kind, count).astype(dtype) for _ in range(3)]


def _corner_values(kind: str) -> NDArray[np.uint64]:
    """Values at which rules change: zeros, least and greatest numbers, infinities, NaNs."""
    if kind not in _FORMATS:
        width = int(kind.removeprefix("int"))
        top = 1 << (width - 1)
        parts = [0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 255, top - 1, top, top + 1]
        values = [v % (2 * top) for p in parts for v in (p, -p)]
        return np.array(sorted(set(values)), np.uint64)
    exponent_bits, fraction_bits = _FORMATS[kind]
    infinity = ((1 << exponent_bits) - 1) << fraction_bits
    one = (infinity >> fraction_bits >> 1) << fraction_bits
    half = 1 << (fraction_bits - 1)
    parts = [
        0, 1, half, (1 << fraction_bits) - 1, 1 << fraction_bits, (1 << fraction_bits) + 1,
        one - 1, one, one + 1, one + half, one + (1 << fraction_bits), one - (1 << fraction_bits),
        one - ((fraction_bits + 3) << fraction_bits), infinity - 1, infinity, infinity + 1,
        infinity + half, infinity + half + 5,
    ]  # fmt: skip
    sign = 1 << (exponent_bits + fraction_bits)
    return np.array([*parts, *(p | sign for p in parts)], np.uint64)


def _corners(generator: np.random.Generator, kind: str, count: int) -> list[NDArray[Any]]:
    """Every pair of corner values in turn, with a random third one.

    The pairs come in a random order, so that any part of them is as varied as the whole.
    """
    values = _corner_values(kind)
    number = generator.permutation(count)
    places = [number % values.size, number // values.size % values.size]
    chosen = [values[p] for p in places] + [generator.choice(values, count)]
    if kind in ("float16", "bfloat16"):
        other = [generator.choice(values, count) for _ in chosen]
        chosen = [low | high << np.uint64(16) for low, high in zip(chosen, other, strict=True)]
    dtype = np.uint64 if kind.endswith("64") else np.uint32
    return [c.astype(dtype) for c in chosen]


def _integers(generator: np.random.Generator, kind: str, count: int) -> NDArray[np.uint64]:
    width = int(kind.removeprefix("int"))
    bits = generator.integers(0, 1 << 64, count, dtype=np.uint64)
    length = generator.integers(1, width + 1, count).astype(np.uint64)
    bits >>= np.uint64(64) - length
    negative = generator.random(count) < 0.4
    bits[negative] = ~bits[negative] + np.uint64(1)
    top = 1 << (width - 1)
    extremes = [0, 1, 2, top, top - 1, top + 1, 2 * top - 1, 31, 32, 33, 63, 64, 65, 255]
    where = generator.random(count) < 0.25
    chosen = generator.choice(np.array(extremes, np.uint64), int(where.sum()))
    bits[where] = chosen
    return bits & np.uint64((1 << width) - 1)


def _floats(generator: np.random.Generator, kind: str, count: int) -> NDArray[np.uint64]:
    exponent_bits, fraction_bits = _FORMATS[kind]
    top = (1 << exponent_bits) - 1
    bias = top >> 1
    near = np.clip(bias + generator.normal(0, 6, count).astype(np.int64), 0, top)
    wide = generator.integers(0, top + 1, count)
    choice = generator.random(count)
    exponent = np.where(choice < 0.55, near, wide)
    exponent[choice > 0.92] = generator.choice([0, 1, 2, top - 1, top], int((choice > 0.92).sum()))
    fraction = generator.integers(0, 1 << fraction_bits, count, dtype=np.int64)
    short = generator.random(count)
    kept = generator.integers(0, fraction_bits, count)
    fraction = np.where(short < 0.35, fraction >> kept << kept, fraction)
    fraction = np.where(short > 0.9, 0, fraction)
    fraction = np.where((short > 0.85) & (short < 0.9), (1 << fraction_bits) - 1, fraction)
    sign = generator.integers(0, 2, count, dtype=np.int64)
    bits = sign << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction
    return bits.astype(np.uint64)
