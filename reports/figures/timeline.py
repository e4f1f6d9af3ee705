"""The timeline of one SM: warps down, cycles across, colours for what holds a warp back."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from reports.data.timeline import ISSUES, STATES, Lanes, timeline_lanes
from reports.errors import ReportError
from reports.figures.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    YELLOW,
    make_figure,
)
from simulator.results import Run

_COLOURS = {
    ISSUES: GREEN,
    "wait": "#C9CDD3",
    "short scoreboard": SKY,
    "long scoreboard": BLUE,
    "barrier": PURPLE,
    "MIO or LG throttle": ORANGE,
    "math pipe or dispatch": YELLOW,
    "not selected": GREY,
}
_ROW_PIXELS = 11
_MOST_WORDS = 40_000  # cells


def timeline(run: Run) -> go.Figure:
    """What the warps of one SM do in a short window with warm caches.

    Raises:
        ReportError: the run holds no timeline.
    """
    window = run.time.timeline if run.time else None
    if window is None or not window.warps:
        raise ReportError(
            f"the run of {run.kernel} holds no timeline; replay it with time=True, timeline=600"
        )
    return draw_timeline(timeline_lanes(run, window))


def draw_timeline(lanes: Lanes) -> go.Figure:
    """Drag to zoom in, double-click to zoom out; green is an instruction that issues."""
    start, end = lanes.timeline.start, lanes.timeline.end
    title = f"One SM, cycles {start:,} to {end:,}: what each warp does"
    rows = len(lanes.labels)
    figure = make_figure(title, height=190 + max(_ROW_PIXELS * rows, 160))
    figure.add_trace(_states(lanes))
    figure.add_trace(_marks(lanes))
    for state in STATES:
        figure.add_trace(_legend(state))
    figure.update_xaxes(
        title=f"cycle since {start:,}", range=[-0.5, end - start - 0.5], showgrid=False
    )
    step = max(1, rows // 16)
    figure.update_yaxes(
        title="",
        tickvals=list(range(0, rows, step)),
        ticktext=list(lanes.labels[::step]),
        range=[rows - 0.5, -0.5],
        showgrid=False,
    )
    figure.update_layout(dragmode="zoom", hovermode="closest")
    return figure


def _states(lanes: Lanes) -> go.Heatmap:
    return go.Heatmap(
        z=lanes.states,
        colorscale=_scale(),
        zmin=-0.5,
        zmax=len(STATES) - 0.5,
        showscale=False,
        ygap=1,
        hoverongaps=False,
        **_hover(lanes),
    )


def _hover(lanes: Lanes) -> dict[str, Any]:
    """The state in words; left out where it would take the page over its size."""
    if sum(map(len, lanes.states)) > _MOST_WORDS:
        return {"hoverinfo": "skip"}
    words = [["" if s is None else STATES[s] for s in row] for row in lanes.states]
    return {"text": words, "hovertemplate": "cycle %{x}: %{text}<extra></extra>"}


def _scale() -> list[list[Any]]:
    steps = len(STATES)
    scale: list[list[Any]] = []
    for number, state in enumerate(STATES):
        scale += [[number / steps, _COLOURS[state]], [(number + 1) / steps, _COLOURS[state]]]
    return scale


def _marks(lanes: Lanes) -> go.Scatter:
    """Unseen points on the issues that name the instruction."""
    return go.Scatter(
        x=[mark.cycle for mark in lanes.marks],
        y=[mark.warp for mark in lanes.marks],
        mode="markers",
        marker={"size": 8, "opacity": 0},
        customdata=[mark.story for mark in lanes.marks],
        hovertemplate="cycle %{x}: %{customdata}<extra></extra>",
        showlegend=False,
    )


def _legend(state: str) -> go.Scatter:
    return go.Scatter(
        x=[None],
        y=[None],
        mode="markers",
        name=state,
        marker={"color": _COLOURS[state], "symbol": "square", "size": 11},
        hoverinfo="skip",
    )
