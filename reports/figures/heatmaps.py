"""Bank conflicts: lane by bank, bank by instruction, wavefronts by source line."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from reports.data.lanes import BANKS, LANES, Cell, LaneMap, lane_maps
from reports.data.lines import LineRow, shared_lines
from reports.data.pressure import Pressure, pressure_rows
from reports.figures.style import (
    BLUE,
    ORANGE,
    RED,
    WAYS,
    bars_height,
    conflict_colours,
    make_figure,
)
from simulator.errors import ArgumentError
from simulator.instruction_mix import instruction_form
from simulator.results import InstructionRecord, Run

Grid = list[list[float | None]]
Texts = list[list[str]]
_BANK_TICKS = list(range(0, BANKS, 4))


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


def lane_grid(cells: Sequence[Cell]) -> tuple[Grid, Texts, Texts]:
    """Colour (log2 of the ways), row number and hover text by lane and bank."""
    colours: Grid = [[None] * BANKS for _ in range(LANES)]
    rows: Texts = [[""] * BANKS for _ in range(LANES)]
    hovers: Texts = [[""] * BANKS for _ in range(LANES)]
    for cell in cells:
        colours[cell.lane][cell.bank] = math.log2(cell.ways)
        rows[cell.lane][cell.bank] = str(cell.row)
        hovers[cell.lane][cell.bank] = (
            f"lane {cell.lane}, bank {cell.bank}, row {cell.row} of the bank "
            f"(byte {cell.row * 4 * BANKS + 4 * cell.bank})<br>phase {cell.phase}: "
            + ("no conflict" if cell.ways == 1 else f"{cell.ways}-way conflict")
        )
    return colours, rows, hovers


def instruction_name(record: InstructionRecord) -> str:
    """``LDS.128``: the opcode with its modifiers, guard and operands left out."""
    opcode, modifiers = instruction_form(record)
    return ".".join((opcode, *modifiers))


def lane_map_title(item: LaneMap) -> str:
    """What the map shows, in one line."""
    record = item.records[0]
    line = f"line {record.source_line}: " if record.source_line else ""
    cost = "no bank conflict" if item.worst_ways <= 1 else f"{item.worst_ways}-way bank conflict"
    if item.operation is None:
        cost = "words a bank of the whole request"
    return f"{line}{instruction_name(record)}, lanes and banks: {cost}"


def draw_lane_map(item: LaneMap) -> go.Figure:
    """Lanes down, banks across; numbers are rows of the bank, colours conflicts."""
    colours, rows, hovers = lane_grid(item.cells)
    figure = make_figure(lane_map_title(item), height=660)
    figure.add_trace(
        go.Heatmap(
            z=colours,
            text=rows,
            customdata=hovers,
            texttemplate="%{text}",
            textfont={"size": 9},
            hovertemplate="%{customdata}<extra></extra>",
            hoverongaps=False,
            colorscale=conflict_colours(),
            zmin=-0.5,
            zmax=len(WAYS) - 0.5,
            xgap=1,
            ygap=1,
            colorbar=_colorbar(),
        )
    )
    for first in range(item.phase_lanes, LANES, item.phase_lanes):
        figure.add_hline(y=first - 0.5, line={"width": 1.5, "dash": "dash", "color": "#808080"})
    ticks = list(range(0, LANES, 4))
    figure.update_xaxes(
        title="bank (4 bytes wide)", tickvals=_BANK_TICKS, range=[-0.5, BANKS - 0.5], showgrid=False
    )
    figure.update_yaxes(
        title=f"lane ({_phase_words(item)})",
        tickvals=ticks,
        range=[LANES - 0.5, -0.5],
        showgrid=False,
    )
    return figure


def _phase_words(item: LaneMap) -> str:
    if item.operation is None:
        return "phases are not drawn"
    merged = ", merged in pairs" if item.merged else ""
    return f"{item.phases} phase{'s' * (item.phases != 1)} of {item.phase_lanes} lanes{merged}"


def _colorbar() -> dict[str, object]:
    return {
        "title": {"text": "units the bank delivers in a phase (1: no conflict)", "side": "top"},
        "tickvals": list(range(len(WAYS))),
        "ticktext": [str(ways) for ways in WAYS],
        "orientation": "h",
        "thickness": 10,
        "y": -0.17,
        "yanchor": "top",
        "len": 0.9,
    }


def bank_pressure(run: Run) -> go.Figure:
    """Bank by instruction over the launch; see :mod:`reports.data.pressure` for what it assumes."""
    return draw_pressure(pressure_rows(run))


def draw_pressure(rows: Sequence[Pressure]) -> go.Figure:
    """One line an instruction; colours are wavefronts in which a bank delivers."""
    labels = [_instruction_label(row) for row in rows]
    figure = make_figure(PRESSURE_TITLE, height=bars_height(len(rows)) + 40)
    figure.add_trace(
        go.Heatmap(
            z=[list(row.deliveries) for row in rows],
            y=labels,
            x=list(range(BANKS)),
            colorscale="Cividis",
            zmin=0,
            xgap=1,
            ygap=1,
            hovertemplate="%{y}<br>bank %{x}: %{z:,} wavefronts<extra></extra>",
            colorbar={"title": {"text": "wavefronts", "side": "top"}, "thickness": 10},
        )
    )
    figure.update_xaxes(title="bank", tickvals=_BANK_TICKS, showgrid=False)
    figure.update_yaxes(title="", autorange="reversed", showgrid=False, dtick=1)
    return figure


PRESSURE_TITLE = "Wavefronts by bank and instruction, as if every request were its worst one"


def _instruction_label(row: Pressure) -> str:
    line = row.record.source_line
    mark = "" if row.uniform else " (others cost less)"
    return f"{line or '-'} {instruction_name(row.record)} #{row.record.index}{mark}"


def line_wavefronts(run: Run) -> go.Figure:
    """Shared wavefronts against ideal by source line."""
    return draw_line_wavefronts(shared_lines(run))


def draw_line_wavefronts(rows: Sequence[LineRow]) -> go.Figure:
    """Two bars a line: the wavefronts of ncu's source page, and their ideal."""
    figure = make_figure(
        "Shared wavefronts against ideal by source line", height=bars_height(2 * len(rows))
    )
    labels = [row.label for row in rows]
    texts = [row.text for row in rows]
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
