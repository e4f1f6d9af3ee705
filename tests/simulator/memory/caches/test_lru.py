"""The cache against a slow reference."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from numpy.typing import NDArray

from simulator.memory.caches.lru import bring, fill, make_entries, set_of

SETS, WAYS = 5, 3


@njit  # type: ignore[untyped-decorator]
def _hits(lines: NDArray[np.int64], masks: NDArray[np.int64], entries: NDArray[np.int64]) -> int:
    hits = 0
    for n in range(len(lines)):
        first = set_of(lines[n], SETS) * WAYS
        valid = bring(entries, first, WAYS, lines[n])
        hits += np.int64(masks[n] & valid == masks[n])
        fill(entries, first, masks[n])
    return hits


def _reference(accesses: list[tuple[int, int]]) -> int:
    sets: list[OrderedDict[int, int]] = [OrderedDict() for _ in range(SETS)]
    hits = 0
    for line, mask in accesses:
        ways = sets[(line * 1205726783 % 2**32) * SETS >> 32]
        valid = ways.pop(line, 0)
        hits += valid & mask == mask
        ways[line] = valid | mask
        if len(ways) > WAYS:
            ways.popitem(last=False)
    return hits


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 15)), max_size=200))
def test_equals_a_slow_cache(accesses: list[tuple[int, int]]) -> None:
    lines = np.array([line for line, _ in accesses], np.int64)
    masks = np.array([mask for _, mask in accesses], np.int64)
    assert _hits(lines, masks, make_entries(1, SETS, WAYS)) == _reference(accesses)


@settings(deadline=None)
@given(st.integers(0, 1 << 20), st.integers(0, 13))
def test_steps_of_powers_of_two_spread_over_the_sets(start: int, power: int) -> None:
    """As on the hardware: 1,024 lines at such steps all stay in an L1 of 216 KiB."""
    sets = 216 * 1024 // 128 // 4
    used = [set_of.py_func(start + (n << power), sets) for n in range(1024)]  # type: ignore[attr-defined]
    assert np.bincount(used).max() <= 4
