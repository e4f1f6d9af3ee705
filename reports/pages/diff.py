"""The page on two runs side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reports.data.changes import line_changes, line_label
from reports.data.lanes import LaneMap, lane_maps
from reports.data.lines import shared_lines
from reports.figures.changes import changes_chart
from reports.figures.heatmaps import draw_line_wavefronts
from reports.figures.lane_maps import draw_lane_map
from reports.figures.launch import draw_stalls
from reports.markup import Cell, fold, note, table
from reports.page import Drawing, Page, Piece, Row, Section
from reports.pages.common import footer, launch_lead, title_of
from reports.times import with_interval
from simulator.diff import Change, LineDiff, RunDiff, compare_runs
from simulator.frontends.entry import shown_name
from simulator.instruction_mix import instruction_form
from simulator.render_time import interval_meaning, what_if
from simulator.results import LaunchTime, Run, Timing
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
    elif before.time or after.time:
        which = "before" if before.time else "after"
        text = f"Only the run {which} holds a predicted time, so times are not compared."
        sections.append(Section("Time", [note(text)]))
    lead = f"Before: {launch_lead(before)}. After: {launch_lead(after)}."
    return Page(_title(before, after), lead, tuple(sections), footer(before, after))


def _title(before: Run, after: Run) -> str:
    if before.kernel != after.kernel:
        return f"{shown_name(before.kernel)} and {shown_name(after.kernel)}"
    if before.device != after.device:
        return f"{shown_name(before.kernel)}: {title_of(before)} and {title_of(after)}"
    return f"{shown_name(before.kernel)} on {title_of(before)}, before and after"


def _times(before: LaunchTime, after: LaunchTime) -> Iterator[Piece]:
    rows = [
        _time_cells("cold caches", before.cold, after.cold),
        _time_cells("warm caches", before.warm, after.warm),
    ]
    head = ("", "before", "after", "after / before", "intervals")
    yield table("Predicted microseconds", head, rows)
    if bool(before.borrowed) == bool(after.borrowed):
        yield note(interval_meaning(after))
    for name, time in (("before", before), ("after", after)):
        if time.changes:
            yield note(f"{name}: {what_if(time)}")
    pair = {"before": before.warm.stalls, "after": after.warm.stalls}
    yield Drawing(draw_stalls(pair, "Predicted stall reasons, warm caches"))


def _time_cells(name: str, one: Timing, other: Timing) -> tuple[Cell, ...]:
    texts = (with_interval(one), with_interval(other))
    apart = one.high_us < other.low_us or other.high_us < one.low_us
    ratio = f"{other.microseconds / one.microseconds:.2f}x"
    return (name, *texts, ratio, "apart" if apart else "overlap: either may be faster")


def _totals(found: RunDiff) -> Iterator[Piece]:
    yield Drawing(changes_chart(found))
    if found.facts:
        yield table("What differs in the launch", ("", "before", "after"), found.facts)
    head = ("", "before", "after", "after - before", "status")
    differ = [_cells(change) for change in found.totals if change.difference]
    same = [_cells(change) for change in found.totals if not change.difference]
    if differ:
        yield table("Totals that differ", head, differ)
    if same:
        caption = f"{len(same)} totals that are equal, or not known in one of the runs"
        yield fold(caption, table("", head, same))


def _cells(change: Change) -> tuple[Cell, ...]:
    name, status = change.name.replace("_", " "), change.status.value
    return (name, change.before, change.after, change.difference, status)


def _shared(before: Run, after: Run) -> Iterator[Piece]:
    pairs = [(name, run) for name, run in (("before", before), ("after", after))]
    used = [(name, run) for name, run in pairs if lane_maps(run)]
    if not used:
        yield note("Neither launch uses shared memory.")
        return
    yield Row(tuple(_wavefronts(pairs)))
    maps = {name: lane_maps(run) for name, run in used}
    worst = max((found[0] for found in maps.values()), key=lambda item: item.conflicts)
    yield Row(tuple(_map(name, run, _like(worst, maps[name])) for name, run in used))


def _wavefronts(pairs: Sequence[tuple[str, Run]]) -> Iterator[Drawing]:
    """Both to one scale, so that the longer bar is the larger number."""
    lines = {name: shared_lines(run) for name, run in pairs}
    most = max((row.totals.wavefronts for rows in lines.values() for row in rows), default=0)
    for name, run in pairs:
        if lines[name]:
            figure = draw_line_wavefronts(lines[name])
            figure.update_xaxes(range=[0, 1.05 * most])
            yield Drawing(figure, f"{name}: {run.kernel} on {title_of(run)}")


def _like(wanted: LaneMap, maps: tuple[LaneMap, ...]) -> LaneMap:
    """The wanted map itself, or the worst of the same opcode, or else the worst of all."""
    if wanted in maps:
        return wanted
    opcode = instruction_form(wanted.records[0])[0]
    return next((m for m in maps if instruction_form(m.records[0])[0] == opcode), maps[0])


def _map(name: str, run: Run, item: LaneMap) -> Drawing:
    conflicts = total_shared(run).conflicts
    text = f"{name}: {item.text} - the launch has {conflicts:,} bank conflicts"
    return Drawing(draw_lane_map(item), text)


def _lines(found: RunDiff) -> Piece:
    if not found.lines:
        return note("No source line counts anything else.")
    rows = line_changes(found)
    shown = [_line_cells(line, change) for line, change in rows[:MOST_LINES]]
    left = f", {MOST_LINES} of {len(rows)}" if len(rows) > MOST_LINES else ""
    head = ("line", "source", "opcode", "counter", "before", "after", "after - before", "status")
    return table(f"Counts that differ, memory first, the most changed first{left}", head, shown)


def _line_cells(line: LineDiff, change: Change) -> tuple[Cell, ...]:
    return (line_label(line), f"`{line.text}", line.opcode, *_cells(change))
