"""Claims 9 and 10: why a version is slower or faster than another."""

from __future__ import annotations

from reports.claims.claim import NEAR, Answer, Table, Verdict
from reports.claims.counting import (
    barriers_per_block,
    computed_while_loading,
    conflicts,
    idle_lane_instructions,
    load_lanes,
)
from reports.claims.evidence import Evidence, time_command
from reports.markup import Cell
from reports.times import Ratio, predicted_ratio, warm_waits, with_interval
from simulator.instruction_mix import count_all
from simulator.results import Run

NO_TIME = "no predicted time in this run"
_LOAD_WAIT = "long_scoreboard"  # ncu's name for waiting for global memory
_HEAD = (
    "version", "warp instructions", "with idle lanes", "bank conflicts", "barriers a warp",
    "waits for loads", "microseconds (interval)",
)  # fmt: skip


def _found(ratio: Ratio | None, what: str) -> str:
    return NO_TIME if ratio is None else f"{ratio.value:.3g}x {what}, predicted with warm caches"


def vectorized(evidence: Evidence) -> Answer:
    """Claim 9: what differs is counted; whether it is slower is predicted."""
    tiled, wide = (evidence.replay(name, time=True) for name in ("tiled_gemm", "vectorized_gemm"))
    ratio, lanes = predicted_ratio(tiled, wide), load_lanes(wide)
    more = count_all(wide).executed / count_all(tiled).executed
    idle = idle_lane_instructions(wide) / count_all(wide).executed
    return Answer(
        9,
        "vectorized_gemm is slower than tiled_gemm because 3/4 of the lanes idle while it loads.",
        "382.1 us against 327.3 us (1.17x)",
        f"{lanes:.2g} of 32 lanes load; {more:.2f}x the warp instructions, {idle:.0%} of them with "
        f"idle lanes; {_found(ratio, 'the time')}",
        _judge_slower(ratio, lanes),
        _slower_why(ratio, _others_fewer(tiled, wide)),
        (time_command("tiled_gemm"), time_command("vectorized_gemm")),
        _table(tiled, wide),
    )


def _others_fewer(tiled: Run, wide: Run) -> bool:
    """Whether all that one version executes more runs with idle lanes."""
    others = count_all(wide).executed - idle_lane_instructions(wide)
    return others <= count_all(tiled).executed


def _judge_slower(ratio: Ratio | None, lanes: float) -> Verdict:
    if ratio is None or not ratio.certain:
        return Verdict.OPEN
    return Verdict.HOLDS if ratio.value > 1 and lanes <= 8 * (1 + NEAR) else Verdict.FAILS


def _slower_why(ratio: Ratio | None, only_idle: bool) -> str:
    counted = (
        "All instructions that it executes beyond tiled_gemm's run with idle lanes"
        if only_idle
        else "Not all instructions that it executes beyond tiled_gemm's run with idle lanes"
    )
    if ratio is None:
        return f"{counted}; whether that costs time is not predicted in this run."
    if not ratio.certain:
        return (
            f"{counted}, as claimed; but the predicted times differ by less than they are "
            "uncertain, so how much that costs cannot be told."
        )
    return f"{counted}; the predicted times are further apart than they are uncertain."


def double_buffer(evidence: Evidence) -> Answer:
    """Claim 10: what stands between a load and its use is read from the machine code."""
    names = ("tiled_gemm", "double_buffer_gemm")
    tiled, double = (evidence.replay(name, time=True) for name in names)
    ratio, hidden = predicted_ratio(double, tiled), computed_while_loading(double)
    waits = [warm_waits(run, _LOAD_WAIT) for run in (tiled, double)]
    return Answer(
        10,
        "Double buffering hides the load behind the compute.",
        "1.04x over tiled_gemm",
        f"{hidden or 0} multiply-adds between the next tile's loads and the stores that wait for "
        f"them{_waits_words(waits)}; {barriers_per_block(tiled):.0f} barriers a warp, then "
        f"{barriers_per_block(double):.0f}; {_found(ratio, 'as fast')}",
        _judge_hidden(ratio, hidden, waits),
        _hidden_why(hidden, waits),
        (time_command(names[0]), time_command(names[1])),
        _table(tiled, double),
    )


def _waits_words(waits: list[float | None]) -> str:
    before, after = waits
    if before is None or after is None:
        return ""
    return f"; warps wait {after / before:.0%} as long for loads" if before else ""


def _is_shorter(waits: list[float | None]) -> bool:
    before, after = waits
    return before is not None and after is not None and after < (1 - NEAR) * before


def _judge_hidden(ratio: Ratio | None, hidden: int | None, waits: list[float | None]) -> Verdict:
    if not hidden:
        return Verdict.OPEN if _is_shorter(waits) else Verdict.FAILS
    return Verdict.HOLDS if ratio and ratio.certain and ratio.value > 1 else Verdict.OPEN


def _hidden_why(hidden: int | None, waits: list[float | None]) -> str:
    if hidden:
        return "A warp computes on one tile while the loads of the next are under way."
    if _is_shorter(waits):
        return (
            "A warp waits for the next tile before it computes on this one, and yet the model has "
            "its warps wait less."
        )
    return (
        "A warp stores the next tile before it computes on this one, so it first waits for its "
        "loads; what double buffering saves here is a barrier a tile."
    )


def _table(*runs: Run) -> Table:
    rows = tuple(_row(run) for run in runs)
    caption = (
        "Counts of the launch; warp-cycles and time, with its interval, predicted with warm caches"
    )
    return Table(caption, _HEAD, rows)


def _row(run: Run) -> tuple[Cell, ...]:
    waits = warm_waits(run, _LOAD_WAIT)
    time = None if run.time is None else with_interval(run.time.warm)
    return (
        run.kernel,
        count_all(run).executed,
        idle_lane_instructions(run),
        conflicts(run),
        round(barriers_per_block(run)),
        None if waits is None else round(waits),
        time,
    )
