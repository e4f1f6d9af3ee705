"""Instruction mix and occupancy of a launch."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from reports.errors import ReportError
from reports.figures.style import BLUE, GREEN, ORANGE, SKY, bars_height, make_figure
from simulator.instruction_mix import OpcodeCount, count_opcodes, count_pipes, sum_records
from simulator.results import Counter, Occupancy, Run

MOST_OPCODES = 14
_LIMITS = ("registers", "shared", "warps", "blocks", "barriers")


def opcode_rows(run: Run) -> tuple[OpcodeCount, ...]:
    """The most executed opcodes, and the others as one row."""
    counts = count_opcodes(run)
    rest = counts[MOST_OPCODES:]
    if not rest:
        return counts
    others = OpcodeCount(
        f"{len(rest)} others",
        sum(count.executed for count in rest),
        sum(count.thread_executed for count in rest),
        sum(count.predicated_on for count in rest),
    )
    return (*counts[:MOST_OPCODES], others)


def instruction_mix(run: Run) -> go.Figure:
    """Executed warp instructions by opcode; the lanes that were active are in the hover."""
    rows, total = opcode_rows(run), sum_records("all", run.instructions).executed or 1
    figure = make_figure("Executed warp instructions by opcode", height=bars_height(len(rows)))
    figure.add_trace(
        go.Bar(
            orientation="h",
            x=[row.executed for row in rows],
            y=[row.opcode for row in rows],
            marker={"color": BLUE},
            customdata=[
                f"{row.executed / total:.1%} of all; {row.active_threads:.1f} of 32 lanes active"
                for row in rows
            ],
            hovertemplate="%{y}: %{x:,} warp instructions<br>%{customdata}<extra></extra>",
        )
    )
    figure.update_xaxes(title="warp instructions", rangemode="tozero")
    figure.update_yaxes(title="", autorange="reversed", type="category")
    return figure


def used_pipes(run: Run) -> dict[str, Counter]:
    """Pipe -> instructions, of those that the launch uses; empty where pipes are not known."""
    return {name: counter for name, counter in count_pipes(run).items() if counter.value}


def pipe_mix(run: Run) -> go.Figure:
    """Warp instructions by pipe.

    Raises:
        ReportError: the pipes of the architecture are not known.
    """
    pipes = used_pipes(run)
    if not pipes:
        raise ReportError(
            f"which pipes sm_{run.architecture} has for which opcode is not known; replay "
            f"{run.kernel} for another device"
        )
    figure = make_figure("Warp instructions by pipe", height=bars_height(len(pipes)))
    values = [counter.value for counter in pipes.values()]
    figure.add_trace(go.Bar(orientation="h", x=values, y=list(pipes), marker={"color": GREEN}))
    figure.update_xaxes(title="warp instructions", rangemode="tozero")
    figure.update_yaxes(title="", autorange="reversed", type="category")
    return figure


def limit_rows(occupancy: Occupancy) -> tuple[tuple[str, int, bool], ...]:
    """Each resource, the blocks an SM could hold by it alone, and whether it binds."""
    return tuple(
        (name, getattr(occupancy, f"limit_{name}"), _binds(name, occupancy)) for name in _LIMITS
    )


def _binds(name: str, occupancy: Occupancy) -> bool:
    return bool(getattr(occupancy, f"limit_{name}") == occupancy.blocks_per_sm)


def occupancy_chart(run: Run) -> go.Figure:
    """Blocks an SM could hold by each resource alone; the smallest binds.

    Raises:
        ReportError: the run holds no occupancy.
    """
    occupancy = run.occupancy
    if occupancy is None:
        raise ReportError(f"the run of {run.kernel} holds no occupancy; replay it again")
    rows = limit_rows(occupancy)
    figure = make_figure(
        f"Occupancy: {occupancy.warps_per_sm} of {occupancy.max_warps_per_sm} warps an SM",
        height=bars_height(len(rows)),
    )
    figure.add_trace(
        go.Bar(
            orientation="h",
            x=[limit for _, limit, _ in rows],
            y=[name for name, _, _ in rows],
            text=[str(limit) + (" binds" if binds else "") for _, limit, binds in rows],
            marker={"color": [ORANGE if binds else SKY for _, _, binds in rows]},
            hovertemplate="%{y} alone: %{x} blocks an SM<extra></extra>",
        )
    )
    figure.update_xaxes(title="blocks an SM could hold by this alone", rangemode="tozero")
    figure.update_yaxes(title="", autorange="reversed")
    return figure


def stall_reasons(run: Run) -> go.Figure:
    """Warp-cycles an issued instruction by ncu's reason, with cold and with warm caches.

    Raises:
        ReportError: the run holds no predicted time.
    """
    if run.time is None:
        raise ReportError(f"the run of {run.kernel} holds no time; replay it with time=True")
    found = {"cold caches": run.time.cold.stalls, "warm caches": run.time.warm.stalls}
    return draw_stalls(found, "Predicted stall reasons")


def draw_stalls(stalls: Mapping[str, Mapping[str, float]], title: str) -> go.Figure:
    """One bar a reason and thing compared, the largest reason first."""
    names = sorted(
        {name for found in stalls.values() for name in found},
        key=lambda name: -max(found.get(name, 0.0) for found in stalls.values()),
    )
    figure = make_figure(title, height=bars_height(2 * len(names)))
    for (state, found), colour in zip(stalls.items(), (BLUE, ORANGE), strict=False):
        figure.add_trace(
            go.Bar(
                orientation="h",
                name=state,
                x=[found.get(name, 0.0) for name in names],
                y=names,
                marker={"color": colour},
                hovertemplate="%{y}: %{x:.3g} warp-cycles<extra>" + state + "</extra>",
            )
        )
    figure.update_xaxes(title="warp-cycles an issued instruction", rangemode="tozero")
    figure.update_yaxes(title="", autorange="reversed", type="category")
    return figure


def busy_units(run: Run) -> go.Figure:
    """The share of active cycles in which each unit works, warm caches, the busiest first.

    Raises:
        ReportError: the run holds no predicted time.
    """
    if run.time is None:
        raise ReportError(f"the run of {run.kernel} holds no time; replay it with time=True")
    items = sorted(run.time.warm.busy.items(), key=lambda item: -item[1])
    figure = make_figure("Predicted use of each unit, warm caches", height=bars_height(len(items)))
    figure.add_trace(
        go.Bar(
            orientation="h",
            x=[100 * share for _, share in items],
            y=[name.replace("_", " ") for name, _ in items],
            marker={"color": SKY},
            hovertemplate="%{y}: busy in %{x:.3g} % of active cycles<extra></extra>",
        )
    )
    figure.update_xaxes(title="% of active cycles of the busiest SM", range=[0, 100])
    figure.update_yaxes(title="", autorange="reversed", type="category")
    return figure
