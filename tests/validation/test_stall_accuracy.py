"""Are predicted stall reasons those that ncu counted, as far as published?"""

from __future__ import annotations

import json

import pytest

from validation.records import RECORDS_ROOT, SUFFIX, load_record
from validation.stall_accuracy import (
    DEVICE,
    PUBLISHED,
    StallPair,
    compare_stalls,
    is_long,
    load_pairs,
    measured_stalls,
    measured_use,
    summarise,
)

PAIRS = {pair.name: pair for pair in load_pairs()}


def test_overlap_is_the_common_part() -> None:
    pair = StallPair("x", {"wait": 3.0, "barrier": 1.0}, {"wait": 1.0, "selected": 1.0})
    assert pair.overlap == pytest.approx(0.5)
    assert StallPair("x", pair.measured, pair.measured).overlap == pytest.approx(1.0)


def test_the_summary_follows_from_every_long_record() -> None:
    records = {
        path.name.removesuffix(SUFFIX): load_record(path)
        for path in (RECORDS_ROOT / DEVICE).glob(f"*{SUFFIX}")
    }
    assert PAIRS.keys() == {name for name, record in records.items() if is_long(record)}
    for name, pair in PAIRS.items():
        metrics = records[name].metrics["warm"]
        assert pair.measured == measured_stalls(metrics)
        measured = (pair.occupancy[0], pair.issue[0], pair.cycles[0])
        assert measured == measured_use(metrics)
    content = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    assert content["summary"] == summarise([*PAIRS.values()])


def test_most_warp_cycles_have_the_reason_that_ncu_counted() -> None:
    assert summarise([*PAIRS.values()])["mean"] > 65


def test_occupancy_issue_and_cycles_are_near_what_ncu_counted() -> None:
    found = summarise([*PAIRS.values()])
    assert 0 < found["occupancy_points"] < 8
    assert 0 < found["issue_points"] < 4
    assert 0 < found["cycles_percent"] < 13


def test_the_readme_gives_them() -> None:
    text = " ".join((RECORDS_ROOT.parents[1] / "README.md").read_text(encoding="utf-8").split())
    found = summarise([*PAIRS.values()])
    assert f"the achieved occupancy within {found['occupancy_points']} points of ncu's" in text
    assert f"the issue utilisation within {found['issue_points']} and" in text
    assert f"busiest SM within {found['cycles_percent']} %." in text
    assert f"{found['mean']:.0f} % of all warp-cycles (least {found['least']:.0f} %)" in text


def test_a_launch_is_predicted_as_published() -> None:
    name = "reduction_shuffle-n4194304"
    record = load_record(RECORDS_ROOT / DEVICE / f"{name}{SUFFIX}")
    assert compare_stalls(name, record) == PAIRS[name]
