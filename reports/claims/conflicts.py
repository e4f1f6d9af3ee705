"""Claims 8 and 13: bank conflicts."""

from __future__ import annotations

from collections.abc import Callable

from reports.claims.claim import Answer, Table, Verdict
from reports.claims.counting import conflicts, ways
from reports.claims.evidence import ARTICLE_TWO_GPU, Evidence, memory_command
from reports.markup import Cell
from simulator.memory.count import count_shared
from simulator.results import Run
from simulator.shared_report import total_shared

_VARIANTS = (
    ("as published", "register_tiling_gemm"),
    ("Bs[8][128+1]", "register_tiling_padded"),
    ("columns in two groups, As transposed", "register_tiling_cured"),
)
_READ_B, _READ_A = "Bs[", "As["


def written_ways(offset_bytes: Callable[[int], int]) -> int:
    """The n-way conflict of one warp that reads a word a lane, as the source is written."""
    return count_shared([offset_bytes(lane) for lane in range(32)]).wavefronts


def padding(evidence: Evidence) -> Answer:
    """Claim 8: the padded variant's counts beside those of one that is cured."""
    runs = [evidence.replay(kernel) for _, kernel in _VARIANTS]
    before, padded, cured = (conflicts(run, _READ_B) for run in runs)
    verdict = Verdict.HOLDS if before and not padded else Verdict.FAILS
    return Answer(
        8,
        "Reading Bs[dot][8*tc+j] at stride 8 conflicts, and declaring Bs[8][128+1] cures it.",
        "conflicts, then none",
        f"as written {written_ways(lambda lane: 4 * 8 * (lane % 16))}-way; as compiled "
        f"{before:,} conflicts of Bs ({ways(runs[0], _READ_B):.2g}-way), padded {padded:,} "
        f"({ways(runs[1], _READ_B):.2g}-way); {_VARIANTS[2][0]}, {cured:,}",
        verdict,
        _padding_why(before, padded),
        tuple(memory_command(kernel) for _, kernel in _VARIANTS),
        _variants(runs),
        charted=True,
    )


def _padding_why(before: int, padded: int) -> str:
    if not before:
        return "The machine code reads Bs without a conflict as it is."
    if not padded:
        return "Padding each row moves the lanes apart."
    return (
        "The lanes of a request read one row of Bs, 8 words apart; padding moves whole rows "
        "against each other and leaves the lanes of a row where they were, and it costs the "
        "wide loads; two groups of four columns a thread, 64 apart, are what cures it."
    )


def _variants(runs: list[Run]) -> Table:
    rows = tuple(_variant(name, run) for (name, _), run in zip(_VARIANTS, runs, strict=True))
    head = ("variant", "requests", "wavefronts", "ideal", "conflicts", "of Bs", "n-way")
    return Table("Shared memory of the three variants, whole launch", head, rows)


def _variant(name: str, run: Run) -> tuple[Cell, ...]:
    totals = total_shared(run)
    counts = (totals.requests, totals.wavefronts, totals.ideal, totals.conflicts)
    return (name, *counts, conflicts(run, _READ_B), f"{totals.ways:.2f}")


def article_two(evidence: Evidence) -> Answer:
    """Claim 13."""
    kernel = "sgemm_reg_tiled_published"
    run = evidence.replay(kernel, device=ARTICLE_TWO_GPU)
    of_a, of_b = conflicts(run, _READ_A), conflicts(run, _READ_B)
    rows, columns = (
        written_ways(lambda lane: 4 * 32 * 16 * (lane // 16)),
        written_ways(lambda lane: 4 * 16 * (lane % 16)),
    )
    found = (
        f"as written, a word a lane, As {rows}-way and Bs {columns}-way; as compiled "
        f"{of_a:,} conflicts reading As ({ways(run, _READ_A):.2g}-way), {of_b:,} reading Bs "
        f"({ways(run, _READ_B):.2g}-way)"
    )
    why = " ".join(
        [
            _array_why("As", of_a, "two rows of threads, 16 rows apart in As"),
            _array_why("Bs", of_b, "16 columns of threads, 16 words apart in Bs"),
        ]
    )
    return Answer(
        13,
        "Article 2: As[16*ty+i][k] and Bs[k][16*tx+j] at fixed k have no bank conflict.",
        "no conflict",
        found,
        Verdict.FAILS if of_a or of_b else Verdict.HOLDS,
        why,
        (memory_command(kernel, device=ARTICLE_TWO_GPU),),
    )


def _array_why(array: str, conflicts_found: int, lanes: str) -> str:
    if conflicts_found:
        return f"{array}: a warp holds {lanes}, different words of the same banks."
    return (
        f"{array}: the compiler reads four words at once, and no phase of those loads meets two "
        "words of one bank."
    )
