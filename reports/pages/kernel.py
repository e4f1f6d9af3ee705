"""The page on a whole run."""

from __future__ import annotations

from collections.abc import Iterator

from reports.data.findings import finding_groups
from reports.data.lanes import lane_maps
from reports.data.timeline import timeline_lanes
from reports.figures.heatmaps import line_wavefronts
from reports.figures.lane_maps import draw_lane_map
from reports.figures.launch import (
    busy_units,
    instruction_mix,
    occupancy_chart,
    pipe_mix,
    stall_reasons,
    used_pipes,
)
from reports.figures.memory_chart import memory_chart
from reports.figures.roofline import roof_cycles, roofline
from reports.figures.timeline import draw_timeline
from reports.markup import Cell, facts, note, table
from reports.page import Drawing, Markup, Page, Piece, Row, Section
from reports.pages.common import footer, launch_lead, title_of
from reports.times import waiting_lines
from simulator.frontends.entry import shown_name
from simulator.instruction_mix import count_flops
from simulator.render import percent
from simulator.render_time import interval_meaning, simulated_part, what_if
from simulator.results import Run
from simulator.roofline import find_roofline
from simulator.verdicts import find_verdicts

MOST_FINDINGS = 50
_NO_TIMELINE = (
    "This run holds no timeline of an SM; replay it with --time (and a --timeline above 0)."
)
_MEMORY = (
    "Cold caches. Shared memory: 128 bytes a wavefront; L1: 32 bytes a sector. What L2 still holds "
    "when the launch ends has not moved to DRAM. Below each number stands how far it can be "
    "trusted."
)
_STALLS = "What warps wait for before an instruction issues; selected is the issue itself."
_NO_TIME = (
    "This run holds no predicted time, so stall reasons are not drawn; replay it with --time."
)


def kernel_page(run: Run) -> Page:
    """What binds, findings, roofline, memory, instructions, occupancy, time."""
    sections = (
        Section("What binds", [_verdicts(run)]),
        Section("Findings", [_findings(run)]),
        Section("Roofline", [*_roofline(run)]),
        Section("Memory", [*_memory(run)]),
        Section("Instructions", [*_instructions(run)]),
        Section("Occupancy", [*_occupancy(run)]),
        Section("Time", [*_time(run)]),
    )
    return Page(
        f"{shown_name(run.kernel)} on {title_of(run)}", launch_lead(run), sections, footer(run)
    )


def _verdicts(run: Run) -> Markup:
    rows = [(v.topic, v.text, f"{v.share:.0%}", v.status.value) for v in find_verdicts(run)]
    return table("Causes, the largest first", ("", "", "lost", "status"), rows)


def _findings(run: Run) -> Markup:
    if not run.findings:
        return note("The checks found nothing wrong with this launch.")
    groups = finding_groups(run)
    rows: list[tuple[Cell, ...]] = [
        (f.check, f.message, f.source_line, f"`{g.text}", str(f.block), str(f.thread), g.count)
        for g in groups[:MOST_FINDINGS]
        for f in (g.first,)
    ]
    head = ("check", "what", "line", "source", "first block", "thread", "times")
    total = sum(group.count for group in groups)
    return table(f"Findings of the checks: {total:,}, the first of each line", head, rows)


def _roofline(run: Run) -> Iterator[Piece]:
    line = run.roofline or find_roofline(run)
    if not line.flops:
        yield note(
            "This launch does no floating-point operation, so it stands nowhere under a roofline: "
            "what it takes at least is shown in cycles."
        )
    else:
        yield _slopes(run)
    yield Drawing(roof_cycles(run))
    rows: list[tuple[Cell, ...]] = [
        (r.name, r.amount, r.unit, r.rate, r.cycles, r.status.value, r.origin) for r in line.roofs
    ]
    head = ("roof", "amount", "unit", "a cycle", "cycles", "status", "rate from")
    yield table("All roofs", head, rows)


def _slopes(run: Run) -> Drawing:
    text = (
        "Slopes are memory levels of the whole GPU, dotted lines units that no byte limits; a dot "
        "lies below its slope where the grid does not fill the GPU evenly."
    )
    if run.time:
        text += " Short bars are what the predicted time comes to."
    if count_flops(run).tensor:
        text += " Tensor cores can exceed the peak of the FP32 units; their own is not modelled."
    return Drawing(roofline(run), text)


def _memory(run: Run) -> Iterator[Piece]:
    yield Drawing(memory_chart(run), _MEMORY)
    part = run.counters.get("caches_simulated_part")
    if part:
        yield note(
            f"{percent(part.value / 100)} of the launch went through the model of the caches; the "
            "rest is taken to be like it."
        )
    maps = lane_maps(run)
    if maps and maps[0].conflicts:
        worst = f"{maps[0].text}  -  the pattern with most bank conflicts"
        yield Row((Drawing(draw_lane_map(maps[0]), worst), Drawing(line_wavefronts(run))))


def _instructions(run: Run) -> Iterator[Piece]:
    drawings = [Drawing(instruction_mix(run))]
    known = bool(used_pipes(run))
    if known:
        drawings.append(Drawing(pipe_mix(run)))
    yield Row(tuple(drawings))
    if not known:
        yield note("Which pipe an opcode takes is not known for this architecture.")


def _occupancy(run: Run) -> Iterator[Piece]:
    occupancy = run.occupancy
    if occupancy is None:
        yield note("This run holds no occupancy.")
        return
    yield Drawing(occupancy_chart(run))
    yield facts(
        [
            ("limiters", ", ".join(occupancy.limiters)),
            ("waves", f"{occupancy.waves:.2f}"),
            ("registers allocated", occupancy.registers_allocated),
            ("shared bytes allocated", occupancy.shared_bytes_allocated),
            ("more fit at registers", occupancy.better_registers),
            ("more fit at shared bytes", occupancy.better_shared_bytes),
        ]
    )


def _time(run: Run) -> Iterator[Piece]:
    if run.time is None:
        yield note(_NO_TIME)
        return
    pairs = (("cold caches", run.time.cold), ("warm caches", run.time.warm))
    rows: list[tuple[Cell, ...]] = [
        (name, t.microseconds, t.low_us, t.high_us, t.cycles_active, f"{t.issue_utilisation:.0%}")
        for name, t in pairs
    ]
    head = ("", "microseconds", "low", "high", "active cycles", "issue slots used")
    yield table("Predicted time", head, rows)
    yield note(interval_meaning(run.time))
    if run.time.changes:
        yield note(f"{what_if(run.time)}: the counts above are those of the launch as it is.")
    if run.time.simulated < run.time.blocks:
        yield note(simulated_part(run.time))
    yield Row((Drawing(stall_reasons(run), _STALLS), Drawing(busy_units(run))))
    yield _waiting_lines(run)
    yield from _timeline(run)


def _waiting_lines(run: Run) -> Markup:
    rows = [
        (wait.line, f"`{wait.text}", f"{wait.share:.1%}", wait.reason, f"`{wait.sass}")
        for wait in waiting_lines(run)
    ]
    head = ("line", "source", "of all waiting", "mostly for", "longest before")
    return table("Where warps wait, warm caches", head, rows)


def _timeline(run: Run) -> Iterator[Piece]:
    window = run.time.timeline if run.time else None
    if window is None or not window.issues:
        yield note(_NO_TIMELINE)
        return
    lanes = timeline_lanes(run, window)
    shares = sorted(lanes.shares().items(), key=lambda item: -item[1])
    most = ", ".join(f"{name} {share:.0%}" for name, share in shares[:3])
    yield Drawing(
        draw_timeline(lanes),
        f"Predicted with warm caches. {lanes.issue_share:.0%} of the four schedulers' cycles issue "
        f"an instruction; of the warps' cycles most are: {most}. Drag to zoom in, double-click to "
        "zoom out; pointing at an issue names the instruction.",
    )
