"""Predicted against measured times."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from reports.data.launch_times import COLD, WARM, ErrorRange, TimePair
from reports.figures.style import BLUE, GREY, ORANGE, bars_height, make_figure

_COLOURS = {COLD: BLUE, WARM: ORANGE}
_SYMBOLS = {COLD: "circle", WARM: "diamond"}
_BAND = 0.2


def draw_times(pairs: Sequence[TimePair]) -> go.Figure:
    """One dot a launch and state, the identity line, and a band of 20 % to both sides."""
    figure = make_figure("Predicted against measured time of every launch", height=560)
    times = [t for p in pairs for t in (p.predicted, p.measured)] or [1.0, 10.0]
    ends = [min(times) / 1.3, max(times) * 1.3]
    for factor, name, dash in (
        (1.0, "predicted = measured", "solid"),
        (1 + _BAND, "20 % longer", "dot"),
        (1 - _BAND, "20 % shorter", "dot"),
    ):
        line = {"color": GREY, "width": 1.5, "dash": dash}
        ys = [end * factor for end in ends]
        figure.add_trace(go.Scatter(x=ends, y=ys, mode="lines", name=name, line=line))
    for state in (COLD, WARM):
        figure.add_trace(_dots(state, [p for p in pairs if p.state == state]))
    figure.update_xaxes(title="measured (microseconds)", type="log", dtick=1)
    figure.update_yaxes(title="predicted (microseconds)", type="log", dtick=1)
    figure.update_layout(legend={"y": -0.2, "yanchor": "top"})
    return figure


def _dots(state: str, pairs: Sequence[TimePair]) -> go.Scatter:
    return go.Scatter(
        x=[p.measured for p in pairs],
        y=[p.predicted for p in pairs],
        mode="markers",
        name=f"{state} caches",
        marker={"color": _COLOURS[state], "symbol": _SYMBOLS[state], "size": 8, "opacity": 0.8},
        customdata=[f"{p.launch}<br>{p.error:+.1%}" for p in pairs],
        hovertemplate="%{customdata}<br>measured %{x:.4g} us, predicted %{y:.4g} us<extra></extra>",
    )


def draw_errors(ranges: Sequence[ErrorRange], seconds: str) -> go.Figure:
    """The mean error of each kernel with the range of its launches."""
    kernels = sorted({item.kernel for item in ranges}, reverse=True)
    title = f"Error of predicted times by kernel, launches over {seconds}"
    figure = make_figure(title, height=bars_height(len(kernels)) + 40)
    for state in (COLD, WARM):
        figure.add_trace(_errors(state, [item for item in ranges if item.state == state]))
    figure.add_vline(x=0, line={"color": GREY})
    figure.update_xaxes(title="predicted - measured (% of measured)", ticksuffix=" %")
    figure.update_yaxes(title="", type="category", categoryorder="array", categoryarray=kernels)
    figure.update_layout(scattermode="group")
    return figure


def _errors(state: str, ranges: Sequence[ErrorRange]) -> go.Scatter:
    return go.Scatter(
        x=[100 * item.mean for item in ranges],
        y=[item.kernel for item in ranges],
        mode="markers",
        name=f"{state} caches",
        orientation="h",
        marker={"color": _COLOURS[state], "symbol": _SYMBOLS[state], "size": 8},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [100 * (item.high - item.mean) for item in ranges],
            "arrayminus": [100 * (item.mean - item.low) for item in ranges],
            "thickness": 1.2,
        },
        customdata=[item.launches for item in ranges],
        hovertemplate="%{y}: %{x:.1f} % on average of %{customdata} launches<extra></extra>",
    )
