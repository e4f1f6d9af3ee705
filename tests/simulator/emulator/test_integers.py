"""Integer kernels of the corpus against numpy and Python integers."""

from __future__ import annotations

from typing import Any

import numpy as np
from running import each_architecture, random_bits, run

N = 64
FILE = "integers.cu"


def _map(kernel: str, architecture: int, a: Any, b: Any, count: int) -> Any:
    out = np.zeros(count * N, a.dtype)
    return run(FILE, kernel, architecture, [a, b, out, np.int32(N)])[2].reshape(count, N)


def _rows(rows: list[list[int]], dtype: Any) -> Any:
    """Python integers wrapped to a type."""
    bits = 8 * np.dtype(dtype).itemsize
    values = [[v & ((1 << bits) - 1) for v in row] for row in rows]
    return np.array(values, dtype=f"u{bits // 8}").view(dtype)


def _divide(a: int, b: int) -> int:
    """C division, toward zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: int, b: int) -> int:
    return a - b * _divide(a, b)


@each_architecture
def test_division_of_32_bits(architecture: int) -> None:
    a, b = random_bits(1, N, np.int32), random_bits(2, N, np.int32)
    b[b == 0] = 3
    found = _map("divide32", architecture, a, b, 6)
    x, y = a.tolist(), b.tolist()
    u, v = a.view(np.uint32).tolist(), b.view(np.uint32).tolist()
    expected = [
        [_divide(p, q) for p, q in zip(x, y, strict=True)],
        [_remainder(p, q) for p, q in zip(x, y, strict=True)],
        [p // q for p, q in zip(u, v, strict=True)],
        [p % q for p, q in zip(u, v, strict=True)],
        [_divide(p, 7) + _remainder(p, 10) for p in x],
        [p // 641 + p % 1000 for p in u],
    ]
    np.testing.assert_array_equal(found, _rows(expected, np.int32))


@each_architecture
def test_division_of_64_bits(architecture: int) -> None:
    a, b = random_bits(3, N, np.int64), random_bits(4, N, np.int64)
    b[b == 0] = 5
    found = _map("divide64", architecture, a, b, 5)
    x, y = a.tolist(), b.tolist()
    u, v = a.view(np.uint64).tolist(), b.view(np.uint64).tolist()
    expected = [
        [_divide(p, q) for p, q in zip(x, y, strict=True)],
        [_remainder(p, q) for p, q in zip(x, y, strict=True)],
        [p // q for p, q in zip(u, v, strict=True)],
        [p % q for p, q in zip(u, v, strict=True)],
        [_divide(p, 1000003) for p in x],
    ]
    np.testing.assert_array_equal(found, _rows(expected, np.int64))


@each_architecture
def test_arithmetic_of_64_bits(architecture: int) -> None:
    a, b = random_bits(5, N, np.int64), random_bits(6, N, np.int64)
    found = _map("arithmetic64", architecture, a, b, 12)
    rows = []
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        u, v, s = x % 2**64, y % 2**64, y & 63
        rows.append([
            x + y, x - y, x * y, min(x, y), max(u, v), x << s, x >> s, u >> s, x * y >> 64,
            u * v >> 64, abs(x), ((x ^ y) & ~(x | y)) + (x == y) + 2 * (x >= y),
        ])  # fmt: skip
    np.testing.assert_array_equal(found, _rows(rows, np.int64).T)


def _reverse(x: int, bits: int = 32) -> int:
    return int(format(x, f"0{bits}b")[::-1], 2)


def _permute(x: int, y: int, selector: int) -> int:
    source = (y << 32 | x).to_bytes(8, "little")
    return sum(source[selector >> (4 * n) & 7] << (8 * n) for n in range(4))


def _field(x: int, start: int, width: int, signed: bool) -> int:
    if width == 0:
        return 0
    wide = x - 2**32 if signed and x >> 31 else x
    value = wide >> start & ((1 << width) - 1)
    sign = x >> min(start + width - 1, 31) & 1
    if not signed:
        return value & (0xFFFFFFFF >> min(start, 31))
    return value - (1 << width) if sign else value


def _insert(x: int, y: int, start: int, width: int) -> int:
    mask = ((1 << width) - 1) << start & 0xFFFFFFFF
    return y & ~mask | x << start & mask


@each_architecture
def test_bit_tricks(architecture: int) -> None:
    a, b = random_bits(7, N, np.uint32), random_bits(8, N, np.uint32)
    found = _map("bits", architecture, a, b, 15)
    rows = []
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        w, low = x << 32 | y, y << 32 | x
        s, t = y & 31, y >> 5 & 31
        rows.append([
            x.bit_count() + 100 * (32 - x.bit_length()) + 10000 * (x & -x).bit_length(),
            _reverse(x), _permute(x, y, 0x6531), _permute(x, y, y),
            (low << (y & 31)) >> 32, low >> (x & 31),
            (low << min(y & 63, 32)) >> 32, low >> min(x & 63, 32),
            w.bit_count() + 100 * (64 - w.bit_length()) + 10000 * (w & -w).bit_length(),
            _reverse(w, 64) >> 32, _field(x, s, t, False), _field(x, s, t, True),
            _insert(x, y, x & 31, t), x << s | x >> (-y & 31),
            x if x & (x - 1) == 0 else x | x >> 1,
        ])  # fmt: skip
    np.testing.assert_array_equal(found, _rows(rows, np.uint32).T)


@each_architecture
def test_extrema(architecture: int) -> None:
    a, b = random_bits(9, N, np.int32), random_bits(10, N, np.int32)
    found = _map("extrema", architecture, a, b, 14)
    rows = []
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        u, v = x % 2**32, y % 2**32
        total = (x + y + 2**31) % 2**32 - 2**31
        rows.append([
            min(x, y), max(x, y), min(u, v), max(u, v), abs(x), abs(x - y) + 5, abs(u - v) + 5,
            x * y >> 32, u * v >> 32, x + y >> 1, x + y + 1 >> 1, min(max(x, -100), 100),
            max(x, y, total), min(x, y, 17),
        ])  # fmt: skip
    np.testing.assert_array_equal(found, _rows(rows, np.int32).T)


def _bytes(x: int, signed: bool) -> list[int]:
    values = [x >> (8 * n) & 255 for n in range(4)]
    return [v - 256 if signed and v > 127 else v for v in values]


@each_architecture
def test_dot_products_of_bytes(architecture: int) -> None:
    a, b = random_bits(11, N, np.int32), random_bits(12, N, np.int32)
    found = _map("dot_bytes", architecture, a, b, 4)
    rows = []
    for n, (x, y) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        signed = sum(p * q for p, q in zip(_bytes(x, True), _bytes(y, True), strict=True))
        plain = sum(p * q for p, q in zip(_bytes(x, False), _bytes(y, False), strict=True))
        low, high = (x + 2**15) % 2**16 - 2**15, x >> 16
        p, q = _bytes(y, True), _bytes(y, False)
        rows.append([
            signed + n, plain + n, low * p[0] + high * p[1] + n,
            (x & 0xFFFF) * q[2] + (x >> 16 & 0xFFFF) * q[3] + n,
        ])  # fmt: skip
    np.testing.assert_array_equal(found, _rows(rows, np.int32).T)


@each_architecture
def test_packed_bytes(architecture: int) -> None:
    a, b = random_bits(13, N, np.uint32), random_bits(14, N, np.uint32)
    found = _map("packed_bytes", architecture, a, b, 8)
    x, y = a.view(np.uint8), b.view(np.uint8)
    p, q = a.view(np.int16), b.view(np.int16)
    wide = x.astype(int), y.astype(int)
    sums = np.clip(p.astype(int) + q, -32768, 32767).astype(np.int16)
    expected = [
        x + y, p - q, np.minimum(x, y), np.abs(wide[0] - wide[1]).astype(np.uint8),
        np.where(x > y, 255, 0).astype(np.uint8), np.maximum(p, q), sums,
        ((wide[0] + wide[1] + 1) >> 1).astype(np.uint8),
    ]  # fmt: skip
    np.testing.assert_array_equal(found, [e.view(np.uint32) for e in expected])


@each_architecture
def test_small_types(architecture: int) -> None:
    a, b = random_bits(15, N, np.int8), random_bits(16, N, np.uint16)
    buffers = [np.zeros(N, t) for t in (np.int8, np.int16, np.uint64)]
    out = run(FILE, "small_types", architecture, [a, b, *buffers, np.int32(N)])
    x, y = a.astype(np.int64), b.astype(np.int64)
    np.testing.assert_array_equal(out[2], (x * 3 + y).astype(np.int8))
    np.testing.assert_array_equal(out[3], ((x << 5) - y).astype(np.int16))
    np.testing.assert_array_equal(out[4], (x * y).view(np.uint64))


@each_architecture
def test_carry_chains(architecture: int) -> None:
    a, b = random_bits(17, 4 * N, np.uint32), random_bits(18, 4 * N, np.uint32)
    out = np.zeros(8 * N, np.uint32)
    found = run(FILE, "carry", architecture, [a, b, out, np.int32(N)])[2].tobytes()
    for n in range(N):
        x, y = (int.from_bytes(v[4 * n : 4 * n + 4].tobytes(), "little") for v in (a, b))
        expected = ((x + y) % 2**128, (x - y) % 2**128)
        for part, value in enumerate(expected):
            place = 32 * n + 16 * part
            assert int.from_bytes(found[place : place + 16], "little") == value
