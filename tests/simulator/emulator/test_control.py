"""Control flow of the corpus against plain Python."""

from __future__ import annotations

import math

import numpy as np
from running import each_architecture, random_bits, run

N = 64
FILE = "control.cu"


def _wrap(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def _toward_zero(a: int, b: int) -> int:
    return int(math.copysign(abs(a) // b, a)) if a else 0


def _switched(v: int, t: int, out: list[int]) -> int:
    r = _wrap(v * 3)
    u = r % 2**32
    cases = {
        0: lambda: r + out[(t + 1) & 63], 1: lambda: r ^ 0x55,
        2: lambda: _toward_zero(r, 3) - 5, 3: lambda: u.bit_count(), 4: lambda: (r << 2) - 100,
        5: lambda: r - 100, 6: lambda: -r, 7: lambda: r * r,
        8: lambda: r - 11 * _toward_zero(r, 11), 9: lambda: r | 1 << (t & 31),
        10: lambda: int(format(u, "032b")[::-1], 2), 12: lambda: 32 - u.bit_length(),
    }  # fmt: skip
    return _wrap(cases.get(v & 15, lambda: 1)())


@each_architecture
def test_switch(architecture: int) -> None:
    a, out = random_bits(1, N, np.int32) >> 8, random_bits(2, 2 * N, np.int32) >> 8
    found = run(FILE, "switches", architecture, [a, out])[1]
    expected = [_switched(v, t, out.tolist()) for t, v in enumerate(a.tolist())]
    assert found[N:].tolist() == expected


def _case(v: int, t: int) -> int:
    k = v & 7
    return (v * (k + 2) + t) if k % 2 == 0 else v - 1000 * k


@each_architecture
def test_jump_table(architecture: int) -> None:
    a = np.random.default_rng(3).integers(-1000, 1000, N).astype(np.int32)
    found = run(FILE, "jump_table", architecture, [a, np.zeros(N, np.int32)])[1]
    assert found.tolist() == [_case(v, t) for t, v in enumerate(a.tolist())]


def _steps(v: int) -> int:
    steps = 0
    while v > 1:
        v = 3 * v + 1 if v & 1 else v // 2
        steps += 1
        if steps == 60:
            break
        if v == 17:
            steps += 1000
            break
    return steps


@each_architecture
def test_loop_that_lanes_leave_apart(architecture: int) -> None:
    a = random_bits(4, N, np.int32)
    found = run(FILE, "collatz", architecture, [a, np.zeros(N, np.int32)])[1]
    assert found.tolist() == [_steps(v & 1023) for v in a.tolist()]


def _ackermann(m: int, n: int) -> int:
    if m == 0:
        return n + 1
    return _ackermann(m - 1, 1 if n == 0 else _ackermann(m, n - 1))


@each_architecture
def test_recursion(architecture: int) -> None:
    found = run(FILE, "recursion", architecture, [np.zeros(N, np.int32)])[0]
    assert found.tolist() == [_ackermann(t & 1, t & 3) for t in range(N)]


@each_architecture
def test_calls(architecture: int) -> None:
    a = np.linspace(1, 9, N, dtype=np.float32)
    found = run(FILE, "calls", architecture, [a, np.zeros(N, np.float32)])[1]
    x = a.astype(np.float64)
    for k in range(4):
        x = x * 0.5 if k & 1 else np.sqrt(x) + k
    t = np.arange(N)
    again = np.where(t & 1, x * 0.5, np.sqrt(x) + t)
    np.testing.assert_allclose(found, np.where(t & 4, again, x), rtol=1e-6)


@each_architecture
def test_local_arrays(architecture: int) -> None:
    a = random_bits(5, N, np.int32)
    found = run(FILE, "local_array", architecture, [a, np.zeros(2 * N, np.int32), np.int32(5)])[1]
    kept = [sorted(np.roll(a, -t)[:16].tolist()) for t in range(N)]
    assert found[:N].tolist() == [k[5] for k in kept]
    assert found[N:].tolist() == [k[(t + 5) & 15] for t, k in enumerate(kept)]


@each_architecture
def test_constants_and_variables(architecture: int) -> None:
    a = random_bits(6, N, np.int32)
    found = run(FILE, "constants", architecture, [a, np.zeros(2 * N, np.int32)])[1]
    table = np.array([3, 1, 4, 1, 5, 9, 2, 6])
    codes = np.array([7, 0, 255, 128, 1, *[0] * 11])
    np.testing.assert_array_equal(found[:N], table[a & 7] + codes[a & 15] + 5)
    np.testing.assert_array_equal(found[N:], 6)


@each_architecture
def test_bitonic_sort(architecture: int) -> None:
    a = random_bits(7, 128, np.int32)
    found = run(FILE, "bitonic_sort", architecture, [a], block=128, shared_bytes=512)[0]
    np.testing.assert_array_equal(found, np.sort(a))


@each_architecture
def test_sieve(architecture: int) -> None:
    found = run(FILE, "sieve", architecture, [np.zeros(500, np.int32), np.int32(500)])[0]
    primes = [n for n in range(2, 500) if all(n % p for p in range(2, n))]
    assert np.flatnonzero(found[2:] == 0).tolist() == [p - 2 for p in primes]
