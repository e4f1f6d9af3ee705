"""Figures that belong to claims."""

from __future__ import annotations

import plotly.graph_objects as go

from reports.claims.claim import Table
from reports.figures.style import BLUE, ORANGE, RED, bars_height, make_figure

_COLOURS = {"ideal": BLUE, "wavefronts": ORANGE, "conflicts": RED}


def variants_chart(numbers: Table) -> go.Figure:
    """Wavefronts, ideal and conflicts of the variants of a kernel, side by side."""
    names = [str(row[0]) for row in numbers.rows]
    figure = make_figure(
        "Wavefronts, ideal and bank conflicts by variant", height=bars_height(3 * len(names))
    )
    for column, colour in _COLOURS.items():
        position = numbers.head.index(column)
        values = [row[position] for row in numbers.rows]
        marker = {"color": colour}
        figure.add_trace(go.Bar(orientation="h", name=column, x=values, y=names, marker=marker))
    figure.update_xaxes(title="wavefronts of the launch", rangemode="tozero")
    figure.update_yaxes(title="", autorange="reversed", type="category")
    return figure
