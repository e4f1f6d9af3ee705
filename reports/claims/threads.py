"""Claims 1 to 4: what a thread reads of shared memory for its arithmetic."""

from __future__ import annotations

from reports.claims.claim import Answer, Verdict, is_near, judge_levels
from reports.claims.counting import (
    flop_per_byte_thread,
    flop_per_byte_warp,
    reads_per_fma_thread,
    wavefronts_per_fma_warp,
)
from reports.claims.evidence import Evidence, memory_command


def _why(verdict: Verdict, thread: float, warp: float) -> str:
    if verdict is Verdict.HOLDS:
        return "Counted per thread and per warp alike."
    if verdict is Verdict.FAILS:
        return "Not even the bytes that loads return to each lane come to that."
    share = thread / warp
    if share < 1:
        return (
            f"Lanes that read one word share a wavefront: a warp takes {share:.0%} of the "
            "bandwidth that its lanes' bytes come to."
        )
    return (
        "A wavefront takes the time of 128 bytes however few it delivers: with bank conflicts and "
        f"banks that idle, a warp takes {share:.2g} times the bandwidth that its lanes' bytes come "
        "to."
    )


def _intensity(evidence: Evidence, number: int, claim: str, kernel: str, value: float) -> Answer:
    run = evidence.replay(kernel)
    thread, warp = flop_per_byte_thread(run), flop_per_byte_warp(run)
    verdict = judge_levels(thread, warp, value)
    return Answer(
        number,
        claim,
        f"{value:g} FLOP/byte",
        f"{thread:.3g} FLOP/byte per thread, {warp:.3g} per warp",
        verdict,
        _why(verdict, thread, warp),
        (memory_command(kernel),),
    )


def tiled(evidence: Evidence) -> Answer:
    """Claim 1."""
    claim = "The inner loop of tiled_gemm does 2 FLOP for 8 bytes of shared memory."
    return _intensity(evidence, 1, claim, "tiled_gemm", 0.25)


def tile_of_four(evidence: Evidence) -> Answer:
    """Claim 2."""
    claim = "A 4x4 register tile reaches 1.0 FLOP per byte of shared memory."
    return _intensity(evidence, 2, claim, "register_tiled_gemm", 1.0)


def tile_of_eight(evidence: Evidence) -> Answer:
    """Claim 3."""
    claim = "An 8x8 register tile does 64 FMA for 16 elements: reuse 4, 2.0 FLOP per byte."
    return _intensity(evidence, 3, claim, "register_tiling_gemm", 2.0)


def coarsening(evidence: Evidence) -> Answer:
    """Claim 4: the reads of four multiply-adds, before and after coarsening."""
    plain, coarse = evidence.replay("tiled_gemm"), evidence.replay("coarse_gemm")
    before, after = (4 * reads_per_fma_thread(run) for run in (plain, coarse))
    warp = [4 * wavefronts_per_fma_warp(run) for run in (plain, coarse)]
    holds = is_near(before, 8) and is_near(after, 5)
    why = (
        "As's element is kept for all four multiply-adds."
        if holds
        else "The loop over j stands outside the loop over k, so As is read again for every j: "
        "the source names an element of As and one of Bs for each multiply-add."
    )
    return Answer(
        4,
        "Coarsening by 4 cuts the shared reads of 4 FMA from 8 to 5.",
        "8 reads, then 5",
        f"{before:.3g} reads a thread, then {after:.3g}; "
        f"{warp[0]:.3g} wavefronts a warp, then {warp[1]:.3g}",
        Verdict.HOLDS if holds else Verdict.FAILS,
        why,
        (memory_command("tiled_gemm"), memory_command("coarse_gemm")),
    )
