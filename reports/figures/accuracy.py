"""Predicted against measured counters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from reports.data.agreement import Comparison, Point, agreement_points, by_counter
from reports.figures.style import BLUE, GREY, ORANGE, RED, SKY, make_figure

_VERDICTS = {"equal": BLUE, "within": SKY, "known deviation": ORANGE, "wrong": RED}
_SYMBOLS = {"equal": "circle", "within": "diamond", "known deviation": "square", "wrong": "x"}
_LEAST = 0.5  # where zeros stand on logarithmic axes


def agreement(comparison: Comparison) -> go.Figure:
    """All counters of all launches in one scatter with the identity line."""
    points = agreement_points(comparison)
    places = list({(p.verdict, p.predicted, p.measured): p for p in points}.values())
    return draw_agreement(places, "Predicted against measured: every counter of every launch")


def counter_figures(comparison: Comparison) -> dict[str, go.Figure]:
    """One scatter a counter."""
    groups = by_counter(agreement_points(comparison))
    return {
        name: draw_agreement(points, f"{name.replace('_', ' ')}: predicted against measured", True)
        for name, points in groups.items()
    }


def draw_agreement(points: Sequence[Point], title: str, bounds: bool = False) -> go.Figure:
    """Logarithmic axes; bars are the bounds on what may be measured. Zeros stand at 0.5."""
    figure = make_figure(title, height=460 if bounds else 560)
    ends = _range(points)
    identity = {"color": GREY, "width": 1.5}
    figure.add_trace(
        go.Scatter(x=ends, y=ends, mode="lines", name="measured = predicted", line=identity)
    )
    for verdict, colour in _VERDICTS.items():
        chosen = _distinct([point for point in points if point.verdict == verdict])
        if chosen:
            figure.add_trace(_dots(verdict, colour, chosen, bounds))
    units = {point.unit for point in points}
    unit = f" ({units.pop()})" if len(units) == 1 and units != {""} else ""
    figure.update_xaxes(title=f"predicted{unit}", type="log", exponentformat="SI", dtick=2)
    figure.update_yaxes(title=f"measured{unit}", type="log", exponentformat="SI", dtick=2)
    figure.update_layout(legend={"y": -0.2, "yanchor": "top"})
    return figure


def _range(points: Sequence[Point]) -> list[float]:
    most = max((max(p.predicted, p.measured) for p in points), default=10.0)
    return [_LEAST, max(most, 1.0) * 1.5]


def _distinct(points: Sequence[Point]) -> list[Point]:
    """One point for each place on the paper, so that pages stay small."""
    return list({(p.kernel, p.predicted, p.measured): p for p in points}.values())


def _dots(verdict: str, colour: str, points: Sequence[Point], bounds: bool) -> go.Scatter:
    measured = [max(p.measured, _LEAST) for p in points]
    return go.Scatter(
        x=[max(p.predicted, _LEAST) for p in points],
        y=measured,
        mode="markers",
        name=verdict,
        marker={"color": colour, "size": 7, "symbol": _SYMBOLS[verdict], "opacity": 0.75},
        error_y=_bars(points, measured) if bounds else None,
        customdata=[_story(p) for p in points],
        hovertemplate="%{customdata}<br>predicted %{x:,.6g}, measured %{y:,.6g}<extra></extra>",
    )


def _bars(points: Sequence[Point], measured: Sequence[float]) -> Mapping[str, object] | None:
    """Error bars from the bounds; None for counters without."""
    if all(p.low is None for p in points):
        return None
    ups = [
        0 if p.high is None else max(0, p.high - y) for p, y in zip(points, measured, strict=True)
    ]
    downs = [
        0 if p.low is None else max(0, y - p.low) for p, y in zip(points, measured, strict=True)
    ]
    return {"type": "data", "symmetric": False, "array": ups, "arrayminus": downs, "thickness": 1}


def _story(point: Point) -> str:
    return f"{point.kernel} ({point.size}), {point.where}"
