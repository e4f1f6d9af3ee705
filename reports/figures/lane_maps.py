"""Lane by bank of one request: words as cells, conflicts as colours, phases as lines."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from reports.data.lanes import BANKS, Cell, LaneMap
from reports.data.requests import FULL_WAVEFRONT, LANES, Kind
from reports.figures.style import BANK_TICKS, GREY, WAYS, conflict_colours, make_figure
from simulator.instruction_mix import instruction_form
from simulator.results import InstructionRecord

Grid = list[list[float | None]]
Texts = list[list[str]]
_SCALES = {
    Kind.COPY: "lanes of a phase that a lane meets,<br>itself included (1: nobody waits)",
    Kind.BYPASS: "how many times fuller a lane's<br>wavefront could be (1: full)",
}
_SCALE = "units the bank delivers<br>in a phase (1: no conflict)"


def lane_grid(cells: Sequence[Cell], kind: Kind = Kind.PLAIN) -> tuple[Grid, Texts, Texts]:
    """Colour (log2 of the ways), row number and hover text by lane and bank."""
    colours: Grid = [[None] * BANKS for _ in range(LANES)]
    rows: Texts = [[""] * BANKS for _ in range(LANES)]
    hovers: Texts = [[""] * BANKS for _ in range(LANES)]
    for cell in cells:
        colours[cell.lane][cell.bank] = math.log2(cell.ways)
        rows[cell.lane][cell.bank] = str(cell.row)
        hovers[cell.lane][cell.bank] = (
            f"lane {cell.lane}, bank {cell.bank}, row {cell.row} of the bank "
            f"(byte {cell.row * 4 * BANKS + 4 * cell.bank})<br>{_cost(cell, kind)}"
        )
    return colours, rows, hovers


def _cost(cell: Cell, kind: Kind) -> str:
    if kind is Kind.BYPASS:
        lanes = f"{cell.ways} times fuller at best" if cell.ways > 1 else "full"
        return "" if cell.wavefront is None else f"wavefront {cell.wavefront}: {lanes}"
    if kind is Kind.COPY:
        found = "meets nobody" if cell.ways == 1 else f"{cell.ways} lanes meet"
    else:
        found = "no conflict" if cell.ways == 1 else f"{cell.ways}-way conflict"
    return f"phase {cell.phase}: {found}"


def instruction_name(record: InstructionRecord) -> str:
    """``LDS.128``: the opcode with its modifiers, guard and operands left out."""
    opcode, modifiers = instruction_form(record)
    return ".".join((opcode, *modifiers))


def lane_map_title(item: LaneMap) -> str:
    """What the map shows, in one line."""
    record = item.records[0]
    line = f"line {record.source_line}: " if record.source_line else ""
    return f"{line}{instruction_name(record)}, lanes and banks: {_verdict(item)}"


def _verdict(item: LaneMap) -> str:
    if item.rule.kind is Kind.BYPASS:
        best = -(-len(item.rule.active_lanes()) // FULL_WAVEFRONT)
        return f"{item.wavefronts} wavefront{'s' * (item.wavefronts != 1)}, {best} at best"
    if item.worst_ways <= 1:
        return "no bank conflict"
    if item.rule.kind is Kind.COPY:
        return f"up to {item.worst_ways} lanes of a phase meet"
    return f"{item.worst_ways}-way bank conflict"


def draw_lane_map(item: LaneMap) -> go.Figure:
    """Lanes down, banks across; numbers are rows of the bank, colours conflicts."""
    colours, rows, hovers = lane_grid(item.cells, item.rule.kind)
    figure = make_figure(lane_map_title(item), height=690)
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
            colorbar=_colorbar(_SCALES.get(item.rule.kind, _SCALE)),
        )
    )
    _mark_phases(figure, item)
    figure.update_xaxes(
        title="bank (4 bytes wide)", tickvals=BANK_TICKS, range=[-0.5, BANKS - 0.5], showgrid=False
    )
    figure.update_yaxes(
        title=f"lane ({phase_words(item)})",
        tickvals=list(range(0, LANES, 4)),
        range=[LANES - 0.5, -0.5],
        showgrid=False,
    )
    return figure


def _mark_phases(figure: go.Figure, item: LaneMap) -> None:
    """Dashed lines between the phases, dotted ones inside where two run as one, names beside."""
    size = item.rule.phase_lanes
    for first in range(0, LANES, size):
        if first:
            line = {"width": 2, "dash": "dash", "color": GREY}
            figure.add_hline(y=first - 0.5, line=line)
        if item.rule.merged:
            line = {"width": 1, "dash": "dot", "color": GREY}
            figure.add_hline(y=first + size / 2 - 0.5, line=line)
        if size < LANES:
            figure.add_annotation(
                xref="paper",
                x=1,
                xanchor="left",
                y=first + (size - 1) / 2,
                text=phase_name(item, first // size),
                textangle=90,
                showarrow=False,
                font={"size": 10},
            )


def phase_name(item: LaneMap, phase: int) -> str:
    """``phase 1``, ``phases 2+3`` where these run as one, ``matrix 0``."""
    if item.rule.kind is Kind.MATRIX:
        return f"matrix {phase}" if phase < item.phases else ""
    if item.rule.merged:
        return f"phases {2 * phase}+{2 * phase + 1}"
    return f"phase {phase}"


def phase_words(item: LaneMap) -> str:
    """The phases with an active lane in words."""
    if item.rule.kind is Kind.MATRIX:
        plural = "matrices" if item.phases != 1 else "matrix"
        return f"{item.phases} {plural} of 8 rows"
    if item.rule.kind is Kind.BYPASS:
        return "grouped by the sectors they move"
    merged = ", merged in pairs" if item.rule.merged else ""
    plural = "s" * (item.phases != 1)
    return f"{item.phases} phase{plural} of {item.rule.phase_lanes} lanes{merged}"


def _colorbar(title: str) -> dict[str, object]:
    return {
        "title": {"text": title, "side": "top"},
        "tickvals": list(range(len(WAYS))),
        "ticktext": [str(ways) for ways in WAYS],
        "orientation": "h",
        "thickness": 10,
        "y": -0.15,
        "yanchor": "top",
        "len": 0.9,
    }
