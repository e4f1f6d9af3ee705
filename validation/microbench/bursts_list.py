"""The launches of ``bursts.cu``: ``python -m validation.microbench.bursts_list > LIST``."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.pages import run_script

HEATS = ("warm", "cold")
ALL, ONE, PAIR, APART, FOUR, EIGHT = 0xFFFF, 0x1, 0x3, 0x11, 0x1111, 0x5555  # SMs of a group
LOADS = ((1, 1), (8, 1), (32, 1), (32, 2), (32, 4))  # warps, lines of each
DELAYS = (0, 10, 30, 100)
GROUPS = 7  # clusters of 16 that fit the chip at once


def line(
    heat: str, ranks: int, delay: int, loads: tuple[int, int], lines: str, groups: int = 1
) -> str:
    """One launch as the program reads it."""
    warps, each = loads
    label = f"{lines}-{heat}-{groups}x{ranks:x}-{warps}x{each}-{delay}"
    return f"{label} {heat} {groups} {ranks:x} {delay} {warps} {each} {lines}"


def launches() -> Iterator[str]:
    """All launches: SMs that share nothing, everything, and rows and columns."""
    for heat in HEATS:
        for loads in LOADS:
            for ranks in (ONE, PAIR, APART, FOUR, EIGHT, ALL):
                yield line(heat, ranks, 0, loads, "own")
            for ranks in (PAIR, FOUR, EIGHT, ALL):
                for delay in DELAYS:
                    yield line(heat, ranks, delay, loads, "same")
            for delay in DELAYS:
                yield line(heat, ALL, delay, loads, "grid")
            for kind in ("own", "same", "grid"):
                for delay in DELAYS[::2] if kind != "own" else (0,):
                    yield line(heat, ALL, delay, loads, kind, GROUPS)


def main() -> None:
    """Print every launch."""
    for text in launches():
        print(text)


if __name__ == "__main__":
    run_script(main)
