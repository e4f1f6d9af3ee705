"""The memory chart: the parts of the machine as boxes, bytes of the launch on the arrows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from reports.data.traffic import UNMODELLED, Flow, hit_rate, memory_flows
from reports.figures.style import BLUE, GREY, make_figure, quantity
from simulator.results import Run

# Middle of each box; x from 0 to 1, y downwards in rows.
_PLACES = {
    "SM": (0.5, 0.0),
    "shared memory": (0.25, 1.3),
    "L1": (0.75, 1.3),
    "L2": (0.75, 2.6),
    "DRAM": (0.75, 3.9),
}
_HALF_WIDTH, _HALF_HEIGHT = 0.16, 0.28


def memory_chart(run: Run) -> go.Figure:
    """Bytes between SM, shared memory, L1, L2 and DRAM with the caches' hit rates."""
    rates = {cache: hit_rate(run, cache) for cache in ("L1", "L2")}
    return draw_memory_chart(memory_flows(run), rates)


def draw_memory_chart(flows: Sequence[Flow], rates: Mapping[str, str]) -> go.Figure:
    """Arrows are as wide as their bytes; dashed where these are unmodelled."""
    figure = make_figure("Memory: bytes the launch moves between the parts", height=560)
    most = max((flow.bytes or 0 for flow in flows), default=0)
    for flow in flows:
        _add_arrow(figure, flow, most)
    for name, (x, y) in _PLACES.items():
        _add_box(figure, name, x, y, rates.get(name))
    figure.update_xaxes(visible=False, range=[0, 1], fixedrange=True)
    figure.update_yaxes(visible=False, range=[4.3, -0.4], fixedrange=True)
    figure.update_layout(margin={"l": 8, "r": 8, "b": 8}, showlegend=False)
    figure.add_trace(_hovers(flows))
    return figure


def flow_label(flow: Flow) -> str:
    """``537 MB``, or ``unmodelled``."""
    return UNMODELLED if flow.bytes is None else quantity(flow.bytes, "B")


def _middle(flow: Flow) -> tuple[float, float]:
    (x, y), (end_x, end_y) = _PLACES[flow.start], _PLACES[flow.end]
    return (x + end_x) / 2, (y + end_y) / 2


def _add_arrow(figure: go.Figure, flow: Flow, most: float) -> None:
    (x, y), (end_x, end_y) = _PLACES[flow.start], _PLACES[flow.end]
    known = flow.bytes is not None
    width = 1.5 + 8 * (flow.bytes or 0) / most if most else 1.5
    figure.add_shape(
        type="line",
        x0=x if x == end_x else (x + end_x) / 2,
        x1=end_x,
        y0=y + _HALF_HEIGHT,
        y1=end_y - _HALF_HEIGHT,
        line={
            "color": BLUE if known else GREY,
            "width": width,
            "dash": "solid" if known else "dot",
        },
        layer="below",
    )
    figure.add_annotation(
        x=end_x,
        y=(y + end_y) / 2,
        text=f"<b>{flow_label(flow)}</b>" + (f"<br>{flow.status.value}" if known else ""),
        align="left" if end_x >= 0.5 else "right",
        showarrow=False,
        xanchor="left" if end_x >= 0.5 else "right",
        xshift=12 if end_x >= 0.5 else -12,
    )


def _add_box(figure: go.Figure, name: str, x: float, y: float, rate: str | None) -> None:
    figure.add_shape(
        type="rect",
        x0=x - _HALF_WIDTH,
        x1=x + _HALF_WIDTH,
        y0=y - _HALF_HEIGHT,
        y1=y + _HALF_HEIGHT,
        line={"color": GREY, "width": 1.5},
        fillcolor="rgba(128,128,128,0.12)",
    )
    text = f"<b>{name}</b>" + (f"<br>hit rate {rate}" if rate else "")
    figure.add_annotation(x=x, y=y, text=text, showarrow=False)


def _hovers(flows: Sequence[Flow]) -> go.Scatter:
    """Unseen points on the arrows that tell more."""
    middles = [_middle(flow) for flow in flows]
    return go.Scatter(
        x=[x for x, _ in middles],
        y=[y for _, y in middles],
        mode="markers",
        marker={"size": 40, "opacity": 0},
        customdata=[_story(flow) for flow in flows],
        hovertemplate="%{customdata}<extra></extra>",
    )


def _story(flow: Flow) -> str:
    amount = UNMODELLED if flow.bytes is None else f"{flow.bytes:,.0f} bytes"
    detail = f"<br>{flow.detail}" if flow.detail else ""
    return f"{flow.start} to {flow.end}: {amount} ({flow.status.value}){detail}"
