"""Rooflines: operations a second against FLOP per byte, and the fewest cycles of every roof."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from reports.data.roofs import RooflineChart, RoofPoint, ranked_roofs, roofline_chart
from reports.figures.style import GREY, ORANGE, PALETTE, SKY, bars_height, make_figure, short
from simulator.results import Roof, Run

_DECADES = (-2, 4)


def roofline(run: Run) -> go.Figure:
    """All roofs of a run: memory levels as slopes, issue and units as flat lines."""
    return draw_roofline(roofline_chart(run))


def draw_roofline(chart: RooflineChart) -> go.Figure:
    """Slopes end at the peak that caps the launch; a dot is what it can reach at most there."""
    figure = make_figure("Roofline: what each level lets the launch reach at most", height=520)
    figure.add_trace(_flat("FP32 peak", chart.peak, chart.unit, GREY, "dash"))
    for colour, point in zip(PALETTE * 3, chart.points, strict=False):
        if point.bandwidth is None:
            figure.add_trace(_flat(_name(point), point.limit, chart.unit, colour, "dot"))
            continue
        figure.add_trace(_slope(point, point.bandwidth, chart, colour))
        if point.intensity is not None:
            figure.add_trace(_dot(point, chart, colour))
    figure.update_xaxes(
        title="arithmetic intensity (FLOP per byte of the level)", type="log", range=[*_DECADES]
    )
    figure.update_yaxes(title=chart.unit, type="log", exponentformat="SI")
    figure.update_layout(legend={"y": -0.22, "yanchor": "top"})
    return figure


def _name(point: RoofPoint) -> str:
    return f"{point.name} (binds)" if point.binds else point.name


def _flat(name: str, limit: float, unit: str, colour: str, dash: str = "solid") -> go.Scatter:
    width = 3 if "binds" in name else 1.5
    return go.Scatter(
        x=[10.0**power for power in _DECADES],
        y=[limit, limit],
        mode="lines",
        name=name,
        line={"color": colour, "dash": dash, "width": width},
        hovertemplate=f"{name}: {short(limit)}{unit}<extra></extra>",
    )


def _slope(point: RoofPoint, bandwidth: float, chart: RooflineChart, colour: str) -> go.Scatter:
    ridge = chart.peak / bandwidth if chart.capped else 10.0 ** _DECADES[1]
    xs = [10.0 ** _DECADES[0], ridge]
    return go.Scatter(
        x=xs,
        y=[x * bandwidth for x in xs],
        mode="lines",
        name=_name(point),
        line={"color": colour, "width": 3 if point.binds else 1.5},
        hovertemplate=f"{point.name}: {short(bandwidth)}B per unit of time<extra></extra>",
    )


def _dot(point: RoofPoint, chart: RooflineChart, colour: str) -> go.Scatter:
    reach = min(point.limit, chart.peak) if chart.capped else point.limit
    text = f"{point.name}: {point.intensity:.3g} FLOP/byte, at most {short(reach)}{chart.unit}"
    return go.Scatter(
        x=[point.intensity],
        y=[reach],
        mode="markers",
        name=point.name,
        showlegend=False,
        marker={"color": colour, "size": 13 if point.binds else 9, "line": {"width": 1}},
        hovertemplate=text + "<extra></extra>",
    )


def roof_cycles(run: Run) -> go.Figure:
    """The fewest cycles the launch takes under each roof."""
    return draw_roof_cycles(ranked_roofs(run))


def draw_roof_cycles(roofs: Sequence[Roof]) -> go.Figure:
    """One bar a roof, the one that binds first and in another colour."""
    figure = make_figure("Fewest cycles under each roof", height=bars_height(len(roofs)))
    figure.add_trace(
        go.Bar(
            orientation="h",
            x=[roof.cycles for roof in roofs],
            y=[roof.name for roof in roofs],
            marker={"color": [ORANGE if n == 0 else SKY for n in range(len(roofs))]},
            customdata=[f"{roof.amount:,.0f} {roof.unit}; rate {roof.origin}" for roof in roofs],
            hovertemplate="%{y}: %{x:,.0f} cycles<br>%{customdata}<extra></extra>",
        )
    )
    figure.update_xaxes(title="cycles", rangemode="tozero")
    figure.update_yaxes(title="", autorange="reversed")
    return figure
