"""Counting launches several times."""

from __future__ import annotations

import pytest

from validation.errors import ProfilerError
from validation.repeats import by_job


def test_counts_come_job_by_job() -> None:
    assert by_job(["a", "b"], [1.0, 2.0, 3.0, 4.0], 2) == {"a": [1, 2], "b": [3, 4]}


def test_launches_that_ncu_did_not_see_are_an_error() -> None:
    with pytest.raises(ProfilerError, match="3 launches of 2 jobs, 2 each"):
        by_job(["a", "b"], [1.0, 2.0, 3.0], 2)
