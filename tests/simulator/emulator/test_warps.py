"""Kernels of the corpus that work across lanes, against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
from running import each_architecture, random_bits, run

N = 64
FILE = "warps.cu"


def _map(kernel: str, architecture: int, a: Any, count: int, dtype: Any = np.int32) -> Any:
    out = np.zeros(count * N, dtype)
    return run(FILE, kernel, architecture, [a, out, np.int32(N)])[1].reshape(count, N)


def _by_warp(function: Any, a: Any) -> Any:
    """``function`` of each warp's 32 values, in every lane (wrapped to 32 bits)."""
    rows = [int(function(row.astype(np.int64))) & 0xFFFFFFFF for row in a.reshape(-1, 32)]
    return np.repeat(np.array(rows, np.uint32), 32)


@each_architecture
def test_shuffles(architecture: int) -> None:
    a = random_bits(1, N, np.int32)
    found = _map("shuffles", architecture, a, 6)
    lane = np.arange(N) % 32
    first = np.arange(N) - lane
    eight = np.arange(N) - lane % 8
    other = lane ^ 9
    sources = [
        first + 5,
        first + np.where(lane >= 3, lane - 3, lane),
        first + np.where(lane % 16 + 2 < 16, lane + 2, lane),
        first + np.where(other // 8 > lane // 8, lane, other),
        eight + np.arange(N) * 7 % 8,
        first + (lane ^ 1),
    ]
    np.testing.assert_array_equal(found, [a[s] for s in sources])


@each_architecture
def test_prefix_sum(architecture: int) -> None:
    a = random_bits(2, 256, np.int32)
    found = run(FILE, "prefix_sum", architecture, [a, np.zeros(256, np.int32)], block=256)[1]
    np.testing.assert_array_equal(found, np.cumsum(a.astype(np.int64)).astype(np.int32))


def _ballot(conditions: Any) -> Any:
    return _by_warp(lambda row: (row.astype(np.int64) << np.arange(32)).sum(), conditions)


def _matching(keys: Any) -> Any:
    rows = keys.reshape(-1, 32)
    same = (rows[:, :, None] == rows[:, None, :]).astype(np.int64)
    return (same << np.arange(32)).sum(axis=2).astype(np.uint32).ravel()


@each_architecture
def test_votes(architecture: int) -> None:
    a = random_bits(3, N, np.int32)
    a[32:] &= 0x3FFFFFFF
    found = _map("votes", architecture, a, 8, np.uint32)
    odd = (a & 1) == 1
    everywhere = _by_warp(lambda row: len(set((row >> 30).tolist())) == 1, a)
    expected = [
        _ballot(a > 0), np.full(N, 3), _matching(a & 3), np.where(everywhere, 0xFFFFFFFF, 0),
        everywhere, _matching(a & 7), np.full(N, 0xFFFFFFFF),
    ]  # fmt: skip
    np.testing.assert_array_equal(found[:7], expected)
    np.testing.assert_array_equal(found[7][odd], _by_warp(lambda r: (r & 1).sum(), a)[odd])
    np.testing.assert_array_equal(found[7][~odd], _ballot((a & 3) == 2)[~odd])


@each_architecture
def test_reductions(architecture: int) -> None:
    a = random_bits(4, N, np.int32)
    found = _map("reductions", architecture, a, 6, np.uint32)
    unsigned = a.view(np.uint32)
    expected = [
        _by_warp(np.sum, a), _by_warp(np.min, a), _by_warp(np.max, unsigned),
        _by_warp(np.bitwise_and.reduce, unsigned), _by_warp(np.bitwise_or.reduce, unsigned),
        _by_warp(np.bitwise_xor.reduce, unsigned),
    ]  # fmt: skip
    np.testing.assert_array_equal(found, expected)


@each_architecture
def test_block_votes(architecture: int) -> None:
    a = random_bits(5, N, np.int32)
    found = _map("block_votes", architecture, a, 3)
    expected = [(a & 1).sum(), int((a != 7).all()), 1]
    np.testing.assert_array_equal(found != 0, np.tile(np.array(expected)[:, None] != 0, N))
    assert set(found[0].tolist()) == {expected[0]}


@each_architecture
def test_cooperative_groups(architecture: int) -> None:
    a = random_bits(6, N, np.int32)
    found = _map("groups", architecture, a, 7)
    odd = (a & 1) == 1
    tiles = a.reshape(-1, 8)
    wide = a.astype(np.int64)
    rank = np.concatenate([np.cumsum(row) - 1 for row in odd.reshape(-1, 32)])
    count = np.repeat(odd.reshape(-1, 32).sum(axis=1), 32)
    first = np.repeat([row[row & 1 == 1][0] for row in a.reshape(-1, 32)], 32)
    lane = np.arange(N)
    np.testing.assert_array_equal(
        found[0], np.repeat(wide.reshape(-1, 8).sum(axis=1), 8).astype(np.int32)
    )
    np.testing.assert_array_equal(
        found[1], np.cumsum(wide.reshape(-1, 32), axis=1).ravel().astype(np.int32)
    )
    np.testing.assert_array_equal(found[2], a[np.where(lane % 8 < 7, lane + 1, lane)])
    any_negative = np.repeat((a.reshape(-1, 32) < 0).any(axis=1), 32)
    np.testing.assert_array_equal(
        found[3], any_negative + 2 * np.repeat((tiles > 0).all(axis=1), 8)
    )
    np.testing.assert_array_equal(found[4][odd], (rank + 100 * count)[odd])
    np.testing.assert_array_equal(found[5][odd], first[odd])
    np.testing.assert_array_equal(found[6], np.repeat((a & 15).reshape(-1, 32).max(axis=1), 32))
