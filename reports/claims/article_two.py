"""Claims 14 and 15: what the kernel of article 2 reads, and whether it is right."""

from __future__ import annotations

import math

from reports.claims.claim import Answer, Verdict, is_near
from reports.claims.counting import ELEMENT_BYTES
from reports.claims.evidence import ARTICLE_TWO_GPU, Evidence, memory_command
from simulator.intensity import thread_bytes

KERNEL = "sgemm_reg_tiled_published"
TILE, PATCH = 32, 16
SMALL = 64  # a size whose every block is replayed, for its results


def read_once(evidence: Evidence, edge: int = 1024) -> Answer:
    """Claim 14: per thread, and for all threads of a block together."""
    run = evidence.replay(KERNEL, device=ARTICLE_TWO_GPU)
    blocks, threads, trips = math.prod(run.grid), math.prod(run.block), edge // TILE
    reads = thread_bytes(run) / ELEMENT_BYTES / (blocks * trips)  # of a block for one pair of tiles
    named = TILE * 2 * PATCH  # different elements that one thread names in a trip
    thread, element = reads / threads / named, reads / (2 * TILE * TILE)
    if not is_near(thread, 1):
        verdict = Verdict.FAILS
    else:
        verdict = Verdict.HOLDS if is_near(element, 1) else Verdict.PER_THREAD
    return Answer(
        14,
        "Article 2: each shared element is read once.",
        "1 read",
        f"{thread:.3g} read{'s' * (thread != 1)} of each element a thread names; "
        f"{element:,.4g} reads a block for each element of its two tiles",
        verdict,
        "A thread keeps what it read in registers, but the threads of a row or column of the block "
        "each read the same elements again.",
        (memory_command(KERNEL, device=ARTICLE_TWO_GPU),),
    )


def correct(evidence: Evidence) -> Answer:
    """Claim 15: findings of the checks, and results of a small problem whose inputs are ones."""
    run = evidence.replay(KERNEL, device=ARTICLE_TWO_GPU)
    wrong, total = evidence.wrong_outputs(KERNEL, SMALL, ARTICLE_TWO_GPU, SMALL)
    checks = sorted({finding.check for finding in run.findings})
    count = sum(finding.count for finding in run.findings)
    named = f" ({', '.join(checks)})" if checks else ""
    right = not wrong and not count
    return Answer(
        15,
        "Article 2: the kernel is correct.",
        "correct",
        f"{count:,} findings{named}; at {SMALL}x{SMALL}x{SMALL} {wrong:,} of {total:,} elements "
        "are wrong",
        Verdict.HOLDS if right else Verdict.FAILS,
        "Nothing was found and every element is right."
        if right
        else "It fills a quarter of each tile, reads far behind its tiles, and neighbouring "
        "threads overwrite each other's results.",
        (
            memory_command(KERNEL, device=ARTICLE_TWO_GPU),
            memory_command(KERNEL, SMALL, ARTICLE_TWO_GPU, "all"),
        ),
    )
