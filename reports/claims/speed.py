"""Claims 9, 10 and 16, which only a predicted time can answer."""

from __future__ import annotations

from reports.claims.claim import Answer, Verdict
from reports.claims.counting import barriers_per_block, load_lanes
from reports.claims.evidence import Evidence, memory_command, time_command
from reports.times import Ratio, predicted_ratio
from simulator.instruction_mix import count_all
from simulator.verdicts import find_verdicts

NO_TIME = "no predicted time in this run"


def _judge(ratio: Ratio | None, holds: bool) -> Verdict:
    """A verdict only where the predicted times are further apart than they are uncertain."""
    if ratio is None or not ratio.certain:
        return Verdict.OPEN
    return Verdict.HOLDS if holds else Verdict.FAILS


def _found(ratio: Ratio | None, what: str) -> str:
    return NO_TIME if ratio is None else f"{ratio.value:.3g}x {what}, predicted with warm caches"


def _why(ratio: Ratio | None, counted: str) -> str:
    if ratio is None:
        return f"{counted}; the rest needs a time."
    if not ratio.certain:
        return f"{counted}; the predicted times differ by less than they are uncertain."
    return f"{counted}; the predicted times are further apart than they are uncertain."


def vectorized(evidence: Evidence) -> Answer:
    """Claim 9."""
    tiled, wide = (evidence.replay(name, time=True) for name in ("tiled_gemm", "vectorized_gemm"))
    ratio, lanes = predicted_ratio(tiled, wide), load_lanes(wide)
    more = count_all(wide).executed / count_all(tiled).executed
    counts = f"{lanes:.2g} of 32 lanes load, {more:.2f}x the warp instructions of tiled_gemm"
    return Answer(
        9,
        "vectorized_gemm is slower than tiled_gemm because 3/4 of the lanes idle while it loads.",
        "382.1 us against 327.3 us (1.17x)",
        f"{counts}; {_found(ratio, 'the time')}",
        _judge(ratio, ratio is not None and ratio.value > 1 and lanes < 9),
        _why(ratio, "How many lanes load is counted"),
        (time_command("tiled_gemm"), time_command("vectorized_gemm")),
    )


def double_buffer(evidence: Evidence) -> Answer:
    """Claim 10."""
    names = ("tiled_gemm", "double_buffer_gemm")
    tiled, double = (evidence.replay(name, time=True) for name in names)
    ratio = predicted_ratio(double, tiled)
    barriers = [barriers_per_block(run) for run in (tiled, double)]
    return Answer(
        10,
        "Double buffering hides the load behind the compute.",
        "1.04x over tiled_gemm",
        f"{barriers[0]:.0f} barriers a warp, then {barriers[1]:.0f}; {_found(ratio, 'as fast')}",
        _judge(ratio, ratio is not None and ratio.value > 1),
        _why(ratio, "How many barriers there are is counted"),
        (time_command("tiled_gemm"), time_command("double_buffer_gemm")),
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
        f"{'; '.join(causes) or 'no shared wavefronts'} are bank conflicts; cuBLAS is not replayed",
        Verdict.OPEN,
        "Counts are no shares of time, and there is no machine code of cuBLAS to compare with.",
        (memory_command("register_tiling_gemm"),),
    )
