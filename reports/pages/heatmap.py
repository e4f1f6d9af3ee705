"""The page on bank conflicts of one run."""

from __future__ import annotations

from collections.abc import Iterator

from reports.data.lanes import LaneMap, lane_maps
from reports.data.lines import shared_lines
from reports.data.pressure import is_counted, pressure_rows
from reports.figures.heatmaps import draw_line_wavefronts, draw_pressure
from reports.figures.lane_maps import draw_lane_map
from reports.markup import facts, note, table
from reports.page import Drawing, Page, Piece, Row, Section
from reports.pages.common import footer, launch_lead
from reports.source_view import source_view
from simulator.frontends.entry import shown_name
from simulator.results import Run
from simulator.shared_report import total_shared

MOST_MAPS = 16


def heatmap_page(run: Run) -> Page:
    """Bank conflicts: lanes and banks, pressure, wavefronts by line, the source itself."""
    title = f"Bank conflicts of {shown_name(run.kernel)}"
    return Page(title, launch_lead(run), tuple(_sections(run)), footer(run))


def _sections(run: Run) -> Iterator[Section]:
    totals = total_shared(run)
    tiles = facts(
        [
            ("shared requests", totals.requests),
            ("wavefronts", totals.wavefronts),
            ("ideal", totals.ideal),
            ("bank conflicts", totals.conflicts),
            ("n-way", f"{totals.ways:.2f}"),
        ]
    )
    lines, maps = shared_lines(run), lane_maps(run)
    if not lines:
        yield Section("Shared memory", [note("This launch made no shared-memory request.")])
        return
    yield Section("Source lines", [tiles, Drawing(draw_line_wavefronts(lines))])
    yield Section("Lanes and banks", [*_map_pieces(maps)])
    yield Section("Banks over the launch", [_pressure(run)])
    listings = source_view(run)
    missing = note("The run holds no source text: compile with line information.")
    yield Section("Source and SASS", listings or [missing])


def _map_pieces(maps: tuple[LaneMap, ...]) -> Iterator[Piece]:
    yield note(
        "Each map is the worst request of an instruction. A coloured cell is a word that a lane "
        "touches; the number is its row in the bank, so two cells of one column and one phase "
        "with different numbers conflict. Dashed lines part the phases, dotted ones phases that "
        "run as one. Blue is free of conflicts."
    )
    shown = maps[:MOST_MAPS]
    for first in range(0, len(shown), 2):
        yield Row(tuple(Drawing(draw_lane_map(m), _map_note(m)) for m in shown[first : first + 2]))
    rest = maps[MOST_MAPS:]
    if rest:
        rows = [(_sass(m), m.text, m.conflicts, m.worst_ways) for m in rest]
        yield table(f"{len(rest)} more patterns", ("SASS", "source", "conflicts", "ways"), rows)


def _map_note(item: LaneMap) -> str:
    others = len(item.records) - 1
    same = f" and {others} more like it (banks may be turned round)" if others else ""
    first = f"{item.text}  -  {item.records[0].sass}{same}; {item.conflicts:,} bank conflicts."
    why = f" {item.reading[0].upper()}{item.reading[1:]}." if item.reading else ""
    return first + why


def _sass(item: LaneMap) -> str:
    return f"`{item.records[0].sass}"


_COUNTED = (
    "A unit is a word, or a bank's part of a wide access, that a bank delivers or takes in one "
    "wavefront. Where some banks of a row are brighter, the others wait for them. "
)
_ALL = "Every request of the launch is counted."
_SAMPLED = "Every request of the blocks that were replayed is counted, and scaled to the launch."
_WORST = (
    "The banks were not counted in this run: it was saved without them. Shown is the worst request "
    "of each instruction, times the number of requests; others may meet in other banks, and where "
    "some cost less, the row says so. To count the banks, draw this page from the kernel, or save "
    "the run with: python -m reports heatmap --kernel NAME --json FILE."
)


def _pressure(run: Run) -> Drawing:
    counted, sampling = is_counted(run), run.sampling
    whole = sampling.blocks_replayed == sampling.blocks_total
    text = _COUNTED + (_ALL if whole else _SAMPLED) if counted else _WORST
    return Drawing(draw_pressure(pressure_rows(run), counted), text)
