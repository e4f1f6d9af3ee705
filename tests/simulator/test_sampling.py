"""Which blocks stand for a launch: classes, samples and extrapolation, on grids of any shape."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from simulator.sampling import (
    Classes,
    class_of,
    class_sizes,
    extrapolate,
    find_period,
    judge,
    neighbours,
    sample_blocks,
    spread_blocks,
)

grids = st.one_of(
    st.tuples(st.integers(1, 12), st.integers(1, 9), st.integers(1, 6)),
    st.tuples(st.integers(1, 7), st.integers(1, 6), st.integers(1, 5), st.integers(1, 4)),
)


periods = st.tuples(*[st.sampled_from([1, 2, 4, 32])] * 3)
Grid = tuple[int, ...]


@given(grids, periods)
def test_class_sizes_count_the_blocks(grid: Grid, period: Grid) -> None:
    found = Counter(class_of(block, grid, period) for block in range(math.prod(grid)))
    assert class_sizes(grid, period) == found


def test_the_largest_grids_are_sampled_without_counting_their_blocks() -> None:
    grid = (2**31 - 1, 65535, 7)
    assert sum(class_sizes(grid, (32, 1, 1)).values()) == math.prod(grid)
    assert sample_blocks(grid, (32, 1, 1)).max() == math.prod(grid) - 1


@given(grids, periods)
def test_samples_lie_in_the_grid_and_reach_every_class(grid: Grid, period: Grid) -> None:
    blocks = sample_blocks(grid, period)
    assert len(set(blocks.tolist())) == len(blocks)
    assert blocks.min() == 0
    assert blocks.max() == math.prod(grid) - 1
    keys = {class_of(block, grid, period) for block in blocks.tolist()}
    assert keys == set(class_sizes(grid, period))


@given(grids)
def test_extrapolation_is_the_sum_over_all_blocks(grid: tuple[int, int, int]) -> None:
    def counts(block: int) -> NDArray[np.int64]:
        x, y, z, w = [place for place, _ in (*class_of(block, grid), (0, 0))][:4]
        return np.array([[1, x], [10 * y + z, 5 + 7 * w]], np.int64)

    everything = sum(counts(block) for block in range(math.prod(grid)))
    sampled = {block: counts(block) for block in sample_blocks(grid).tolist()}
    assert judge(Classes(grid), sampled).holds
    np.testing.assert_array_equal(extrapolate(Classes(grid), sampled), everything)


@given(grids, st.integers(1, 5), st.integers(0, 99))
def test_ways_make_classes_too(grid: Grid, count: int, seed: int) -> None:
    ways = np.random.default_rng(seed).integers(0, count, math.prod(grid))
    classes = Classes(grid, ways=ways)

    def counts(block: int) -> NDArray[np.int64]:
        return np.array([1, 1000**3 * ways[block] + hash(class_of(block, grid)) % 1000**3])

    assert sum(classes.sizes().values()) == math.prod(grid)
    sampled = {block: counts(block) for block in classes.sample().tolist()}
    assert judge(classes, sampled).holds
    everything = sum(counts(block) for block in range(math.prod(grid)))
    np.testing.assert_array_equal(extrapolate(classes, sampled), everything)


@given(grids)
def test_a_sample_of_unequal_blocks_does_not_hold(grid: tuple[int, int, int]) -> None:
    blocks = sample_blocks(grid).tolist()
    counts = {block: np.array([block]) for block in blocks}
    classes = [class_of(block, grid) for block in blocks]
    verdict = judge(Classes(grid), counts)
    assert verdict.holds == (len(set(classes)) == len(blocks))
    assert verdict.holds or "differ in their counts" in verdict.reason


@given(grids)
def test_neighbours_are_one_step_apart_and_between_the_ends(grid: Grid) -> None:
    def place(block: int) -> NDArray[np.int64]:
        return np.array(np.unravel_index(block, grid, order="F"))

    home, others = neighbours(grid)
    assert home in sample_blocks(grid)
    for axis, other in enumerate(others):
        assert (other is None) == (grid[axis] < 4)
        if other is not None:
            assert np.abs(place(other) - place(home)).tolist() == [
                axis == n for n in range(len(grid))
            ]
            assert 0 < place(other)[axis] < grid[axis] - 1


@pytest.mark.parametrize(
    ("steps", "period"),
    [((0,), 1), ((128, -1280), 1), ((64,), 2), ((128, 96), 4), ((4, 64), 32), ((), 1)],
)
def test_periods(steps: tuple[int, ...], period: int) -> None:
    here = {n: 1000 * n for n in range(len(steps))}
    there = {n: here[n] + step for n, step in enumerate(steps)}
    assert find_period(here, {**there, 99: 5}) == period


@pytest.mark.parametrize(("total", "wanted"), [(1, 1), (10, 1), (10, 3), (10, 10), (1000, 7)])
def test_spread_blocks(total: int, wanted: int) -> None:
    blocks = spread_blocks(total, wanted).tolist()
    assert len(blocks) == wanted
    assert blocks[0] == 0
    assert wanted == 1 or blocks[-1] == total - 1
