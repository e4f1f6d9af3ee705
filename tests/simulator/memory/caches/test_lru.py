"""The cache against a slow reference."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from simulator.device import load_device
from simulator.jit import compiled
from simulator.memory.caches.lru import bring, fill, make_entries, set_of
from simulator.memory.caches.machine import machine_of

SETS, WAYS = 5, 3


@compiled
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
        row, place = divmod(line, SETS)
        ways = sets[(place + ((row * 2256677467 % 2**32) * SETS >> 32)) % SETS]
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


@pytest.mark.parametrize("start", [0, 12345, 999999])
@pytest.mark.parametrize("power", range(14))
def test_steps_of_powers_of_two_spread_over_the_sets(start: int, power: int) -> None:
    """As on an NVIDIA H200: 1,024 lines at such steps all stay in an L1 of 216 KiB."""
    sets = 216 * 1024 // 128 // 4
    used = [set_of.python(start + (n << power), sets) for n in range(1024)]  # type: ignore[attr-defined]
    assert np.bincount(used).max() <= 4


@compiled
def _sweep(lines: int, sets: int, entries: NDArray[np.int64]) -> int:
    hits = 0
    for _ in range(3):
        for line in range(lines):
            first = set_of(line, sets) * 4
            hits += np.int64(bring(entries, first, 4, line) == 15)
            fill(entries, first, 15)
    return hits


# KiB loaded three times by one block, share of sector hits measured on an NVIDIA H200.
@pytest.mark.parametrize(
    ("carveout_kib", "kib", "measured"),
    [
        (32, 80, 0.667), (32, 208, 0.667), (32, 216, 0.667), (32, 220, 0.606), (32, 224, 0.522),
        (32, 232, 0.423), (32, 240, 0.268), (32, 248, 0.131), (64, 176, 0.667), (64, 184, 0.667),
        (64, 192, 0.523), (64, 200, 0.418), (64, 208, 0.239), (64, 216, 0.177), (64, 248, 0.002),
        (132, 112, 0.667), (132, 176, 0.009),
    ],
)  # fmt: skip
def test_footprints_about_the_size_of_l1(carveout_kib: int, kib: int, measured: float) -> None:
    machine = machine_of(load_device("h200"), carveout_kib * 1024)
    sets = machine.l1_bytes // 128 // 4
    lines = kib * 8
    share = _sweep(lines, sets, make_entries(1, sets, 4)) / (3 * lines)
    assert share == pytest.approx(measured, abs=0.001 if kib * 1024 <= machine.l1_bytes else 0.11)
