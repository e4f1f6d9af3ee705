"""Float kernels of the corpus against numpy, within the documented errors of CUDA's functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from running import each_architecture, run

N = 64
FILE = "floats.cu"
Function = Callable[[float, float], float]


def _inputs(dtype: Any) -> tuple[Any, Any]:
    """Numbers of both signs, and positive ones; a few are huge or tiny."""
    generator = np.random.default_rng(5)
    a = generator.normal(0, 3, N)
    b = generator.lognormal(0, 2, N)
    b[:4] = 1e-30, 1e30, 1.0, 3e-39 if dtype == np.float32 else 1e-310
    return a.astype(dtype), b.astype(dtype)


def _map(kernel: str, architecture: int, count: int, dtype: Any = np.float32) -> Any:
    out = np.zeros(count * N, dtype)
    arguments = [*_inputs(dtype), out, np.int32(N)]
    return run(FILE, kernel, architecture, arguments)[2].reshape(count, N)


def _check(found: Any, functions: list[Function], dtype: Any, ulps: float) -> None:
    a, b = (v.astype(np.float64).tolist() for v in _inputs(dtype))
    for row, function in zip(found, functions, strict=True):
        expected = np.array([function(x, y) for x, y in zip(a, b, strict=True)])
        np.testing.assert_allclose(row, expected, rtol=ulps * np.finfo(dtype).eps, atol=1e-37)


def _limited(function: Function) -> Function:
    """A function whose results stay in the range of float32."""
    return lambda x, y: min(max(function(x, y), -1e38), 1e38)


FUNCTIONS: list[Function] = [
    lambda x, y: x / y,
    lambda _, y: math.sqrt(y),
    lambda _, y: 1 / math.sqrt(y),
    lambda x, _: math.exp(x),
    lambda _, y: math.log(y),
    lambda x, y: min(y**x, 1e300),
    lambda x, _: math.sin(x),
    lambda x, _: math.cos(np.float32(x) * np.float32(1000)),
    lambda x, _: math.tanh(x),
    lambda x, y: math.atan2(x, y),
    lambda x, _: math.erf(x),
    lambda _, y: 1 / y,
    lambda x, y: math.fmod(x, y),
    lambda x, y: math.log2(y) + 2**x,
    lambda x, y: math.hypot(x, y),
    lambda x, _: math.copysign(abs(x) ** (1 / 3), x),
]


@each_architecture
def test_functions(architecture: int) -> None:
    found = _map("functions", architecture, 16)
    with np.errstate(over="ignore"):
        finite = np.where(np.isinf(found), np.float32(1e38), found)
    rows = [(lambda g: lambda x, y: min(max(g(x, y), -1e38), 1e38))(f) for f in FUNCTIONS]
    _check(np.clip(finite, -1e38, 1e38), rows, np.float32, 16)


@each_architecture
def test_fast_functions(architecture: int) -> None:
    found = _map("fast_functions", architecture, 8)
    a, b = (v.astype(np.float64) for v in _inputs(np.float32))
    tiny = b < 2e-38  # the fast functions read denormals as zero
    expected = [
        np.exp(a), np.log(b), np.sin(a), np.cos(a), a / b, b**a, 1 / np.sqrt(b), np.clip(a, 0, 1),
    ]  # fmt: skip
    for row, value in zip(found, expected, strict=True):
        inside = (np.abs(value) < 1e37) & ~tiny & (b < 1e20)
        np.testing.assert_allclose(row[inside], value[inside], rtol=3e-5, atol=4e-6)


@each_architecture
def test_rounding_and_bits(architecture: int) -> None:
    special = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e9, -1e9, 3e38, np.inf, -np.inf, np.nan]
    a = np.array([*special, *np.random.default_rng(6).normal(0, 4, N - 13)], np.float32)
    out = np.zeros(13 * N, np.float32)
    found = run(FILE, "rounding", architecture, [a, out, np.int32(N)])[1].reshape(13, N)
    near = np.abs(a) < 1e6  # conversions to integers are compared where they do not saturate
    wide = a.astype(np.float64)
    fraction, exponent = np.frexp(a)
    with np.errstate(over="ignore"):
        scaled = np.ldexp(a, exponent)
    expected = [
        np.floor(a), np.ceil(a), np.trunc(a), np.rint(a),
        np.copysign(np.floor(np.abs(wide) + 0.5), wide), None, None, None,
        np.fmin(a, 0.5) + np.fmax(a, -0.5), np.copysign(2, a), fraction, scaled,
        np.isnan(a) + 2 * np.isinf(a) + 4 * np.signbit(a),
    ]  # fmt: skip
    for row, value in zip(found, expected, strict=True):
        if value is not None:
            np.testing.assert_array_equal(row, value.astype(np.float32))
    whole = np.trunc(a[near])
    for n, value in (5, whole + np.abs(whole)), (6, whole), (7, np.rint(a[near])):
        np.testing.assert_array_equal(found[n][near], value)
    saturated = found[7][[9, 10, 11, 12]].tolist()
    assert saturated == [2.0**31, 2.0**31, -(2.0**31), 0.0]


@each_architecture
def test_polynomial(architecture: int) -> None:
    a = np.linspace(-1, 1, N, dtype=np.float32)
    found = run(FILE, "polynomial", architecture, [a, np.zeros(N, np.float32), np.int32(N)])[1]
    total = np.zeros(N)
    for k in range(1, 20):
        factor = np.float32(1) / np.float32(k)
        total = (total * a.astype(np.float64) + factor).astype(np.float32).astype(np.float64)
    np.testing.assert_array_equal(found, total.astype(np.float32))


DOUBLES: list[Function] = [
    lambda x, y: x + y,
    lambda x, y: x * y - 3,
    lambda x, y: x / y,
    lambda _, y: math.sqrt(y),
    lambda x, y: x * y - 1,
    min,
    lambda x, y: max(x, abs(y)),
    lambda x, y: x if x < y else -y,
    lambda x, _: math.exp(x),
    lambda _, y: math.log(y),
    lambda x, _: math.sin(x),
    lambda x, y: min(y**x, 1e308) if y > 1e-300 or x > 0 else math.inf,
]


@each_architecture
def test_doubles(architecture: int) -> None:
    found = _map("doubles", architecture, 16, np.float64)
    a, b = _inputs(np.float64)
    usual = b < 1e9
    for n, function in enumerate(DOUBLES):
        with np.errstate(over="ignore"):
            expected = [
                min(function(x, y), math.inf) for x, y in zip(a.tolist(), b.tolist(), strict=True)
            ]
        row = np.where(np.isinf(found[n]) | np.isinf(expected), 0, found[n])
        expected = np.where(np.isinf(found[n]) | np.isinf(expected), 0, expected)
        np.testing.assert_allclose(row, expected, rtol=1e-12, atol=1e-15)
    parts = np.floor(a) + np.trunc(a) + 2 * np.trunc(b)
    np.testing.assert_array_equal(found[12][usual], parts[usual])
    np.testing.assert_array_equal(found[13], a.astype(np.float32))
    np.testing.assert_allclose(found[14], 1 / np.sqrt(b), rtol=1e-15)
    np.testing.assert_allclose(found[15], np.cbrt(a), rtol=1e-15)
