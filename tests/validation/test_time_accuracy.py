"""Are the published errors of predicted times those of the published launches, and still true?"""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from validation.records import load_record
from validation.time_accuracy import PUBLISHED, RECORDS, Pair, compare_record, groups

CONTENT = json.loads(PUBLISHED.read_text(encoding="utf-8"))
PAIRS = {name: Pair(**fields) for name, fields in CONTENT["launches"].items()}


def test_published_errors_follow_from_the_published_launches() -> None:
    assert CONTENT["groups"] == {name: asdict(s) for name, s in groups([*PAIRS.values()]).items()}


@pytest.mark.parametrize(
    "name",
    ["reduction_shuffle-n4194304", "sgemm_reg_tiled-m128-n128-k128", "histogram_shared-n16384"],
)
def test_a_launch_is_predicted_as_published(name: str) -> None:
    pair = compare_record(name, load_record(RECORDS / f"{name}.json.xz"), "h200")
    assert pair is not None
    assert pair == PAIRS[name]
