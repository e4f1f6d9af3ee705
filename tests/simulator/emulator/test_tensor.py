"""Matrix products of the corpus against numpy, on numbers whose sums are exact."""

from __future__ import annotations

from typing import Any

import numpy as np
from running import each_architecture, run

FILE = "tensor.cu"
LANE = np.arange(32)
G, T = LANE >> 2, LANE & 3


def _small(seed: int, shape: tuple[int, ...], dtype: Any = np.float32) -> Any:
    """Small integers: every product and sum fits the formats."""
    return np.random.default_rng(seed).integers(-8, 8, shape).astype(dtype)


def _brain(values: Any) -> Any:
    """float32 that bfloat16 holds, as its bits."""
    return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def _words(parts: list[Any]) -> Any:
    """Registers of a fragment, [register][lane], from the elements of each register."""
    return np.stack([np.ascontiguousarray(p).view(np.uint32).ravel() for p in parts]).ravel()


def _rows_of_a(a: Any, per: int) -> list[Any]:
    """A's registers: rows g and g + 8, ``per`` neighbouring k a register."""
    chunks = range(0, a.shape[1], 4 * per)
    k = per * T[:, None] + np.arange(per)
    return [a[G[:, None] + half, k + c] for c in chunks for half in (0, 8)]


def _columns_of_b(b: Any, per: int) -> list[Any]:
    k = per * T[:, None] + np.arange(per)
    return [b[k + c, G[:, None]] for c in range(0, b.shape[0], 4 * per)]


def _matrix(registers: Any) -> Any:
    """Accumulators [4][lane] as a 16 x 8 matrix."""
    found = np.zeros((16, 8), registers.dtype)
    for n in range(4):
        found[G + 8 * (n >> 1), 2 * T + (n & 1)] = registers[n]
    return found


def _registers(matrix: Any) -> Any:
    return np.stack([matrix[G + 8 * (n >> 1), 2 * T + (n & 1)] for n in range(4)])


@each_architecture
def test_wmma(architecture: int) -> None:
    a, b = _small(1, (16, 16)), _small(2, (16, 16))
    arguments = [a.astype(np.float16).ravel(), b.T.astype(np.float16).ravel()]
    found = run(FILE, "wmma_half", architecture, [*arguments, np.zeros(256, np.float32)], 32)[2]
    np.testing.assert_array_equal(found.reshape(16, 16), a @ b)


@each_architecture
def test_ldmatrix_and_mma(architecture: int) -> None:
    a, b = _small(3, (16, 16)), _small(4, (16, 8))
    arguments = [a.astype(np.float16).ravel(), b.astype(np.float16).ravel()]
    found = run(FILE, "ldmatrix_mma", architecture, [*arguments, np.zeros(128, np.float32)], 32)[2]
    np.testing.assert_array_equal(found.reshape(16, 8), a @ b)


@each_architecture
def test_float16_accumulators(architecture: int) -> None:
    a, b, c = _small(5, (16, 16)), _small(6, (16, 8)), _small(7, (16, 8))
    halves = _registers(c.astype(np.float16)).reshape(2, 2, 32).transpose(0, 2, 1)
    arguments = [
        _words(_rows_of_a(a.astype(np.float16), 2)), _words(_columns_of_b(b.astype(np.float16), 2)),
        _words(list(halves)), np.zeros(64, np.uint32),
    ]  # fmt: skip
    found = run(FILE, "mma_half_acc", architecture, arguments, 32)[3]
    parts = found.view(np.float16).reshape(2, 32, 2).transpose(0, 2, 1).reshape(4, 32)
    np.testing.assert_array_equal(_matrix(parts), (a @ b + c).astype(np.float16))


def _float_case(kernel: str, architecture: int, k: int, per: int, encode: Any) -> None:
    a, b, c = _small(8, (16, k)), _small(9, (k, 8)), _small(10, (16, 8))
    arguments = [
        _words(_rows_of_a(encode(a), per)), _words(_columns_of_b(encode(b), per)),
        _registers(c).ravel(), np.zeros(128, np.float32),
    ]  # fmt: skip
    found = run(FILE, kernel, architecture, arguments, 32)[3]
    np.testing.assert_array_equal(_matrix(found.reshape(4, 32)), a @ b + c)


@each_architecture
def test_bfloat16(architecture: int) -> None:
    _float_case("mma_bf16", architecture, 16, 2, _brain)


@each_architecture
def test_tf32(architecture: int) -> None:
    _float_case("mma_tf32", architecture, 8, 1, lambda m: m.astype(np.float32))


@each_architecture
def test_short_product(architecture: int) -> None:
    _float_case("mma_k8", architecture, 8, 2, lambda m: m.astype(np.float16))


@each_architecture
def test_bytes(architecture: int) -> None:
    generator = np.random.default_rng(11)
    a, b = (generator.integers(-128, 128, s).astype(np.int8) for s in ((16, 32), (32, 8)))
    c = generator.integers(-1000, 1000, (16, 8)).astype(np.int32)
    words = _words(_rows_of_a(a, 4)), _words(_columns_of_b(b, 4))
    arguments = [*words, _registers(c).ravel(), np.zeros(128, np.int32)]
    found = run(FILE, "mma_s8", architecture, arguments, 32)[3]
    wide = a.astype(int) @ b.astype(int) + a[:, :16].view(np.uint8).astype(int) @ b[:16].astype(int)
    np.testing.assert_array_equal(_matrix(found.reshape(4, 32)), wide + c)


@each_architecture
def test_doubles(architecture: int) -> None:
    a, b, c = (_small(n, s, np.float64) for n, s in ((12, (8, 4)), (13, (4, 8)), (14, (8, 8))))
    registers = np.stack([c[G, 2 * T], c[G, 2 * T + 1]])
    arguments = [a[G, T], b[T, G], registers.ravel(), np.zeros(64)]
    found = run(FILE, "mma_f64", architecture, arguments, 32)[3].reshape(2, 32)
    expected = a @ b + c
    np.testing.assert_array_equal(found, [expected[G, 2 * T], expected[G, 2 * T + 1]])


@each_architecture
def test_transposed_registers(architecture: int) -> None:
    a = np.arange(64, dtype=np.uint16).reshape(8, 8)
    arguments = [a.view(np.uint32).ravel(), np.zeros(32, np.uint32)]
    found = run(FILE, "move_matrix", architecture, arguments, 32)[1]
    np.testing.assert_array_equal(found.view(np.uint16).reshape(8, 8), a.T)
