"""Which blocks stand for a launch: classes, samples and extrapolation, on grids of any shape."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.sampling import (
    class_of,
    class_sizes,
    extrapolate,
    judge,
    sample_blocks,
    spread_blocks,
)

grids = st.tuples(st.integers(1, 12), st.integers(1, 9), st.integers(1, 6))


@given(grids)
def test_class_sizes_count_the_blocks(grid: tuple[int, int, int]) -> None:
    found: dict[tuple[int, int, int], int] = {}
    for block in range(grid[0] * grid[1] * grid[2]):
        key = class_of(block, grid)
        found[key] = found.get(key, 0) + 1
    assert class_sizes(grid) == found


@given(grids)
def test_samples_lie_in_the_grid_and_reach_every_class(grid: tuple[int, int, int]) -> None:
    blocks = sample_blocks(grid)
    assert len(set(blocks.tolist())) == len(blocks)
    assert blocks.min() == 0
    assert blocks.max() == grid[0] * grid[1] * grid[2] - 1
    assert {class_of(block, grid) for block in blocks.tolist()} == set(class_sizes(grid))


@given(grids)
def test_extrapolation_is_the_sum_over_all_blocks(grid: tuple[int, int, int]) -> None:
    def counts(block: int) -> np.ndarray:  # type: ignore[type-arg]
        x, y, z = class_of(block, grid)
        return np.array([[1, x], [10 * y + z, 5]], np.int64)

    everything = sum(counts(block) for block in range(grid[0] * grid[1] * grid[2]))
    sampled = {block: counts(block) for block in sample_blocks(grid).tolist()}
    assert judge(grid, sampled, None).holds
    np.testing.assert_array_equal(extrapolate(grid, sampled), everything)


@given(grids)
def test_a_sample_of_unequal_blocks_does_not_hold(grid: tuple[int, int, int]) -> None:
    blocks = sample_blocks(grid).tolist()
    counts = {block: np.array([block]) for block in blocks}
    classes = [class_of(block, grid) for block in blocks]
    verdict = judge(grid, counts, None)
    assert verdict.holds == (len(set(classes)) == len(blocks))
    assert verdict.holds or "differ in their counts" in verdict.reason


def test_loaded_data_that_steers_spoils_any_sample() -> None:
    verdict = judge((8, 1, 1), {0: np.array([1])}, "LDS R0, [R1]")
    assert not verdict.holds
    assert verdict.reason == "loaded data steers LDS R0, [R1]"


@pytest.mark.parametrize(("total", "wanted"), [(1, 1), (10, 1), (10, 3), (10, 10), (1000, 7)])
def test_spread_blocks(total: int, wanted: int) -> None:
    blocks = spread_blocks(total, wanted).tolist()
    assert len(blocks) == wanted
    assert blocks[0] == 0
    assert wanted == 1 or blocks[-1] == total - 1
