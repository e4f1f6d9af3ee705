"""What the other figures are given: rows, points and labels."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from reports.data import timeline
from reports.data.agreement import agreement_points, by_counter, counter_rows, load_comparison
from reports.data.changes import chief_changes, line_changes, line_label, percent_of_before
from reports.data.findings import finding_groups
from reports.data.ladder import find_climbs, ladder_steps
from reports.data.launch_times import TimePair, error_ranges, load_time_pairs, mean_errors
from reports.data.lines import shared_lines, short_labels, source_lines
from reports.data.roofs import RooflineChart, roofline_chart
from reports.data.timeline import STATES, timeline_lanes
from reports.data.traffic import UNMODELLED, hit_rate, memory_flows
from reports.errors import ReportError
from reports.figures import busy_units, line_wavefronts, memory_chart, pipe_mix, stall_reasons
from reports.figures import timeline as draw_run_timeline
from reports.figures.accuracy import draw_agreement
from reports.figures.changes import changes_chart
from reports.figures.ladder import ladder_figures
from reports.figures.launch import limit_rows, opcode_rows
from reports.figures.launch_times import draw_errors, draw_times
from reports.figures.memory_chart import flow_label
from reports.figures.roofline import draw_roofline
from reports.page import render_page
from reports.pages.diff import diff_page
from reports.source_view import chosen_records, source_view
from reports.times import predicted_ratio, waiting_lines
from simulator.device import load_device
from simulator.diff import compare_runs
from simulator.instruction_mix import count_flops
from simulator.occupancy import BlockResources, find_occupancy
from simulator.results import (
    Counter,
    Issue,
    LaunchTime,
    Run,
    SharedExample,
    Status,
    Timeline,
    Timing,
)
from simulator.timing.stalls import STALL_NAMES
from tests.reports.samples import launch, make_comparison, row
from tests.simulator.runs import FINDING, SOURCE, make_run, record


def test_lines_hold_their_text_and_totals() -> None:
    rows = {row.number: row for row in shared_lines(make_run())}
    assert list(rows) == [7, 8, 9]
    assert rows[8].text.startswith("float y = Bs[0]")
    assert (rows[8].totals.wavefronts, rows[8].totals.ideal) == (128, 32)
    assert rows[8].label == "k.cu:8"
    assert short_labels(list(rows.values())) == ["line 7", "line 8", "line 9"]
    elsewhere = replace(rows[8], file="other.cu")
    assert short_labels([rows[7], elsewhere]) == ["k.cu:7", "other.cu:8"]


def test_source_shows_every_line_and_what_runs_for_it() -> None:
    lines = source_lines(make_run(), "k.cu")
    assert [line.number for line in lines] == list(range(1, 12))
    assert lines[0].row is None
    assert lines[7].text.startswith("    float y")
    assert lines[7].row is not None
    assert [record.index for record in lines[7].row.records] == [2, 3, 4]


def test_of_many_instructions_a_line_shows_those_of_shared_memory() -> None:
    """Line 8 has two loads and an addition between which room must be made."""
    row = next(line.row for line in source_lines(make_run(), "k.cu") if line.number == 8)
    assert row is not None
    assert [record.index for record in chosen_records(row, 2)] == [2, 3]
    assert [record.index for record in chosen_records(row, 40)] == [2, 3, 4]
    assert chosen_records(row, 2)[0].sass in source_view(make_run())[0].html


def test_roofline_points_lie_on_or_below_their_slopes() -> None:
    chart = roofline_chart(make_run())
    assert chart.unit == "FLOP/s"
    assert chart.peak == pytest.approx(2 * 128 * 128 * 2.52e9)
    assert set(chart.unmodelled) >= {"L2", "DRAM"}
    slopes = [p for p in chart.points if p.bandwidth is not None and p.intensity is not None]
    assert {point.name for point in slopes} == {"shared", "L1"}
    for point in slopes:
        assert point.limit <= point.bandwidth * point.intensity * (1 + 1e-9)  # type: ignore[operator]
    assert sum(point.binds for point in chart.points) == 1


def test_the_axis_of_a_roofline_holds_every_dot_and_ridge() -> None:
    chart = roofline_chart(make_run())
    far = [replace(p, intensity=x) for p, x in zip(chart.points, (3e-4, 2e6), strict=False)]
    figure = draw_roofline(replace(chart, points=tuple(far)))
    assert list(figure.layout.xaxis.range) == [-4, 7]
    assert list(draw_roofline(chart).layout.xaxis.range) == [-2, 4]


def test_a_predicted_time_is_a_bar_below_each_dot() -> None:
    assert "predicted, warm caches" not in [t.name for t in draw_roofline(chart_of(None)).data]
    chart = chart_of(LaunchTime(timing(20.0), timing(10.0)))
    flops = count_flops(make_run()).total
    assert chart.predicted == pytest.approx((flops / 10e-6, flops / 12.5e-6, flops / 8e-6))
    (bars,) = (t for t in draw_roofline(chart).data if t.name == "predicted, warm caches")
    assert list(bars.x) == [p.intensity for p in chart.points if p.intensity is not None]
    assert set(bars.y) == {chart.predicted[0]}


def chart_of(time: LaunchTime | None) -> RooflineChart:
    """The roofline of the hand-made run with a predicted time."""
    return roofline_chart(make_run(time=time))


def test_tensor_cores_are_not_capped_by_the_peak_of_other_units() -> None:
    plain = roofline_chart(make_run())
    assert plain.capped
    product = record(5, "HMMA.16816.F32 R7, R4, R5, R8", 9, 1 << 30)
    run = make_run(instructions=(*make_run().instructions[:5], product))
    chart = roofline_chart(run)
    assert not chart.capped
    dots = [t for t in draw_roofline(chart).data if t.mode == "markers"]
    assert max(dot.y[0] for dot in dots) > chart.peak


def test_memory_flows_carry_bytes_or_say_unmodelled() -> None:
    shared, l1, l2, dram = memory_flows(make_run())
    assert (shared.start, shared.end, shared.bytes) == ("SM", "shared memory", 176 * 128)
    assert l1.bytes == 64 * 32
    assert flow_label(l2) == flow_label(dram) == UNMODELLED
    assert flow_label(shared) == "22.5 kB"
    texts = [note.text for note in memory_chart(make_run()).layout.annotations]
    assert "<b>22.5 kB</b><br>exact" in texts
    assert texts.count("<b>unmodelled</b>") == 2


def test_traffic_both_ways_is_told_where_it_is_modelled() -> None:
    ways = {"dram_read_bytes": 4096.0, "dram_write_bytes": 0.0}
    counters = {name: Counter(value, "bytes", Status.BOUNDED) for name, value in ways.items()}
    *_, l2, dram = memory_flows(make_run(counters=counters))
    assert (l2.detail, dram.detail) == ("", "4,096 bytes read, 0 written")


def test_source_text_is_no_markup_of_plotly() -> None:
    source = SOURCE.replace("As[0][tx]", "load<b>(As)")
    figure = line_wavefronts(make_run(source_text={"k.cu": source}))
    assert "load&lt;b&gt;(As)" in figure.data[0].customdata[0]


def test_hit_rates_are_shown_only_where_modelled() -> None:
    assert hit_rate(make_run(), "L1") == UNMODELLED
    known = make_run(counters={"l2_hit_rate": Counter(87.5, "%", Status.BOUNDED)})
    assert hit_rate(known, "L2") == "87.5 %"


def test_opcodes_beyond_the_most_executed_are_one_row() -> None:
    rows = opcode_rows(make_run())
    assert sum(row.executed for row in rows) == sum(r.executed for r in make_run().instructions)
    assert rows[0].opcode == "LDS"


def test_limits_that_bind_are_those_of_the_smallest_number() -> None:
    device = load_device("rtx4090")
    occupancy = find_occupancy(device, BlockResources(256, 120, 8192, 1), 256)
    rows = limit_rows(occupancy)
    smallest = min(limit for _, limit, _ in rows)
    assert [name for name, limit, binds in rows if binds] == [
        name for name, limit, _ in rows if limit == smallest
    ]


def test_a_run_without_time_has_none() -> None:
    assert predicted_ratio(make_run(), make_run()) is None
    assert waiting_lines(make_run()) == ()
    for figure in (stall_reasons, busy_units, draw_run_timeline):
        with pytest.raises(ReportError, match="time=True"):
            figure(make_run())


def test_pipes_that_nobody_knows_are_no_figure() -> None:
    with pytest.raises(ReportError, match="another device"):
        pipe_mix(make_run())
    (bars,) = pipe_mix(
        make_run(counters={"pipe_fma_instructions": Counter(12, Status.EXACT, "instructions")})
    ).data
    assert (list(bars.y), list(bars.x)) == (["fma"], [12])


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


def test_findings_of_a_line_that_differ_in_numbers_are_one_group() -> None:
    there = replace(FINDING, message=FINDING.message.replace("8 bytes", "12 bytes"), count=4)
    other = replace(FINDING, source_line=8)
    run = make_run(findings=(FINDING, there, other))
    first, second = finding_groups(run)
    assert (first.first, first.count) == (FINDING, FINDING.count + 4)
    assert first.text.startswith("float x")
    assert second.first.source_line == 8


def test_points_are_what_is_predicted_and_measured() -> None:
    groups = by_counter(agreement_points(make_comparison()))
    assert list(groups) == ["executed", "bank_conflicts"]
    (conflicts,) = groups["bank_conflicts"]
    assert (conflicts.predicted, conflicts.measured) == (100, 140)
    assert (conflicts.low, conflicts.high) == (90, 150)


def test_scatter_has_identity_line_and_bars_of_the_bounds() -> None:
    points = by_counter(agreement_points(make_comparison()))["bank_conflicts"]
    identity, dots = draw_agreement(points, "title", bounds=True).data
    assert list(identity.x) == list(identity.y)
    assert (list(dots.x), list(dots.y)) == ([100], [140])
    assert (list(dots.error_y.array), list(dots.error_y.arrayminus)) == ([10], [50])


def test_shares_of_nothing_are_not_shown_as_infinite() -> None:
    comparison = make_comparison()
    assert counter_rows(comparison)[0][-1] == "-"
    comparison["summary"][0]["most"] = 0.0
    assert counter_rows(comparison)[0][-1] == "0"


def timing(microseconds: float) -> Timing:
    return Timing(microseconds, 0.8 * microseconds, 1.25 * microseconds, 1, 1, 0.5, 0.5, {}, {})


def test_ladder_takes_published_references_and_the_largest_measured() -> None:
    climbs = find_climbs(make_comparison())
    steps = {(s.kernel, s.gpu, s.source): s for s in ladder_steps(climbs, {})}
    assert len(steps) == 3
    published = steps["tiled_gemm", "RTX 4090", "published"]
    assert (published.low, published.high) == (pytest.approx(8), pytest.approx(10))
    library = steps["cuBLAS", "RTX 4090", "published"]
    assert (library.tflops, library.library) == (pytest.approx(20), True)
    measured = steps["tiled_gemm", "H200", "measured"]
    assert (measured.edge, measured.tflops) == (1000, pytest.approx(4))


def test_ladder_prefers_the_default_size() -> None:
    comparison = make_comparison()
    for edge in (1024, 4096):
        time = row("warm_us", None, 1000.0, where="time", verdict="not predicted")
        comparison["launches"].append(launch("tiled_gemm", edge, [time]))
    measured = [c for c in find_climbs(comparison) if c.source == "measured"]
    assert [dict(climb.size)["m"] for climb in measured] == [1024]


def test_ladder_sets_predictions_with_their_interval_beside() -> None:
    climbs = find_climbs(make_comparison())
    predicted = {climb: timing(250) for climb in climbs if not climb.library}
    steps = ladder_steps(climbs, predicted)
    assert [s.source for s in steps] == [
        "published",
        "predicted",
        "published",
        *("measured", "predicted"),
    ]
    step = steps[1]
    assert (step.tflops, step.low, step.high) == (
        pytest.approx(8), pytest.approx(6.4), pytest.approx(10)
    )  # fmt: skip
    first, second = ladder_figures(steps).values()
    assert [bar.name for bar in first.data] == ["published", "predicted"]
    assert list(first.data[0].y) == ["tiled 1000", "cuBLAS 1000"]
    assert list(first.data[1].x) == [pytest.approx(8)]
    assert len(first.layout.shapes) == 1  # the library's line
    assert "H200" in second.layout.title.text


PAIRS = (
    TimePair("k-n10", "cold", 11.0, 10.0),
    TimePair("k-n10", "warm", 9.0, 10.0),
    TimePair("k-n99", "cold", 18.0, 20.0),
    TimePair("short-n1", "cold", 2.0, 1.0),
)


def test_time_errors_by_kernel_leave_out_short_launches() -> None:
    cold, warm = error_ranges(PAIRS)
    assert (cold.kernel, cold.state, cold.launches) == ("k", "cold", 2)
    assert (cold.mean, cold.low, cold.high) == (
        pytest.approx(0), pytest.approx(-0.1), pytest.approx(0.1)
    )  # fmt: skip
    assert warm.mean == pytest.approx(-0.1)
    assert mean_errors(PAIRS)[0][:3] == ("all launches", "cold", 3)
    assert mean_errors(PAIRS)[2][3] == pytest.approx(0.1)


def test_times_are_drawn_against_the_identity() -> None:
    identity, longer, shorter, cold, warm = draw_times(PAIRS).data
    assert list(identity.x) == list(identity.y)
    assert list(longer.y) == [pytest.approx(1.2 * x) for x in longer.x]
    assert shorter.y[0] < shorter.x[0]
    assert (list(cold.x), list(cold.y)) == ([10, 20, 1], [11, 18, 2])
    assert list(warm.y) == [9]
    errors = draw_errors(error_ranges(PAIRS), "5 us")
    assert list(errors.data[0].error_x.array) == [pytest.approx(10)]


def test_committed_times_can_be_read() -> None:
    pairs = load_time_pairs()
    assert len(pairs) > 100
    with pytest.raises(ReportError, match="time_accuracy --publish"):
        load_time_pairs(Path("missing.json"))


def test_other_files_are_no_comparison(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with pytest.raises(ReportError, match="cannot read"):
        load_comparison(path)
    path.write_text("{}")
    with pytest.raises(ReportError, match="no comparison"):
        load_comparison(path)
    path.write_text(json.dumps({**make_comparison(), "schema": 99}))
    with pytest.raises(ReportError, match="schema"):
        load_comparison(path)


def test_changes_in_percent_of_before() -> None:
    before = make_run()
    after = replace(before, registers=80, instructions=before.instructions[:3])
    changes = {c.name: c for c in chief_changes(compare_runs(before, after))}
    assert percent_of_before([changes["registers"]]) == [200.0]
    assert percent_of_before([changes["bank_conflicts"]]) == [50.0]


def test_new_totals_and_those_that_are_gone_say_so() -> None:
    """A bar of no length shows its text outside; what one run does not know is left out."""
    counted = {"occupancy": None}
    before = make_run(instructions=(record(0, "S2R R0, SR_TID.X", 4, 16),), examples=(), **counted)
    new, gone = (changes_chart(compare_runs(*pair)) for pair in both_ways(before, make_run()))
    (bars,), (other,) = new.data, gone.data
    place = list(bars.y).index("bank conflicts")
    assert (bars.x[place], bars.text[place]) == (0, "new: 96")
    assert bars.textposition[place] == "outside"
    assert other.text[list(other.y).index("bank conflicts")] == "0 %"
    assert "warps per sm" not in (*bars.y, *other.y)


def both_ways(one: Run, other: Run) -> list[tuple[Run, Run]]:
    """A pair and the pair turned round."""
    return [(one, other), (other, one)]


def test_lines_that_differ_come_by_memory_and_size() -> None:
    after = make_run(instructions=(*make_run().instructions[:3], record(8, "MOV R1, R2", 9, 5)))
    rows = line_changes(compare_runs(make_run(), after))
    assert [change.name for _, change in rows[:2]] == ["shared_wavefronts", "global_sectors"]
    names = [change.name for _, change in rows]
    assert set(names[names.index("executed") :]) == {"executed"}
    assert {line_label(line) for line, _ in rows} == {"8", "9", "10"}


def test_two_runs_are_shown_to_one_scale_with_their_worst_request() -> None:
    lanes = tuple(range(0, 128, 4))
    free = make_run(
        instructions=make_run().instructions[:2],
        examples=(SharedExample(1, 0xFFFFFFFF, lanes, 4, 1),),
    )
    for pair in both_ways(free, make_run()):
        page = diff_page(*pair)
        bars = [d.figure for d in page.drawings() if d.title.startswith("Shared wavefronts")]
        assert len({tuple(figure.layout.xaxis.range) for figure in bars}) == 1
        assert any("4-way" in drawing.title for drawing in page.drawings())
        assert page.title == "k on rtx4090, before and after"


def test_compared_times_have_their_intervals() -> None:
    slow, fast = (make_run(time=LaunchTime(timing(us), timing(10.0))) for us in (20.0, 10.0))
    html = render_page(diff_page(slow, fast))
    assert "20 (16 to 25)" in html
    assert html.count("<td>apart</td>") == html.count("overlap: either may be faster") == 1
    assert "Only the run before" in render_page(diff_page(slow, make_run()))


def test_every_stall_reason_has_a_state_of_the_timeline() -> None:
    assert set(timeline._STATE_OF) == set(STALL_NAMES) - {"selected"}
    assert set(timeline._STATE_OF.values()) == set(timeline.STATES) - {timeline.ISSUES}
