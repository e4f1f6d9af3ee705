"""Two runs side by side."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from reports.data.changes import chief_changes, percent_of_before
from reports.figures.style import BLUE, GREY, ORANGE, bars_height, make_figure
from simulator.diff import Change, RunDiff


def changes_chart(found: RunDiff) -> go.Figure:
    """Totals of the second run in percent of the first."""
    return draw_changes(chief_changes(found))


def draw_changes(changes: Sequence[Change]) -> go.Figure:
    """One bar a total; blue where it fell or stayed, orange where it grew or is new."""
    shares = percent_of_before(changes)
    colours = [ORANGE if (change.difference or 0) > 0 else BLUE for change in changes]
    figure = make_figure("After, in percent of before", height=bars_height(len(changes)))
    figure.add_trace(
        go.Bar(
            orientation="h",
            x=[share or 0.0 for share in shares],
            y=[change.name.replace("_", " ") for change in changes],
            text=[_share(*pair) for pair in zip(changes, shares, strict=True)],
            textposition=["auto" if share else "outside" for share in shares],
            # With a line, so that a bar of no length is drawn with its text.
            marker={"color": colours, "line": {"color": colours, "width": 1}},
            customdata=[
                f"{change.before or 0:,.6g} to {change.after or 0:,.6g}" for change in changes
            ],
            hovertemplate="%{y}: %{customdata}<extra></extra>",
        )
    )
    figure.add_vline(x=100, line={"color": GREY, "dash": "dash"})
    figure.update_xaxes(title="% of before; dashed: the same", rangemode="tozero")
    figure.update_yaxes(title="", autorange="reversed", type="category")
    return figure


def _share(change: Change, share: float | None) -> str:
    return f"new: {change.after:,.6g}" if share is None else f"{share:.4g} %"
