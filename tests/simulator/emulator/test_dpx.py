"""Minima and maxima of sums and of three against numpy, from one instruction and from several."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from running import random_bits, run

N = 64
ARCHITECTURES = (80, 90, 100, 120)


def _run(kernel: str, architecture: int, inputs: list[Any], count: int) -> Any:
    out = np.zeros((count, N), inputs[0].dtype)
    return run("dpx.cu", kernel, architecture, [*inputs, out, np.int32(N)])[3]


def _words(seed: int) -> list[Any]:
    inputs = [random_bits(seed + k, N, np.uint32) for k in range(3)]
    inputs[1][:8] = inputs[0][:8]  # ties
    return inputs


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_whole_words(architecture: int) -> None:
    words = _words(1)
    found = _run("whole", architecture, [w.view(np.int32) for w in words], 10)
    u, v, w = words
    x, y, z = (word.view(np.int32) for word in words)
    expected = [
        np.maximum(x + y, z),
        np.maximum(np.minimum(x + y, z), 0),
        np.maximum(np.maximum(x + y, z), 0),
        np.minimum(u + v, w).view(np.int32),
        np.maximum(np.maximum(np.maximum(x, y), z), 0),
        np.minimum(np.minimum(x, y), z),
        np.maximum(np.maximum(u, v), w).view(np.int32),
        np.maximum(np.maximum(x, y), 0),
        np.maximum(x, y) * np.int32(3) + (x >= y),
        (np.minimum(u, v) * np.uint32(3) + (u <= v)).astype(np.uint32).view(np.int32),
    ]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_halves(architecture: int) -> None:
    words = _words(5)
    found = _run("halves", architecture, words, 11)
    u, v, w = (word.view(np.uint16) for word in words)
    x, y, z = (word.view(np.int16) for word in words)
    expected = [
        np.maximum(x + y, z),
        np.maximum(np.minimum(x + y, z), 0),
        np.maximum(u + v, w),
        np.maximum(np.maximum(np.maximum(x, y), z), 0),
        np.minimum(np.minimum(x, y), z),
        np.minimum(np.minimum(u, v), w),
        np.maximum(np.minimum(x, y), 0),
        np.maximum(x, y),
        _first(x >= y),
        np.minimum(u, v),
        _first(u <= v),
    ]
    as_words = [e if e.dtype == np.uint32 else e.view(np.uint16).view(np.uint32) for e in expected]
    np.testing.assert_array_equal(found, as_words)


def _first(taken: Any) -> Any:
    """Which halves were taken from the first operand: the high one 1, the low one 2."""
    low, high = taken.reshape(-1, 2).T
    return (high + 2 * low).astype(np.uint32)
