"""Claim 16: where the time between the article's best kernel and the library goes."""

from __future__ import annotations

from collections.abc import Mapping

from reports.claims.claim import Answer, Table, Verdict
from reports.claims.evidence import ARTICLE_ONE_GPU, Evidence, memory_command, time_command
from reports.data.ladder import tflops
from reports.markup import Cell
from reports.times import with_interval
from simulator.results import Run, Timing
from simulator.roofline import find_roofline
from validation.published import load_published

_KERNEL = "register_tiling_gemm"
_EDGE = {"m": 2048, "n": 2048, "k": 2048}
_USUAL = "as it is"
# What the article names, the step that takes it away, and the share of the time it is said to be.
_PARTS = (
    ("bank conflicts", "no bank conflicts", 0.08, 0.12),
    ("pipeline bubbles", "perfect overlap", 0.12, 0.18),
    ("instruction scheduling", "perfect issue", 0.15, 0.20),
)
_SLACK = 0.03  # of the time: shares of "about" so much are no sharper than that


def gap(evidence: Evidence) -> Answer:
    """Each cost is taken away by itself; the shares need not add up, as costs hide each other."""
    run, times = evidence.replay(_KERNEL), evidence.gap(_KERNEL)
    shares = [_share(times, step) for _, step, _, _ in _PARTS]
    near = [
        low - _SLACK <= share <= high + _SLACK
        for share, (_, _, low, high) in zip(shares, _PARTS, strict=True)
    ]
    said = ", ".join(
        f"{share:.0%} without {name}" for share, (name, _, _, _) in zip(shares, _PARTS, strict=True)
    )
    return Answer(
        16,
        "Of the 50 % gap to cuBLAS, bank conflicts are about 10 %, pipeline bubbles 15 %, "
        "instruction scheduling 15 to 20 %.",
        "10 %, 15 %, 15-20 %",
        f"less time, predicted with warm caches, each by itself: {said}; "
        f"{_share(times, 'all three'):.0%} without all three",
        Verdict.HOLDS if all(near) else Verdict.FAILS,
        _why(near),
        (
            time_command(_KERNEL),
            time_command(_KERNEL, "bank_conflicts=0"),
            time_command(_KERNEL, "waits=0"),
            time_command(_KERNEL, "stall_counts=0", "register_banks=0", "taken_branches=0"),
            memory_command(_KERNEL),
        ),
        _table(run, times),
    )


def _share(times: Mapping[str, Timing], step: str) -> float:
    return 1 - times[step].microseconds / times[_USUAL].microseconds


def _why(near: list[bool]) -> str:
    if all(near):
        return "Taken away one by one, the three cost about what the article says."
    right = [name for is_near, (name, *_) in zip(near, _PARTS, strict=True) if is_near]
    others = [name for is_near, (name, *_) in zip(near, _PARTS, strict=True) if not is_near]
    agrees = f"The share of {' and '.join(right)} is about the article's; " if right else ""
    return (
        f"{agrees}that of {' and '.join(others)} is not (bubbles: waits for results and barriers; "
        "scheduling: stall counts, register banks and branches)."
    )


def _table(run: Run, times: Mapping[str, Timing]) -> Table:
    """From the launch as it is to the library: what each step would leave."""
    line = find_roofline(run)
    cycles = max((roof.cycles or 0 for roof in line.ranked), default=0)
    bound = cycles / line.clock_hz * 1e6 if line.clock_hz and cycles else None
    rows = [
        _row(_step(name), time.microseconds, f"predicted: {with_interval(time)}")
        for name, time in times.items()
    ]
    rows.append(_row("roofline of the kernel as it is", bound, "counted"))
    rows.append(_row("cuBLAS", _library_us(), "published"))
    return Table("From the kernel to the library", ("step", "us", "TFLOPS", "from"), tuple(rows))


def _step(name: str) -> str:
    """The step with what the article calls the cost that it takes away."""
    said = {step: f"{step} ({part})" for part, step, _, _ in _PARTS if part not in step}
    return said.get(name, name)


def _row(name: str, microseconds: float | None, source: str) -> tuple[Cell, ...]:
    if microseconds is None:
        return name, None, None, source
    return name, round(microseconds, 1), round(tflops(_EDGE, microseconds), 1), source


def _library_us() -> float | None:
    published = load_published(ARTICLE_ONE_GPU)
    times = [t for r in (published.references if published else ()) for t in r.warm_us]
    return min(times, default=None)
