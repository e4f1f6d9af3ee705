"""What the other figures are given: rows, points and labels."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from reports.data.agreement import agreement_points, by_counter, counter_rows, load_comparison
from reports.data.changes import chief_changes, percent_of_before
from reports.data.ladder import ladder_steps
from reports.data.lines import shared_lines, source_lines
from reports.data.roofs import roofline_chart
from reports.data.traffic import UNMODELLED, hit_rate, memory_flows
from reports.errors import ReportError
from reports.figures.accuracy import draw_agreement, draw_ladder
from reports.figures.launch import limit_rows, opcode_rows
from reports.figures.memory_chart import flow_label
from reports.times import predicted_ratio, predicted_stalls
from simulator.device import load_device
from simulator.diff import compare_runs
from simulator.occupancy import BlockResources, find_occupancy
from simulator.results import Counter, Status
from tests.reports.samples import make_comparison
from tests.simulator.runs import make_run


def test_lines_hold_their_text_and_totals() -> None:
    rows = {row.number: row for row in shared_lines(make_run())}
    assert list(rows) == [7, 8, 9]
    assert rows[8].text.startswith("float y = Bs[0]")
    assert (rows[8].totals.wavefronts, rows[8].totals.ideal) == (128, 32)
    assert rows[8].label == "k.cu:8"


def test_source_shows_every_line_and_what_runs_for_it() -> None:
    lines = source_lines(make_run(), "k.cu")
    assert [line.number for line in lines] == list(range(1, 12))
    assert lines[0].row is None
    assert lines[7].text.startswith("    float y")
    assert lines[7].row is not None
    assert [record.index for record in lines[7].row.records] == [2, 3, 4]


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


def test_memory_flows_carry_bytes_or_say_unmodelled() -> None:
    shared, l1, l2, dram = memory_flows(make_run())
    assert (shared.start, shared.end, shared.bytes) == ("SM", "shared memory", 176 * 128)
    assert l1.bytes == 64 * 32
    assert flow_label(l2) == flow_label(dram) == UNMODELLED


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
    assert predicted_stalls(make_run()) == {}


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
    assert counter_rows(make_comparison())[0][-1] == "-"


def test_ladder_takes_published_references_and_the_largest_measured() -> None:
    steps = {(s.kernel, s.source): s for s in ladder_steps(make_comparison())}
    published = steps["tiled_gemm", "published, RTX 4090"]
    assert (published.low, published.high) == (pytest.approx(8), pytest.approx(10))
    assert steps["cuBLAS", "published, RTX 4090"].tflops == pytest.approx(20)
    measured = steps["tiled_gemm", "measured, h200"]
    assert (measured.edge, measured.tflops) == (1000, pytest.approx(4))
    assert len(draw_ladder(list(steps.values())).data) == 2


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
