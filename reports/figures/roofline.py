"""Rooflines: operations a second against FLOP per byte, and the fewest cycles of every roof."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from reports.data.roofs import RooflineChart, RoofPoint, ranked_roofs, roofline_chart
from reports.figures.style import GREY, ORANGE, PALETTE, SKY, bars_height, make_figure, quantity
from simulator.results import Roof, Run

_DECADES = (-2, 4)  # shown at least


def roofline(run: Run) -> go.Figure:
    """All roofs of a run: memory levels as slopes, issue and units as flat lines."""
    return draw_roofline(roofline_chart(run))


def draw_roofline(chart: RooflineChart) -> go.Figure:
    """Slopes end at the peak that caps the launch; a dot is what it can reach at most there."""
    figure = make_figure("Roofline: what each level lets the launch reach at most", height=520)
    ends = _ends(chart)
    figure.add_trace(_flat("FP32 peak", chart.peak, chart.unit, GREY, ends, "dash"))
    for colour, point in zip(PALETTE * 3, chart.points, strict=False):
        if point.bandwidth is None:
            figure.add_trace(_flat(_name(point), point.limit, chart.unit, colour, ends, "dot"))
            continue
        figure.add_trace(_slope(point, point.bandwidth, chart, colour, ends))
        if point.intensity is not None:
            figure.add_trace(_dot(point, chart, colour))
    if chart.predicted is not None:
        figure.add_trace(_reached(chart, *chart.predicted))
    figure.update_xaxes(
        title="arithmetic intensity (FLOP per byte of the level)",
        type="log",
        range=[math.log10(end) for end in ends],
    )
    figure.update_yaxes(title=chart.unit, type="log", exponentformat="SI")
    figure.update_layout(legend={"y": -0.22, "yanchor": "top"})
    return figure


def _ends(chart: RooflineChart) -> tuple[float, float]:
    """The intensities at both ends: whole decades that hold every dot and every ridge."""
    shown = [p.intensity for p in chart.points if p.intensity]
    shown += [chart.peak / p.bandwidth for p in chart.points if p.bandwidth]
    low = min([_DECADES[0], *(math.floor(math.log10(x)) for x in shown)])
    high = max([_DECADES[1], *(math.ceil(math.log10(x)) for x in shown)])
    return 10.0**low, 10.0**high


def _name(point: RoofPoint) -> str:
    return f"{point.name} (binds)" if point.binds else point.name


def _flat(
    name: str, limit: float, unit: str, colour: str, ends: tuple[float, float], dash: str
) -> go.Scatter:
    width = 3 if "binds" in name else 1.5
    return go.Scatter(
        x=list(ends),
        y=[limit, limit],
        mode="lines",
        name=name,
        line={"color": colour, "dash": dash, "width": width},
        hovertemplate=f"{name}: {quantity(limit, unit)}<extra></extra>",
    )


def _slope(
    point: RoofPoint,
    bandwidth: float,
    chart: RooflineChart,
    colour: str,
    ends: tuple[float, float],
) -> go.Scatter:
    ridge = chart.peak / bandwidth if chart.capped else ends[1]
    xs, byte_rate = [ends[0], ridge], chart.unit.replace("FLOP", "B")
    return go.Scatter(
        x=xs,
        y=[x * bandwidth for x in xs],
        mode="lines",
        name=_name(point),
        line={"color": colour, "width": 3 if point.binds else 1.5},
        hovertemplate=f"{point.name}: {quantity(bandwidth, byte_rate)}<extra></extra>",
    )


def _dot(point: RoofPoint, chart: RooflineChart, colour: str) -> go.Scatter:
    reach = min(point.limit, chart.peak) if chart.capped else point.limit
    text = f"{point.name}: {point.intensity:.3g} FLOP/byte, at most {quantity(reach, chart.unit)}"
    return go.Scatter(
        x=[point.intensity],
        y=[reach],
        mode="markers",
        name=point.name,
        showlegend=False,
        marker={"color": colour, "size": 13 if point.binds else 9, "line": {"width": 1}},
        hovertemplate=text + "<extra></extra>",
    )


def _reached(chart: RooflineChart, rate: float, least: float, most: float) -> go.Scatter:
    """What the launch reaches below what each level allows, with the interval as bars."""
    levels = [point for point in chart.points if point.intensity is not None]
    return go.Scatter(
        x=[point.intensity for point in levels],
        y=[rate] * len(levels),
        mode="markers",
        name="predicted, warm caches",
        marker={"symbol": "line-ew", "size": 16, "line": {"width": 3, "color": GREY}},
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [most - rate] * len(levels),
            "arrayminus": [rate - least] * len(levels),
            "thickness": 1.2,
            "color": GREY,
        },
        hovertemplate=f"predicted {quantity(rate, chart.unit)} ({quantity(least, chart.unit)} to "
        f"{quantity(most, chart.unit)})<extra></extra>",
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
