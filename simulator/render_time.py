"""The time page: what a launch takes, where its warps wait, what its resources do."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from simulator.isa.kernel import Instruction
from simulator.results import LaunchTime, Timing
from simulator.timing.gap import Step

_WORST = 8  # instructions shown
_QUIET = ("selected", "not_selected")
# ncu's names of the units in its section "Speed Of Light".
_UNITS = {"sm": "SM", "memory": "memory", "l1": "L1/TEX", "l2": "L2", "dram": "DRAM"}
# Below this share a resource is not worth a line.
_IDLE = 0.02
_RARE = 0.005  # as many warp-cycles an instruction are not shown


def render_time(
    title: str, found: LaunchTime, states: Sequence[str], instructions: Sequence[Instruction]
) -> RenderableType:
    """The page for a predicted launch; ``states`` are "cold", "warm" or both."""
    timings = {state: found.cold if state == "cold" else found.warm for state in states}
    last = timings[states[-1]]
    parts: list[RenderableType] = [Text(title, style="bold"), *_what_if(found)]
    for table in (
        _overview(timings),
        _speed_of_light(last),
        _shares(f"busy ({states[-1]})", last.busy),
        _stalls(states[-1], last),
        _worst(last, instructions),
    ):
        parts += [table, Text()] if table.row_count else []
    notes = [interval_meaning(found)]
    if found.simulated < found.blocks:
        notes.append(simulated_part(found))
    return Group(*parts, *map(Text, notes))


def interval_meaning(found: LaunchTime) -> str:
    """What the interval of a predicted time is worth, in a sentence or two."""
    if found.borrowed:
        return (
            f"{len(found.borrowed)} numbers of the model were measured on another GPU; how wide "
            "the interval is, is an assumption."
        )
    if found.changes:
        return "The interval is that of launches as they are, of which it held four of five."
    return "Four of five times of kernels that nobody had looked at were in the interval."


def simulated_part(found: LaunchTime) -> str:
    """How many of an SM's blocks were simulated, in a sentence."""
    return (
        f"{found.simulated:,} of the busiest SM's {found.blocks:,} blocks simulated, the others at "
        "their pace."
    )


def what_if(found: LaunchTime) -> str:
    """What was changed for a predicted time, empty if nothing was."""
    listed = ", ".join(f"{name}={value:.12g}" for name, value in found.changes.items())
    return f"what if: {listed}" if listed else ""


def _what_if(found: LaunchTime) -> list[RenderableType]:
    return [Text(what_if(found))] if found.changes else []


def render_gap(title: str, steps: Sequence[Step], state: str) -> RenderableType:
    """The same launch with one cost less a row; ``state`` is "cold" or "warm"."""
    table = Table(f"caches {state}", "time us", "faster", "issue", "busiest", box=None)
    times = [step.time.cold if state == "cold" else step.time.warm for step in steps]
    for step, timing in zip(steps, times, strict=True):
        busiest, share = max(timing.busy.items(), key=lambda item: item[1])
        gain = times[0].microseconds / timing.microseconds
        table.add_row(
            step.name,
            f"{timing.microseconds:.2f}",
            "" if step is steps[0] else f"{gain:.2f}x",
            f"{timing.issue_utilisation:.0%}",
            f"{busiest} {share:.0%}",
        )
    meanings = [Text(f"{step.name}: {step.meaning}") for step in steps if step.meaning]
    return Group(Text(title, style="bold"), *_what_if(steps[0].time), table, *meanings)


def _overview(timings: dict[str, Timing]) -> Table:
    table = Table("caches", "time us", "interval us", "cycles", "issue", "occupancy", box=None)
    for state, t in timings.items():
        table.add_row(
            state,
            f"{t.microseconds:.2f}",
            f"{t.low_us:.2f} to {t.high_us:.2f}",
            f"{t.cycles_active:,}",
            f"{t.issue_utilisation:.0%}",
            f"{t.achieved_occupancy:.0%}",
        )
    return table


def _speed_of_light(timing: Timing) -> Table:
    table = Table("speed of light", *_UNITS.values(), box=None)
    table.add_row("share of peak", *(f"{timing.speed_of_light[unit]:.0%}" for unit in _UNITS))
    return table


def _shares(title: str, shares: object) -> Table:
    assert isinstance(shares, dict)
    table = Table(title, "share of active cycles", box=None)
    for name, share in sorted(shares.items(), key=lambda item: -item[1]):
        if share >= _IDLE:
            table.add_row(name, f"{share:.0%}")
    return table


def _stalls(state: str, timing: Timing) -> Table:
    table = Table(f"stall ({state})", "warp-cycles an instruction", box=None)
    for name, cycles in sorted(timing.stalls.items(), key=lambda item: -item[1]):
        if cycles >= _RARE:
            table.add_row(name, f"{cycles:.2f}")
    return table


def _worst(timing: Timing, instructions: Sequence[Instruction]) -> Table:
    table = Table("where warps wait", "line", "share", "reason", box=None)
    waits = {
        index: {name: n for name, n in row.items() if name not in _QUIET}
        for index, row in timing.instruction_stalls.items()
    }
    total = sum(sum(row.values()) for row in waits.values()) or 1
    for index, row in sorted(waits.items(), key=lambda item: -sum(item[1].values()))[:_WORST]:
        if row:
            reason = max(row, key=lambda name: row[name])
            code, line = instructions[index].text, instructions[index].source
            share = f"{sum(row.values()) / total:.0%}"
            table.add_row(Text(code), str(line.line) if line else "?", share, reason)
    return table
