"""Are the numpy references right? Each is held against a plain-Python reading of the kernel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from kernels import load_workload
from kernels.data import Deferred, sum_tolerance


def solve(name: str, **sizes: int) -> tuple[list[Any], np.ndarray[Any, Any]]:
    """Arguments and the only expected output of a small problem."""
    problem = load_workload(name).problem(sizes, seed=7)
    (expected,) = problem.expected.values()
    return list(problem.arguments), expected


def test_gemm() -> None:
    (a, b, *_), c = solve("tiled", m=3, n=5, k=4)
    for i in range(3):
        for j in range(5):
            exact = math.fsum(float(a[i, t]) * float(b[t, j]) for t in range(4))
            assert c[i, j] == pytest.approx(exact, abs=1e-7)


def test_transpose() -> None:
    (matrix, *_), out = solve("transpose_tiled", rows=3, columns=5)
    assert all(out[j, i] == matrix[i, j] for i in range(3) for j in range(5))


def test_reduction() -> None:
    (values, *_), sums = solve("reduction_shuffle", n=300)
    exact = [math.fsum(map(float, values[:256])), math.fsum(map(float, values[256:]))]
    assert sums == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "block", "inclusive"), [("scan_hillis_steele", 256, 1), ("scan_blelloch", 512, 0)]
)
def test_scan(name: str, block: int, inclusive: int) -> None:
    (values, *_), out = solve(name, n=600)
    for i in (0, 1, 255, 256, 257, 511, 512, 599):
        first = i - i % block
        exact = math.fsum(map(float, values[first : i + inclusive]))
        assert out[i] == pytest.approx(exact, abs=1e-5)


def test_histogram() -> None:
    (values, *_), counts = solve("histogram_shared", n=1000)
    assert all(counts[bin_] == list(values).count(bin_) for bin_ in range(256))


def test_softmax() -> None:
    (values, *_), out = solve("softmax", rows=2, columns=3)
    for row, result in zip(values, out, strict=True):
        total = math.fsum(math.exp(float(v)) for v in row)
        assert result == pytest.approx([math.exp(float(v)) / total for v in row], rel=1e-6)


def test_layernorm() -> None:
    (values, gain, bias, *_), out = solve("layernorm", rows=2, columns=9)
    for row, result in zip(values, out, strict=True):
        mean = math.fsum(map(float, row)) / 9
        variance = math.fsum((float(v) - mean) ** 2 for v in row) / 9
        for v, g, b, r in zip(row, gain, bias, result, strict=True):
            exact = (float(v) - mean) / math.sqrt(variance + 1e-5) * float(g) + float(b)
            assert r == pytest.approx(exact, abs=1e-6)


def test_stencil_1d() -> None:
    (line, weights, *_), out = solve("stencil_1d", n=10)
    for i in range(10):
        inside = [(j, i + j - 3) for j in range(7) if 0 <= i + j - 3 < 10]
        exact = math.fsum(float(weights[j]) * float(line[at]) for j, at in inside)
        assert out[i] == pytest.approx(exact, abs=1e-6)


def test_stencil_2d() -> None:
    (field, *_), out = solve("stencil_2d", rows=4, columns=5)
    for i in range(4):
        for j in range(5):
            near = [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)]
            around = math.fsum(float(field[p]) for p in near if 0 <= p[0] < 4 and 0 <= p[1] < 5)
            assert out[i, j] == pytest.approx(0.6 * float(field[i, j]) + 0.1 * around, abs=1e-6)


def test_spmv() -> None:
    (starts, column, value, x, *_), y = solve("spmv_csr", rows=20, columns=9, row_length=2)
    assert starts[0] == 0
    assert starts[-1] == len(value)
    assert (np.diff(starts) == 0).any(), "no empty row tried"
    for i in range(20):
        terms = range(starts[i], starts[i + 1])
        exact = math.fsum(float(value[t]) * float(x[column[t]]) for t in terms)
        assert y[i] == pytest.approx(exact, abs=1e-6)


def test_saxpy() -> None:
    (a, x, y, _), out = solve("saxpy", n=9)
    exact = [float(a) * float(p) + float(q) for p, q in zip(x, y, strict=True)]
    assert out == pytest.approx(exact, abs=1e-6)


def test_strided_copy() -> None:
    (values, *_), out = solve("strided_copy", n=5, stride=3)
    assert list(out) == [values[0], values[3], values[6], values[9], values[12]]


def test_records_hold_the_same_values_however_arranged() -> None:
    (records, *_), from_records = solve("aos_sum", n=6)
    (x, y, z, w, *_), from_fields = solve("soa_sum", n=6)
    assert np.array_equal(records, np.stack([x, y, z, w], axis=1))
    assert np.array_equal(from_records, from_fields)
    assert from_records == pytest.approx([math.fsum(map(float, r)) for r in records], abs=1e-6)


@pytest.mark.parametrize("terms", [4, 64, 2048])
def test_sum_tolerance_passes_rounding_and_catches_a_lost_term(terms: int) -> None:
    rng = np.random.default_rng(5)
    factors = rng.uniform(-1, 1, (2, terms, 1000)).astype(np.float32)
    products = factors[0] * factors[1]
    running = np.zeros(1000, np.float32)
    for product in products:
        running += product
    exact = products.sum(axis=0, dtype=np.float64)
    assert np.abs(running - exact).max() <= sum_tolerance(terms)
    assert np.abs(running - products[0] - exact).max() > 100 * sum_tolerance(terms)


def test_deferred_computes_once_and_only_when_asked() -> None:
    calls = []

    def reference() -> np.ndarray[Any, Any]:
        calls.append(1)
        return np.ones(1)

    expected = Deferred({2: reference})
    assert list(expected) == [2]
    assert not calls
    assert expected[2] is expected[2]
    assert len(calls) == 1
