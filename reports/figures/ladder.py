"""The ladder of matrix products, one figure a GPU."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from reports.data.ladder import MEASURED, PREDICTED, PUBLISHED, Step
from reports.figures.style import BLUE, GREEN, GREY, ORANGE, bars_height, make_figure

_COLOURS = {PUBLISHED: BLUE, MEASURED: GREEN, PREDICTED: ORANGE}


def ladder_figures(steps: Sequence[Step]) -> dict[str, go.Figure]:
    """One figure a GPU, by its name."""
    gpus = dict.fromkeys(step.gpu for step in steps)
    return {gpu: draw_ladder([step for step in steps if step.gpu == gpu]) for gpu in gpus}


def draw_ladder(steps: Sequence[Step]) -> go.Figure:
    """Two bars a version of one GPU; a library's time is a dashed line across."""
    labels = list(dict.fromkeys(_label(step) for step in steps))
    gpu = steps[0].gpu
    figure = make_figure(
        f"Matrix products on {gpu}: TFLOPS by version", height=bars_height(2 * len(labels))
    )
    for source in dict.fromkeys(step.source for step in steps):
        figure.add_trace(_bars(source, [step for step in steps if step.source == source]))
    for step in steps:
        if step.library:
            figure.add_vline(
                x=step.tflops,
                line={"color": GREY, "dash": "dash"},
                annotation={"text": step.kernel, "xanchor": "right", "font": {"size": 11}},
                annotation_position="top left",
            )
    figure.update_xaxes(title="TFLOPS, warm caches", rangemode="tozero")
    figure.update_yaxes(
        title="", autorange="reversed", type="category", categoryorder="array", categoryarray=labels
    )
    figure.update_layout(bargap=0.25)
    return figure


def _label(step: Step) -> str:
    return f"{step.kernel.removesuffix('_gemm')} {step.edge}"


def _bars(source: str, steps: Sequence[Step]) -> go.Bar:
    return go.Bar(
        orientation="h",
        name=source,
        y=[_label(step) for step in steps],
        x=[step.tflops for step in steps],
        text=[f"{step.tflops:.3g}" for step in steps],
        textposition="inside",
        insidetextanchor="start",
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [step.high - step.tflops for step in steps],
            "arrayminus": [step.tflops - step.low for step in steps],
            "thickness": 1.2,
            "width": 3,
        },
        marker={"color": _COLOURS[source]},
        customdata=[f"{step.low:.3g} to {step.high:.3g}" for step in steps],
        hovertemplate="%{y}: %{x:.2f} TFLOPS (%{customdata})<extra>" + source + "</extra>",
    )
