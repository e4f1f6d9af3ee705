"""What the timeline and the figures of stalls and busy units are given."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reports.data import timeline
from reports.data.timeline import STATES, timeline_lanes
from reports.errors import ReportError
from reports.figures import busy_units, stall_reasons
from reports.figures import timeline as draw_run_timeline
from reports.page import render_page
from reports.pages.diff import diff_page
from reports.pages.kernel import kernel_page
from reports.times import predicted_ratio, waiting_lines
from simulator.results import Counter, Issue, LaunchTime, Run, Status, Timeline, Timing
from simulator.timing.stalls import STALL_NAMES
from tests.simulator.runs import make_run


def test_a_run_without_time_has_none() -> None:
    assert predicted_ratio(make_run(), make_run()) is None
    assert waiting_lines(make_run()) == ()
    for figure in (stall_reasons, busy_units, draw_run_timeline):
        with pytest.raises(ReportError, match="time=True"):
            figure(make_run())


def test_the_page_says_which_part_of_a_launch_was_simulated() -> None:
    run = timed_run()
    assert run.time is not None
    part = Counter(12.0, "%", Status.BOUNDED)
    long = replace(
        run,
        time=replace(run.time, simulated=3, blocks=1200),
        counters={**run.counters, "caches_simulated_part": part},
    )
    words = ("3 of the busiest SM&#x27;s 1,200 blocks", "12% of the launch went through the model")
    for sentence in words:
        assert sentence in render_page(kernel_page(long))
        assert sentence not in render_page(kernel_page(run))


def test_pages_say_what_was_changed_for_a_time() -> None:
    run = timed_run()
    assert run.time is not None
    changed = replace(run, time=replace(run.time, changes={"bank_conflicts": 0, "registers": 64}))
    words = "what if: bank_conflicts=0, registers=64"
    assert words in render_page(kernel_page(changed))
    assert words not in render_page(kernel_page(run))
    assert f"after: {words}" in render_page(diff_page(run, changed))


def timed_run() -> Run:
    """A run whose two warps issue and wait in a window of ten cycles."""
    stalls = {2: {"selected": 1, "long_scoreboard": 30}, 3: {"wait": 10, "not_selected": 50}}
    busy = {"pipe_fma": 0.25, "lsu_data_stage": 0.5}
    warm = Timing(10, 8, 12, 100, 110, 0.5, 0.5, {"wait": 1.0, "barrier": 2.0}, busy, stalls)
    cold = replace(warm, stalls={"wait": 1.5, "long_scoreboard": 9.0})
    issues = (
        Issue(0, 2, 103, (("barrier", 2), ("wait", 1))),
        Issue(0, 3, 112, (("long_scoreboard", 8),)),
        Issue(1, 2, 105, ()),
    )
    window = Timeline(100, 110, ((7, 0), (7, 1)), issues)
    return replace(make_run(), time=LaunchTime(cold, warm, (), {}, window))


def test_timeline_colours_every_cycle_of_a_warp() -> None:
    run = timed_run()
    assert run.time is not None
    assert run.time.timeline is not None
    lanes = timeline_lanes(run, run.time.timeline)
    names = [[None if s is None else STATES[s] for s in row] for row in lanes.states]
    assert lanes.labels == ("block 7 warp 0", "block 7 warp 1")
    assert names[0] == ["barrier", "barrier", "wait", "issues", *["long scoreboard"] * 6]
    assert names[1] == [*[None] * 5, "issues", *[None] * 4]
    assert [(mark.warp, mark.cycle) for mark in lanes.marks] == [(0, 3), (1, 5)]
    assert lanes.marks[0].story == "line 8: LDS R5, [R2+0x1000]<br>after 2 barrier, 1 wait"
    assert lanes.issue_share == 2 / 40
    assert lanes.shares()["long scoreboard"] == 6 / 11


def test_timeline_figure_has_a_legend_for_every_state() -> None:
    figure = draw_run_timeline(timed_run())
    assert [
        trace.name for trace in figure.data if trace.showlegend is not False and trace.name
    ] == [*STATES]
    assert list(figure.data[1].x) == [3, 5]
    assert "cycles 100 to 110" in figure.layout.title.text


def test_stalls_of_both_states_stand_side_by_side() -> None:
    cold, warm = stall_reasons(timed_run()).data
    assert list(cold.y) == list(warm.y) == ["long_scoreboard", "barrier", "wait"]
    assert (list(cold.x), list(warm.x)) == ([9, 0, 1.5], [0, 2, 1])
    (bars,) = busy_units(timed_run()).data
    assert (list(bars.y), list(bars.x)) == (["lsu data stage", "pipe fma"], [50, 25])


def test_lines_that_warps_wait_before() -> None:
    """Not being selected is no waiting; both instructions stand on line 8."""
    (line,) = waiting_lines(timed_run())
    assert (line.line, line.share, line.reason) == (8, 1, "long_scoreboard")
    assert line.sass == "LDS R5, [R2+0x1000]"
    assert line.text.startswith("float y")


def test_every_stall_reason_has_a_state_of_the_timeline() -> None:
    assert set(timeline._STATE_OF) == set(STALL_NAMES) - {"selected"}
    assert set(timeline._STATE_OF.values()) == set(timeline.STATES) - {timeline.ISSUES}
