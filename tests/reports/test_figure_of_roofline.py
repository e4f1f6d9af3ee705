"""Where the roofline has its dots, slopes, axis and predicted times."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reports.data.roofs import RooflineChart, roofline_chart
from reports.figures.roofline import draw_roofline
from simulator.instruction_mix import count_flops
from simulator.results import LaunchTime
from tests.reports.samples import timing
from tests.simulator.runs import make_run, record


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
