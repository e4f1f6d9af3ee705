"""Bank conflicts: lane by bank, bank by instruction, wavefronts by source line."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from reports.data.lanes import BANKS, lane_maps
from reports.data.lines import LineRow, shared_lines, short_labels
from reports.data.pressure import Pressure, is_counted, pressure_rows
from reports.figures.lane_maps import draw_lane_map, instruction_name
from reports.figures.style import BANK_TICKS, BLUE, ORANGE, RED, bars_height, make_figure, plain
from simulator.errors import ArgumentError
from simulator.results import Run

COUNTED = "Units that each bank delivers or takes over the whole launch, by instruction"
WORST = "Units of each bank by instruction, as if every request were its worst one"


def heatmap(run: Run, instruction: int | None = None) -> go.Figure:
    """Lane by bank of the worst request of an instruction, or of the one that conflicts most.

    Raises:
        ArgumentError: the run made no shared request, or that instruction did not.
    """
    maps = lane_maps(run)
    if not maps:
        raise ArgumentError(f"{run.kernel} made no shared-memory request; there is no map to draw")
    if instruction is None:
        return draw_lane_map(maps[0])
    for item in maps:
        if any(record.index == instruction for record in item.records):
            return draw_lane_map(item)
    known = ", ".join(str(record.index) for item in maps for record in item.records)
    raise ArgumentError(f"instruction {instruction} made no shared request; those are {known}")


def bank_pressure(run: Run) -> go.Figure:
    """Bank by instruction over the launch; see :mod:`reports.data.pressure`."""
    return draw_pressure(pressure_rows(run), is_counted(run))


def draw_pressure(rows: Sequence[Pressure], counted: bool) -> go.Figure:
    """One line an instruction or source line; colours are units of a bank."""
    figure = make_figure(COUNTED if counted else WORST, height=bars_height(len(rows)) + 40)
    figure.add_trace(
        go.Heatmap(
            z=[list(row.units) for row in rows],
            y=[_pressure_label(row) for row in rows],
            x=list(range(BANKS)),
            customdata=[[f"{row.unevenness:.3g}"] * BANKS for row in rows],
            colorscale="Cividis",
            zmin=0,
            zmax=max((max(row.units) for row in rows), default=1) or 1,
            xgap=1,
            ygap=1,
            hovertemplate="%{y}<br>bank %{x}: %{z:,} units<br>the busiest bank has %{customdata} "
            "times the mean<extra></extra>",
            colorbar={"title": {"text": "units", "side": "top"}, "thickness": 10},
        )
    )
    figure.update_xaxes(title="bank (4 bytes wide)", tickvals=BANK_TICKS, showgrid=False)
    figure.update_yaxes(title="", autorange="reversed", showgrid=False, dtick=1)
    return figure


def _pressure_label(row: Pressure) -> str:
    first = row.records[0]
    several = len(row.records)
    which = f"#{first.index}" if several == 1 else f"({several} instructions)"
    mark = "" if row.uniform else " (others cost less)"
    return f"{first.source_line or '-'} {instruction_name(first)} {which}{mark}"


def line_wavefronts(run: Run) -> go.Figure:
    """Shared wavefronts against ideal by source line."""
    return draw_line_wavefronts(shared_lines(run))


def draw_line_wavefronts(rows: Sequence[LineRow]) -> go.Figure:
    """Two bars a line: the wavefronts of ncu's source page, and their ideal."""
    figure = make_figure(
        "Shared wavefronts against ideal by source line", height=bars_height(2 * len(rows))
    )
    labels = [plain(label) for label in short_labels(rows)]
    texts = [plain(row.text) for row in rows]
    for name, colour, values in (
        ("ideal", BLUE, [row.totals.ideal for row in rows]),
        ("wavefronts", ORANGE, [row.totals.wavefronts for row in rows]),
        ("bank conflicts", RED, [row.totals.conflicts for row in rows]),
    ):
        figure.add_trace(
            go.Bar(
                orientation="h",
                name=name,
                marker={"color": colour},
                x=values,
                y=labels,
                customdata=texts,
                hovertemplate="%{y}  %{customdata}<br>%{x:,} " + name + "<extra></extra>",
            )
        )
    figure.update_xaxes(title="wavefronts of the launch", rangemode="tozero")
    figure.update_yaxes(title="", autorange="reversed", type="category")
    return figure
