"""Packed float16 and bfloat16 kernels of the corpus against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from running import run

N = 64
FILE = "halves.cu"

each_of_them = pytest.mark.parametrize("architecture", [80, 89, 90])


def _halves(seed: int) -> Any:
    values = np.random.default_rng(seed).normal(0, 3, 2 * N).astype(np.float16)
    values[:6] = 0.0, -0.0, 60000.0, -6e-8, 1.0, 0.3333
    return values


def _map(kernel: str, architecture: int, a: Any, b: Any, out: Any) -> Any:
    count = len(out)
    flat = out.ravel()
    return run(FILE, kernel, architecture, [a, b, flat, np.int32(N)])[2].reshape(count, -1)


@each_of_them
def test_pairs(architecture: int) -> None:
    a, b = _halves(1), np.roll(_halves(2), 7)
    b[b == 0] = 2.0
    found = _map("half_pairs", architecture, a, b, np.zeros((14, 2 * N), np.float16))
    x, y = a.astype(np.float64), b.astype(np.float64)
    both = np.repeat((x > y).reshape(-1, 2).all(axis=1), 2)
    with np.errstate(over="ignore"):
        expected = [
            x + y, x - y, x * y, x * y + 0.5, np.maximum(x, y), np.minimum(x, y),
            np.maximum(x * y + x, 0), x > y, x.reshape(-1, 2)[:, ::-1].ravel(), -np.abs(x),
            np.where(both, x, x / y), np.sqrt(np.abs(x)), np.clip(x + y, 0, 1), np.exp(x),
        ]  # fmt: skip
        rounded = [np.asarray(e, np.float64).astype(np.float16) for e in expected]
    exact = [n for n in range(14) if n not in (10, 11, 13)]
    np.testing.assert_array_equal(found[exact], np.array(rounded)[exact])
    for n in (10, 11, 13):
        np.testing.assert_allclose(found[n], rounded[n], rtol=1.1e-3, atol=6e-8)


@each_of_them
def test_scalars(architecture: int) -> None:
    a, b = _halves(3)[:N], np.abs(_halves(4)[-N:])
    out = np.zeros((9, N), np.float32)
    found = _map("half_scalars", architecture, a, b, out)
    x, y = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(over="ignore", divide="ignore"):
        expected = [
            x + y, (x + y).astype(np.float16), (x * y).astype(np.float16), x > y,
            (a.astype(np.float32) * np.float32(1.0009765)).astype(np.float16),
            np.rint(x) + np.trunc(y), (np.arange(N) * 37).astype(np.float16),
            np.floor(x) + np.rint(y), (1 / y).astype(np.float16),
        ]  # fmt: skip
    for n, row in enumerate(expected):
        tolerance = 1.1e-3 if n == 8 else 0
        np.testing.assert_allclose(found[n], np.asarray(row, np.float32), rtol=tolerance)


def _brain(values: Any) -> Any:
    """float64 rounded once to bfloat16, as float32."""
    scale = np.exp2(np.floor(np.log2(np.maximum(np.abs(values), 1e-300))) - 7)
    return (np.rint(values / scale) * scale).astype(np.float32)


@each_of_them
def test_bfloat_pairs(architecture: int) -> None:
    generator = np.random.default_rng(5)
    x, y = (_brain(generator.normal(0, 3, 2 * N)).astype(np.float64) for _ in range(2))
    bits = [(v.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16) for v in (x, y)]
    out = np.zeros((7, 2 * N), np.uint16)
    found = _map("bfloat_pairs", architecture, *bits, out).astype(np.uint32) << 16
    even = np.arange(2 * N) % 2 == 0
    expected = [
        x + y, x * y, x * y + x, np.maximum(x, y), np.where(even, x * 3, y), x - y, x > y,
    ]  # fmt: skip
    np.testing.assert_array_equal(
        found.view(np.float32), [_brain(np.asarray(e, np.float64)) for e in expected]
    )


@each_of_them
def test_dot_product(architecture: int) -> None:
    generator = np.random.default_rng(6)
    a, b = (generator.normal(size=256).astype(np.float16) for _ in range(2))
    out = np.zeros(64, np.float32)
    found = run(FILE, "half_dot", architecture, [a, b, out, np.int32(128)], block=32)[2]
    products = (a.astype(np.float64) * b).reshape(4, 32, 2)
    np.testing.assert_allclose(found[32:], products.sum(axis=(0, 2)), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found[:32], products.sum(axis=(0, 2)), atol=2e-2)
