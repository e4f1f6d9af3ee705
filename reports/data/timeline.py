"""The timeline of one SM as a grid: what each warp does in each cycle of a short window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from simulator.results import InstructionRecord, Issue, Run, Timeline

# What a cycle of a warp can be, in the order of the legend; reasons that ncu tells apart and that
# hold a warp back in one place share a state.
ISSUES = "issues"
STATES = (
    ISSUES,
    "wait",
    "short scoreboard",
    "long scoreboard",
    "barrier",
    "MIO or LG throttle",
    "math pipe or dispatch",
    "not selected",
)
_STATE_OF = {
    "wait": "wait",
    "branch_resolving": "wait",
    "no_instruction": "wait",
    "imc_miss": "wait",
    "drain": "wait",
    "membar": "wait",
    "short_scoreboard": "short scoreboard",
    "long_scoreboard": "long scoreboard",
    "barrier": "barrier",
    "mio_throttle": "MIO or LG throttle",
    "lg_throttle": "MIO or LG throttle",
    "math_pipe_throttle": "math pipe or dispatch",
    "dispatch_stall": "math pipe or dispatch",
    "not_selected": "not selected",
}


@dataclass(frozen=True)
class Mark:
    """One issue inside the window: ``story`` names instruction, line and what came before."""

    warp: int
    cycle: int
    story: str


@dataclass(frozen=True)
class Lanes:
    """``states`` are numbers of STATES by warp and cycle, None where the warp is not there.

    Cycles count from the window's start.
    """

    labels: tuple[str, ...]
    states: list[list[int | None]]
    marks: tuple[Mark, ...]
    timeline: Timeline

    def shares(self) -> dict[str, float]:
        """The part of all warp-cycles that each state takes."""
        counts = Counter(state for row in self.states for state in row if state is not None)
        total = sum(counts.values()) or 1
        return {name: counts[n] / total for n, name in enumerate(STATES)}

    @property
    def issue_share(self) -> float:
        """The part of the cycles of the SM's four schedulers in which an instruction issues."""
        cycles = 4 * (self.timeline.end - self.timeline.start)
        return len(self.marks) / cycles if cycles else 0.0


def timeline_lanes(run: Run, timeline: Timeline) -> Lanes:
    """The window of a run's time."""
    length = timeline.end - timeline.start
    states: list[list[int | None]] = [[None] * length for _ in timeline.warps]
    records = {record.index: record for record in run.instructions}
    marks = []
    for issue in timeline.issues:
        for cycle, state in _cycles(issue):
            place = cycle - timeline.start
            if 0 <= place < length:
                states[issue.warp][place] = STATES.index(state)
        if issue.cycle < timeline.end:
            story = _story(records[issue.instruction], issue)
            marks.append(Mark(issue.warp, issue.cycle - timeline.start, story))
    labels = tuple(f"block {block} warp {warp}" for block, warp in timeline.warps)
    return Lanes(labels, states, tuple(marks), timeline)


def _cycles(issue: Issue) -> Iterator[tuple[int, str]]:
    """The cycles of an issue and of the waits before it."""
    at = issue.cycle - sum(cycles for _, cycles in issue.waits)
    for reason, cycles in issue.waits:
        for cycle in range(at, at + cycles):
            yield cycle, _STATE_OF[reason]
        at += cycles
    yield issue.cycle, ISSUES


def _story(record: InstructionRecord, issue: Issue) -> str:
    line = f"line {record.source_line}: " if record.source_line else ""
    waits = ", ".join(f"{cycles} {reason}" for reason, cycles in issue.waits)
    return f"{line}{record.sass}" + (f"<br>after {waits}" if waits else "")
