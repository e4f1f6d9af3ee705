"""Atomics of the corpus against numpy; the results do not depend on the order of the lanes."""

from __future__ import annotations

import numpy as np
from running import each_architecture, random_bits, run

N = 64
FILE = "atomics.cu"
SEED = 21


def _inputs() -> np.ndarray:
    return random_bits(SEED, N, np.int32)


def _integers(a: np.ndarray) -> list[int]:
    """What the first twelve counters hold (those at 3, 5 and 10 start with other values)."""
    u = a.view(np.uint32)
    return [
        int(a.sum(dtype=np.int64)), N, max(0, int(a.max())), min(1000000, int(a.min())),
        int(np.bitwise_or.reduce(u)), int(np.bitwise_and.reduce(u)),
        int(np.bitwise_xor.reduce(u)), N % 41, 51 - N % 51, int(u.max()), int(u.min()), 7,
    ]  # fmt: skip


def _wrapped(values: list[int]) -> np.ndarray:
    return np.array([v & 0xFFFFFFFF for v in values], np.uint32).view(np.int32)


@each_architecture
def test_shared_atomics(architecture: int) -> None:
    a = _inputs()
    wide = a.astype(np.int64).view(np.uint64)
    arguments = [a, np.zeros(12, np.int32), np.zeros(8, np.uint64), np.zeros(2 + N, np.float32)]
    _, out, words, sums = run(FILE, "shared_atomics", architecture, arguments)
    np.testing.assert_array_equal(out, _wrapped(_integers(a)))
    mixed = wide << np.uint64(32) | a.view(np.uint32).astype(np.uint64)
    expected = [
        int(a.sum(dtype=np.int64)) % 2**64, int(wide.min()), int(wide.max()),
        int(np.bitwise_xor.reduce(mixed)), 9, 11, 0, 0,
    ]  # fmt: skip
    assert words.tolist() == expected
    assert sums[:2].tolist() == [float((a & 255).sum()), N]
    assert sorted(sums[2:].tolist()) == list(range(N))


@each_architecture
def test_global_atomics(architecture: int) -> None:
    a = _inputs()
    s = np.zeros(12, np.int32)
    s[3], s[5] = 1000000, -1
    w = np.zeros(8, np.uint64)
    w[3] = ~np.uint64(0)
    arguments = [a, s, w, np.zeros(1, np.float32), np.zeros(1), np.zeros(3 * N, np.int32)]
    _, s, w, f, d, olds, _ = run(
        FILE, "global_atomics", architecture, [*arguments, np.int32(N)], block=32, grid=2
    )
    expected = [*_integers(a)[:9], 5, 6, -int(a.sum(dtype=np.int64))]
    np.testing.assert_array_equal(s, _wrapped(expected))
    wide = a.astype(np.int64)
    assert w.view(np.int64).tolist()[:5] == [
        int(wide.sum()), max(0, int(wide.max())), min(0, int(wide.min())),
        ~int(np.bitwise_or.reduce(wide)), 9,
    ]  # fmt: skip
    assert f[0] == d[0] == (a & 255).sum()
    assert sorted(olds[:N].tolist()) == list(range(N))
    assert sorted(olds[N : 2 * N].tolist()) == [0, *[5] * (N - 1)]
    assert sorted(olds[2 * N :].tolist()) == [0, *[6] * (N - 1)]


@each_architecture
def test_packed_atomics(architecture: int) -> None:
    halves, brains, one = np.zeros(4, np.float16), np.zeros(2, np.uint16), np.zeros(66, np.float16)
    arguments = [halves, brains, one]
    halves, brains, one = run(FILE, "packed_atomics", architecture, arguments, block=32)
    assert halves.tolist() == [32.0, 64.0, 32.0, 0.0]
    assert (brains.astype(np.uint32) << 16).view(np.float32).tolist() == [32.0, 16.0]
    assert sorted(one[:32].tolist()) == list(range(32))
    assert one[64] == 32.0


@each_architecture
def test_generic_atomics(architecture: int) -> None:
    out = run(FILE, "generic_atomics", architecture, [np.zeros(8, np.int32), np.int32(0)])[0]
    odd, even = sum(range(1, N, 2)), sum(range(0, N, 2))
    assert out.tolist() == [even, 62, 32, 0, odd, 63, 32, 0]


@each_architecture
def test_histogram(architecture: int) -> None:
    data = random_bits(22, 1000, np.uint8)
    arguments = [data, np.zeros(256, np.uint32), np.int32(1000)]
    bins = run(FILE, "histogram", architecture, arguments, block=64, grid=3)[1]
    np.testing.assert_array_equal(bins, np.bincount(data, minlength=256))


@each_architecture
def test_spin_lock(architecture: int) -> None:
    a = random_bits(23, 128, np.int32)
    arguments = [np.zeros(1, np.int32), np.zeros(1, np.int32), a]
    lock, total, _ = run(FILE, "lock_sum", architecture, arguments, block=128)
    assert lock[0] == 0
    assert total[0] == a.sum(dtype=np.int64).astype(np.int32)


@each_architecture
def test_compare_and_swap_loop(architecture: int) -> None:
    a = np.random.default_rng(24).normal(size=96)
    best = run(FILE, "double_max", architecture, [a, np.zeros(1, np.uint64)], block=96)[1]
    assert best.view(np.float64)[0] == a.max()
