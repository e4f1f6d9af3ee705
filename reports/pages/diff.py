"""The page on two runs side by side."""

from __future__ import annotations

from collections.abc import Iterator

from reports.data.lanes import LaneMap, lane_maps
from reports.figures.changes import changes_chart
from reports.figures.heatmaps import line_wavefronts
from reports.figures.lane_maps import draw_lane_map
from reports.figures.launch import draw_stalls
from reports.markup import Cell, note, table
from reports.page import Drawing, Page, Piece, Row, Section
from reports.pages.common import footer, launch_lead
from simulator.diff import Change, LineDiff, RunDiff, compare_runs
from simulator.instruction_mix import instruction_form
from simulator.results import LaunchTime, Run
from simulator.shared_report import total_shared

MOST_LINES = 60


def diff_page(before: Run, after: Run) -> Page:
    """Launches, totals, shared memory of both, lines that differ."""
    found = compare_runs(before, after)
    sections = [
        Section("Totals", [*_totals(found)]),
        Section("Shared memory", [*_shared(before, after)]),
        Section("Source lines", [_lines(found)]),
    ]
    if before.time and after.time:
        sections.append(Section("Time", [*_times(before.time, after.time)]))
    lead = f"Before: {launch_lead(before)}. After: {launch_lead(after)}."
    title = f"{before.kernel} and {after.kernel}"
    if before.kernel == after.kernel:
        title = f"{before.kernel}: {before.device} and {after.device}"
    return Page(title, lead, tuple(sections), footer(before, after))


def _times(before: LaunchTime, after: LaunchTime) -> Iterator[Piece]:
    rows = [
        (
            name,
            one.microseconds,
            other.microseconds,
            f"{other.microseconds / one.microseconds:.2f}x",
        )
        for name, one, other in (
            ("cold caches", before.cold, after.cold),
            ("warm caches", before.warm, after.warm),
        )
    ]
    yield table("Predicted microseconds", ("", "before", "after", "after / before"), rows)
    pair = {"before": before.warm.stalls, "after": after.warm.stalls}
    yield Drawing(draw_stalls(pair, "Predicted stall reasons, warm caches"))


def _totals(found: RunDiff) -> Iterator[Piece]:
    yield Drawing(changes_chart(found))
    if found.facts:
        yield table("What differs in the launch", ("", "before", "after"), found.facts)
    rows = [_cells(change) for change in found.totals]
    yield table("All totals", ("", "before", "after", "after - before"), rows)


def _cells(change: Change) -> tuple[Cell, ...]:
    return (change.name.replace("_", " "), change.before, change.after, change.difference)


def _shared(before: Run, after: Run) -> Iterator[Piece]:
    pairs = [(name, run) for name, run in (("before", before), ("after", after))]
    used = [(name, run) for name, run in pairs if lane_maps(run)]
    if not used:
        yield note("Neither launch uses shared memory.")
        return
    yield Row(tuple(Drawing(line_wavefronts(run), f"{name}: {run.kernel}") for name, run in used))
    first = lane_maps(used[0][1])[0]
    yield Row(tuple(_map(name, run, _like(first, lane_maps(run))) for name, run in used))


def _like(wanted: LaneMap, maps: tuple[LaneMap, ...]) -> LaneMap:
    """The worst map of the same opcode, or else the worst of all."""
    opcode = instruction_form(wanted.records[0])[0]
    return next((m for m in maps if instruction_form(m.records[0])[0] == opcode), maps[0])


def _map(name: str, run: Run, item: LaneMap) -> Drawing:
    conflicts = total_shared(run).conflicts
    text = f"{name}: {item.text} - the launch has {conflicts:,} bank conflicts"
    return Drawing(draw_lane_map(item), text)


def _lines(found: RunDiff) -> Piece:
    if not found.lines:
        return note("No source line counts anything else.")
    rows = [row for line in found.lines for row in _line_rows(line)]
    shown = rows[:MOST_LINES]
    left = f", the first {MOST_LINES} of {len(rows)}" if len(rows) > MOST_LINES else ""
    head = ("line", "source", "opcode", "counter", "before", "after", "after - before")
    return table(f"Counts that differ{left}", head, shown)


def _line_rows(line: LineDiff) -> Iterator[tuple[Cell, ...]]:
    number = line.line_after if line.line_after is not None else line.line_before
    for change in line.changed:
        yield (str(number or "-"), f"`{line.text}", line.opcode, *_cells(change))
