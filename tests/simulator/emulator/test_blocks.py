"""Block algorithms of the corpus against numpy."""

from __future__ import annotations

import numpy as np
from running import each_architecture, random_bits, run

FILE = "blocks.cu"


@each_architecture
def test_block_reduce(architecture: int) -> None:
    a = random_bits(1, 128, np.int32)
    found = run(FILE, "cub_reduce", architecture, [a, np.zeros(2, np.int32)], block=128)[1]
    assert found.tolist() == [a.sum(dtype=np.int64).astype(np.int32), a.max()]


@each_architecture
def test_block_scan(architecture: int) -> None:
    a = random_bits(2, 128, np.int32)
    found = run(FILE, "cub_scan", architecture, [a, np.zeros(129, np.int32)], block=128)[1]
    sums = np.concatenate([[0], np.cumsum(a.astype(np.int64))]).astype(np.int32)
    np.testing.assert_array_equal(found, sums)


@each_architecture
def test_warp_reduce(architecture: int) -> None:
    a = np.arange(128, dtype=np.float32)
    found = run(FILE, "cub_warp", architecture, [a, np.zeros(4, np.float32)], block=128)[1]
    np.testing.assert_array_equal(found, a.reshape(4, 32).sum(axis=1))


@each_architecture
def test_radix_sort(architecture: int) -> None:
    a = random_bits(3, 256, np.uint32)
    found = run(FILE, "cub_sort", architecture, [a, np.zeros_like(a)], block=128)[1]
    np.testing.assert_array_equal(found, np.sort(a))


@each_architecture
def test_asynchronous_copies(architecture: int) -> None:
    a = np.arange(1024, dtype=np.float32)
    found = run(FILE, "async_copy", architecture, [a, np.zeros_like(a)], block=128)[1]
    np.testing.assert_array_equal(found, a.reshape(2, 512)[:, ::-1].ravel())


@each_architecture
def test_copies_that_fill_with_zeros(architecture: int) -> None:
    a = random_bits(4, 128, np.int32)
    arguments = [a, np.zeros_like(a), np.int32(100)]
    found = run(FILE, "small_copy", architecture, arguments, block=128)[1]
    kept = np.where(np.arange(128) < 100, a, 0)
    np.testing.assert_array_equal(found, kept[np.arange(128) ^ 1])


@each_architecture
def test_transposition(architecture: int) -> None:
    a = np.arange(64 * 64, dtype=np.float32)
    arguments = [a, np.zeros_like(a), np.int32(64)]
    found = run(FILE, "transpose", architecture, arguments, (32, 8, 1), (2, 2, 1))[1]
    np.testing.assert_array_equal(found.reshape(64, 64), a.reshape(64, 64).T)


@each_architecture
def test_matrix_product(architecture: int) -> None:
    generator = np.random.default_rng(5)
    a, b = (generator.integers(-8, 8, (32, 32)).astype(np.float32) for _ in range(2))
    arguments = [a.ravel(), b.ravel(), np.zeros(1024, np.float32), np.int32(32)]
    found = run(FILE, "matmul", architecture, arguments, (16, 16, 1), (2, 2, 1))[2]
    np.testing.assert_array_equal(found.reshape(32, 32), a @ b)
