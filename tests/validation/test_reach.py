"""Are the places of SMs in the H200's file what ``reach.cu`` and ``tiles.cu`` found?"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.device import load_device
from simulator.device.structure import SMS_PER_TPC
from simulator.memory.caches.machine import layout_of
from validation import microbench

Floats = NDArray[np.float64]
RECORD = json.loads((Path(microbench.__file__).parent / "h200_reach.json").read_text())
DEVICE = load_device("h200")
GROUP = layout_of(DEVICE).group_of_sm()
SPLIT, WHOLE = 0, range(1, 8)
MERGED = 512  # sectors of what two SMs load, if L2 is asked but once


def value(key: str) -> Floats:
    return np.atleast_1d(np.array(DEVICE.facts[key].value, np.float64))


def mean_of_groups(by_place: Floats, together: int) -> Floats:
    """Of the groups that are launched as one, beside each one's mean, by place in the group."""
    most = max(np.bincount(GROUP)) // together
    rows = np.full((len(WHOLE), most), np.nan)
    for row, number in zip(rows, WHOLE, strict=True):
        own = by_place[number == GROUP].reshape(-1, together).mean(1)
        row[: len(own)] = own - own.mean()
    return np.asarray(np.nanmean(rows, axis=0))


def test_sms_whose_reads_merge_are_one_group() -> None:
    """For each of nine SMs those that share its reads: its whole group and nobody else."""
    seen = set()
    for row in RECORD["merged_sectors"]:
        same = np.array(row) <= MERGED
        assert len(set(GROUP[same])) == 1
        number = int(GROUP[same][0])
        assert same.tolist() == (number == GROUP).tolist()
        seen.add(number)
    assert seen == set(GROUP.tolist())


def test_clusters_stay_in_a_group() -> None:
    """Blocks of a cluster run in one GPC (documented)."""
    for places in RECORD["clusters"]:
        assert len(set(GROUP[places])) == 1


def test_distances_are_those_of_the_record() -> None:
    """While all SMs read a table in L2, load after load; a lone SM's differ a little more."""
    launches = [cycles for run in RECORD["table_cycles"] for cycles in run.values()]
    pace = np.median(launches, axis=0)
    assert mean_of_groups(pace, SMS_PER_TPC) == pytest.approx(
        value("l2_tpc_distance_cycles"), abs=3
    )
    split = pace[GROUP == SPLIT].reshape(-1, SMS_PER_TPC).mean(1)
    assert split - split.mean() == pytest.approx(value("l2_tpc_distance_split_cycles"), abs=3)
    alone = mean_of_groups(np.array(RECORD["chain_cycles"]), SMS_PER_TPC)
    assert alone == pytest.approx(value("l2_tpc_distance_cycles"), abs=5)


def test_starts_are_those_of_the_record() -> None:
    """Medians over all launches, but for what a whole group is late."""
    found = np.array([late for run in RECORD["late_cycles"] for late in run.values()], np.float64)
    for number in np.unique(GROUP):  # each launch beside the middle of its group
        found[:, number == GROUP] -= np.median(found[:, number == GROUP], axis=1)[:, None]
    middle = np.median(found, axis=0)
    known = value("sm_start_cycles")
    assert mean_of_groups(middle, 1) == pytest.approx(known - known.mean(), abs=15)
    split, own = value("sm_start_split_cycles"), middle[GROUP == SPLIT]
    assert own - own.min() == pytest.approx(split, abs=2)
