"""Are the published errors of predicted times those of the published launches, and still true?"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from validation.accuracy import fill
from validation.records import load_record
from validation.time_accuracy import (
    PUBLISHED,
    RECORDS,
    Pair,
    cold_time,
    compare_record,
    compare_unseen,
    groups,
    render_groups,
    repeated_times,
)
from validation.unseen import unseen_names

ROOT = Path(__file__).parents[2]
CONTENT = json.loads(PUBLISHED.read_text(encoding="utf-8"))
PAIRS = {name: Pair(**fields) for name, fields in CONTENT["launches"].items()}
UNSEEN = {name: Pair(**fields) for name, fields in CONTENT["unseen_launches"].items()}


def test_published_errors_follow_from_the_published_launches() -> None:
    for name, pairs in (("groups", PAIRS), ("unseen_groups", UNSEEN)):
        assert CONTENT[name] == {key: asdict(s) for key, s in groups([*pairs.values()]).items()}


def test_the_readme_holds_the_published_errors() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert fill(text, "times", render_groups(CONTENT)) == text


def test_cold_times_are_medians_of_what_was_measured_several_times() -> None:
    record = load_record(RECORDS / "saxpy-n4096.json.xz")
    again = sorted(repeated_times()["saxpy-n4096"])
    assert cold_time("saxpy-n4096", record) == again[len(again) // 2]
    assert (
        cold_time("a new launch", record) == record.metrics["cold"]["gpu__time_duration.sum"] / 1e3
    )


def test_every_launch_but_new_ones_was_timed_several_times() -> None:
    assert set(repeated_times()) <= {*PAIRS, *UNSEEN}
    assert min(map(len, repeated_times().values())) > 3


def test_every_unseen_launch_is_published() -> None:
    assert set(UNSEEN) == set(unseen_names())


@pytest.mark.parametrize("name", ["top_k-500", "gemm_128x64-m256-n256-k256"])
def test_an_unseen_launch_is_predicted_as_published(name: str) -> None:
    assert compare_unseen(name, "h200") == UNSEEN[name]


@pytest.mark.parametrize(
    "name",
    ["reduction_shuffle-n4194304", "sgemm_reg_tiled-m128-n128-k128", "histogram_shared-n16384"],
)
def test_a_launch_is_predicted_as_published(name: str) -> None:
    pair = compare_record(name, load_record(RECORDS / f"{name}.json.xz"), "h200")
    assert pair is not None
    assert pair == PAIRS[name]
