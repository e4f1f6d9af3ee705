"""What figures of predicted against measured counts and times, and the ladder, are given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reports.data.agreement import agreement_points, by_counter, counter_rows, load_comparison
from reports.data.ladder import find_climbs, ladder_steps
from reports.data.launch_times import TimePair, error_ranges, load_time_pairs, mean_errors
from reports.errors import ReportError
from reports.figures.accuracy import draw_agreement
from reports.figures.ladder import ladder_figures
from reports.figures.launch_times import draw_errors, draw_times
from tests.reports.samples import launch, make_comparison, row, timing


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
