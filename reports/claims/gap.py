"""Claim 16: where the time between the article's best kernel and the library goes."""

from __future__ import annotations

from reports.claims.claim import Answer, Table, Verdict
from reports.claims.evidence import ARTICLE_ONE_GPU, Evidence, memory_command, time_command
from reports.data.ladder import tflops
from reports.markup import Cell
from simulator.results import Roof, Run
from simulator.roofline import find_roofline
from validation.published import load_published

_KERNEL = "register_tiling_gemm"
_EDGE = {"m": 2048, "n": 2048, "k": 2048}
_NO_CONFLICTS = "bank_conflicts"
_CLAIMED = 0.10
_FACTOR = 1.5  # a share claimed as "about" is right within this factor


def gap(evidence: Evidence) -> Answer:
    """What-ifs part the predicted time; without cuBLAS's machine code the rest stays open."""
    run = evidence.replay(_KERNEL)
    usual = evidence.predict(_KERNEL, {}).microseconds
    without = evidence.predict(_KERNEL, {_NO_CONFLICTS: 0.0}).microseconds
    share = 1 - without / usual
    agrees = _CLAIMED / _FACTOR <= share <= _CLAIMED * _FACTOR
    return Answer(
        16,
        "Of the 50 % gap to cuBLAS, bank conflicts are about 10 %, pipeline bubbles 15 %, "
        "instruction scheduling 15 to 20 %.",
        "10 %, 15 %, 15-20 %",
        f"without bank conflicts {without:,.0f} us instead of {usual:,.0f} us, {share:.0%} of the "
        "time, predicted with warm caches; bubbles and scheduling are not told apart",
        Verdict.OPEN if agrees else Verdict.FAILS,
        _why(agrees),
        (
            time_command(_KERNEL),
            time_command(_KERNEL, f"{_NO_CONFLICTS}=0"),
            memory_command(_KERNEL),
        ),
        _table(run, usual, without),
    )


def _why(agrees: bool) -> str:
    if agrees:
        return (
            "The share of bank conflicts is near the article's; what is left is no sum of two "
            "parts, since a cycle in which nothing issues may be a bubble and bad scheduling alike."
        )
    return "The share of bank conflicts is not what the article says."


def _table(run: Run, usual: float, without: float) -> Table:
    """From the launch as it is to the library: what each step would leave."""
    line = find_roofline(run)
    roofs = {roof.name: roof for roof in line.ranked}

    def bound(*names: str) -> float | None:
        cycles = [_cycles(roofs[name]) for name in names if name in roofs]
        return max(cycles) / line.clock_hz * 1e6 if cycles and line.clock_hz else None

    steps = (
        ("as it is", usual, "predicted"),
        ("without bank conflicts", without, "predicted, what-if"),
        ("everything overlaps perfectly", bound(*roofs), "longest roof"),
        ("an instruction issues in every cycle", bound("issue"), "roof of the issue slots"),
        ("FP32 units always busy", bound("FP32"), "roof of the FP32 units"),
        ("cuBLAS", _library_us(), "published"),
    )
    rows = tuple(_row(name, us, source) for name, us, source in steps)
    return Table("From the kernel to the library", ("step", "us", "TFLOPS", "from"), rows)


def _cycles(roof: Roof) -> float:
    assert roof.cycles is not None  # ranked roofs have cycles
    return roof.cycles


def _row(name: str, microseconds: float | None, source: str) -> tuple[Cell, ...]:
    if microseconds is None:
        return name, None, None, source
    return name, round(microseconds, 1), round(tflops(_EDGE, microseconds), 1), source


def _library_us() -> float | None:
    published = load_published(ARTICLE_ONE_GPU)
    times = [t for r in (published.references if published else ()) for t in r.warm_us]
    return min(times, default=None)
