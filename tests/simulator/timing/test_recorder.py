"""The timeline of an SM: every cycle of every warp has its reason, and looking changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from sources import program

from simulator.emulator.launch import Launch
from simulator.results import LaunchTime, Timeline
from simulator.timing.predict import predict_time


def predict(entry: str, n: int, window: int, threads: int = 64, grid: int = 1) -> LaunchTime:
    floats = np.zeros(max(2 * n, 1 << 12), np.float32)
    arguments = [floats, np.int32(n), np.int32(1)]
    launch = Launch(program(entry), (grid, 1, 1), (threads, 1, 1), 0, arguments)
    return predict_time(launch, "h200", window=window)


def timeline(entry: str, n: int, window: int, **options: int) -> Timeline:
    found = predict(entry, n, window, **options).timeline
    assert found is not None
    return found


ENTRIES = ["chain", "shared_loads", "barriers", "special", "copy"]


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_cycle_between_two_issues_of_a_warp_has_its_reason(entry: str) -> None:
    found = timeline(entry, 40, 400, threads=512)
    assert found.issues
    before: dict[int, int] = {}
    for issue in found.issues:
        if issue.warp in before:
            assert sum(cycles for _, cycles in issue.waits) == issue.cycle - before[issue.warp] - 1
        else:
            assert issue.cycle - sum(cycles for _, cycles in issue.waits) >= found.start
        before[issue.warp] = issue.cycle


@pytest.mark.parametrize("entry", ENTRIES)
def test_recording_changes_no_prediction(entry: str) -> None:
    plain, recorded = (predict(entry, 40, window, threads=512) for window in (0, 200))
    assert plain.timeline is None
    assert (plain.cold, plain.warm) == (recorded.cold, recorded.warm)


def test_no_subcore_issues_twice_in_a_cycle() -> None:
    found = timeline("chain", 40, 300, threads=1024)
    inside = [issue for issue in found.issues if issue.cycle < found.end]
    busiest = np.unique([issue.cycle for issue in inside], return_counts=True)[1]
    assert busiest.max() <= 4
    assert len(inside) > 300  # eight warps a sub-core keep it busy


def test_of_each_warp_one_issue_stands_behind_the_window() -> None:
    found = timeline("chain", 40, 100, threads=256)
    behind = [issue.warp for issue in found.issues if issue.cycle >= found.end]
    assert sorted(behind) == list(range(8))
    assert found.warps == tuple((0, warp) for warp in range(8))


def test_reasons_are_those_of_the_kernel() -> None:
    """A dependent chain waits its fixed latency, a barrier for the barrier, a load for data."""
    for entry, threads, reason in (
        ("chain", 64, "wait"),
        ("barriers", 512, "barrier"),
        ("special", 64, "short_scoreboard"),
    ):
        issues = timeline(entry, 40, 200, threads=threads).issues
        waited = [name for issue in issues for name, cycles in issue.waits for _ in range(cycles)]
        assert max(set(waited), key=waited.count) == reason


def test_a_window_longer_than_the_launch_ends_with_it() -> None:
    found = timeline("copy", 64, 5000, threads=32)
    assert {issue.warp for issue in found.issues} == {0}
    assert found.issues[0].instruction == 0  # it shows the launch from its start
    assert max(issue.cycle for issue in found.issues) < found.end < found.start + 5000
