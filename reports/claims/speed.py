"""Claims 9, 10 and 16, which only a predicted time can answer."""

from __future__ import annotations

from reports.claims.claim import Answer, Verdict
from reports.claims.counting import barriers_per_block, load_lanes
from reports.claims.evidence import Evidence, memory_command
from reports.times import predicted_us
from simulator.instruction_mix import count_all
from simulator.results import Run
from simulator.verdicts import find_verdicts

NO_TIME = "no predicted time in this run"
_SAME = 0.02  # times that differ by less are called equal


def _ratio(first: Run, second: Run) -> float | None:
    """How many times longer the second takes; None where a time is missing."""
    one, other = predicted_us(first), predicted_us(second)
    return None if one is None or other is None or not one else other / one


def vectorized(evidence: Evidence) -> Answer:
    """Claim 9."""
    tiled, wide = evidence.replay("tiled_gemm"), evidence.replay("vectorized_gemm")
    ratio, lanes = _ratio(tiled, wide), load_lanes(wide)
    more = count_all(wide).executed / count_all(tiled).executed
    counts = f"{lanes:.2g} of 32 lanes load, {more:.2f}x the warp instructions of tiled_gemm"
    verdict = Verdict.OPEN
    if ratio is not None:
        verdict = Verdict.HOLDS if ratio > 1 + _SAME and lanes < 9 else Verdict.FAILS
    return Answer(
        9,
        "vectorized_gemm is slower than tiled_gemm because 3/4 of the lanes idle while it loads.",
        "382.1 us against 327.3 us (1.17x)",
        f"{counts}; " + (NO_TIME if ratio is None else f"{ratio:.2f}x the predicted time"),
        verdict,
        "That three quarters idle is counted; whether this makes it slower needs a time."
        if ratio is None
        else "Judged by the predicted times and by the lanes of its global loads.",
        (memory_command("tiled_gemm"), memory_command("vectorized_gemm")),
    )


def double_buffer(evidence: Evidence) -> Answer:
    """Claim 10."""
    tiled, double = evidence.replay("tiled_gemm"), evidence.replay("double_buffer_gemm")
    ratio = _ratio(double, tiled)
    barriers = [barriers_per_block(run) for run in (tiled, double)]
    counts = f"{barriers[0]:.0f} barriers a warp, then {barriers[1]:.0f}"
    verdict = Verdict.OPEN
    if ratio is not None:
        verdict = Verdict.HOLDS if ratio > 1 + _SAME else Verdict.FAILS
    return Answer(
        10,
        "Double buffering hides the load behind the compute.",
        "1.04x over tiled_gemm",
        f"{counts}; " + (NO_TIME if ratio is None else f"{ratio:.3f}x over tiled_gemm"),
        verdict,
        "Counts show half the barriers; whether a load is hidden is a question of time."
        if ratio is None
        else "Judged by the predicted times.",
        (memory_command("tiled_gemm"), memory_command("double_buffer_gemm")),
    )


def gap(evidence: Evidence) -> Answer:
    """Claim 16: no replay of cuBLAS stands beside it, so parts of the gap cannot be told."""
    run = evidence.replay("register_tiling_gemm")
    causes = [verdict.text for verdict in find_verdicts(run) if verdict.topic == "bank conflicts"]
    return Answer(
        16,
        "Of the 50 % gap to cuBLAS, bank conflicts are about 10 %, pipeline bubbles 15 %, "
        "instruction scheduling 15 to 20 %.",
        "10 %, 15 %, 15-20 %",
        f"{'; '.join(causes) or 'no bank conflicts'} are conflicts; {NO_TIME}"
        if predicted_us(run) is None
        else f"{'; '.join(causes) or 'no bank conflicts'} are conflicts; cuBLAS is not replayed",
        Verdict.OPEN,
        "Counts are no shares of time, and cuBLAS's machine code is not replayed to compare with.",
        (memory_command("register_tiling_gemm"),),
    )
