"""Colours, layout and titles that all figures share.

Colours are those of Okabe and Ito and of cividis, which people with any colour vision can tell
apart; blue always means free of conflicts or ideal, orange and red what costs. Backgrounds are
transparent and texts take the page's colour, so that one figure serves light and dark.
"""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

BLUE, ORANGE, RED, GREEN = "#0072B2", "#E69F00", "#D55E00", "#009E73"
SKY, YELLOW, PURPLE, GREY = "#56B4E9", "#F0E442", "#CC79A7", "#8A8F98"
PALETTE = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, GREY)
# Conflicts in powers of two, 1 to 32: blue where free, then ever darker orange.
CONFLICTS = (SKY, "#FBD38B", ORANGE, RED, "#9C3D00", "#5C1F00")
WAYS = (1, 2, 4, 8, 16, 32)
ROW_PIXELS = 24
BANK_TICKS = list(range(0, 32, 4))


def make_figure(title: str, height: int = 420, **layout: Any) -> go.Figure:
    """An empty figure in the common style."""
    figure = go.Figure()
    figure.update_layout(
        title={"text": title, "font": {"size": 16}, "x": 0, "xanchor": "left"},
        height=height,
        margin={"l": 60, "r": 20, "t": 56, "b": 56},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        colorway=list(PALETTE),
        font={"family": "system-ui, sans-serif", "size": 13},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        hoverlabel={"align": "left"},
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": GREY, "activecolor": BLUE},
        **layout,
    )
    figure.update_xaxes(automargin=True, gridcolor="rgba(128,128,128,0.25)", zeroline=False)
    figure.update_yaxes(automargin=True, gridcolor="rgba(128,128,128,0.25)", zeroline=False)
    return figure


def bars_height(bars: int) -> int:
    """Pixels that so many horizontal bars need, axes and legend included."""
    return 150 + ROW_PIXELS * max(bars, 2)


def conflict_colours() -> list[list[Any]]:
    """A colour scale in steps over log2(ways), 0 to 5, for ``zmin=-0.5, zmax=5.5``."""
    steps = len(CONFLICTS)
    scale: list[list[Any]] = []
    for position, colour in enumerate(CONFLICTS):
        scale += [[position / steps, colour], [(position + 1) / steps, colour]]
    return scale


def short(value: float) -> str:
    """``12.9M``: at most three digits and a prefix."""
    return "".join(_scaled(value))


def quantity(value: float, unit: str) -> str:
    """``12.9 MB``: at most three digits, and the unit with a prefix."""
    amount, prefix = _scaled(value)
    return f"{amount} {prefix}{unit}"


def plain(text: str) -> str:
    """Text from outside as plotly shows it: what looks like markup there would be swallowed."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _scaled(value: float) -> tuple[str, str]:
    for power, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= power:
            return f"{value / power:.3g}", prefix
    return f"{value:.3g}", ""
