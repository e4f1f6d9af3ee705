"""Counting launches several times."""

from __future__ import annotations

import math

import pytest

from validation.errors import ProfilerError
from validation.repeats import whole_counts


def test_counts_of_all_launches() -> None:
    assert whole_counts("a", [1.0, 2.0], 2) == [1, 2]


@pytest.mark.parametrize("lost", [[1.0], [1.0, None], [1.0, math.nan]])
def test_launches_that_ncu_did_not_count_are_an_error(lost: list[float | None]) -> None:
    with pytest.raises(ProfilerError, match="counted 1 of 2 launches of a"):
        whole_counts("a", lost, 2)
