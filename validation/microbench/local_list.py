"""The launches of ``local.cu``: ``python -m validation.microbench.local_list > LIST``."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.pages import run_script

ROWS, LANES, HALVES, SHIFTS, SORTS = range(5)  # ways
SIZES = ((1, 1), (1, 8), (2, 8), (4, 8), (8, 8), (1, 32))  # blocks an SM, warps
WORDS = (4, 16, 24, 64)
TURNS = 8


def launches() -> Iterator[str]:
    """All launches."""
    for way in (ROWS, LANES, HALVES, SHIFTS, SORTS):
        for words in WORDS:
            for blocks, warps in SIZES:
                for stream in (0, 4):
                    label = f"way{way}-w{words}-b{blocks}x{warps}-s{stream}"
                    yield f"{label} {way} {words} {blocks} {warps} {TURNS} {stream}"


def main() -> None:
    """Print every launch."""
    for text in launches():
        print(text)


if __name__ == "__main__":
    run_script(main)
