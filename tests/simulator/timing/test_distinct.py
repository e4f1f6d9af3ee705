"""Distinct numbers of a row as numpy finds them."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.timing.distinct import distinct, find_places


def _row(length: int, most: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.random.default_rng(length).integers(0, most, length)


@pytest.mark.parametrize(("length", "most"), [(0, 1), (1, 5), (500, 7), (900, 1 << 50)])
def test_distinct_numbers_are_those_of_numpy(length: int, most: int) -> None:
    row = _row(length, most)
    found = distinct(row)
    numbers, first, which = np.unique(row, return_index=True, return_inverse=True)
    assert found.numbers.tolist() == numbers.tolist()
    assert found.first.tolist() == first.tolist()
    assert found.which.tolist() == which.reshape(-1).tolist()


def test_numbers_that_hash_alike_are_kept_apart() -> None:
    row = np.arange(100, dtype=np.int64) << 56
    assert distinct(row).first.tolist() == list(range(100))


def test_values_by_number() -> None:
    found = distinct(np.array([7, 3, 7, 3, 7]))
    assert found.first_by(np.array([2, 4, 1, 4, 1], np.int32)).tolist() == [1, 2]
    assert found.united(np.array([1, 2, 4, 2, 1])).tolist() == [2, 5]


def test_places_of_numbers() -> None:
    found = find_places(np.array([2, 5, 9]), np.array([1, 2, 3, 9, 10]))
    assert found.tolist() == [-1, 0, -1, 2, -1]
    assert find_places(np.empty(0, np.int64), np.array([4])).tolist() == [-1]
