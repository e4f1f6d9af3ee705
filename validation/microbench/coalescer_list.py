"""The launches of ``coalescer.cu``: ``python -m validation.microbench.coalescer_list > LIST``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simulator.pages import run_script

SM_COUNT = 16
PHASES, INTERVAL = 256, 3000
WARM, COLD = "warm", "cold"
ALL = 15  # sectors
Shots = Sequence[tuple[int, int, int, int, int]]  # SM, warp, kind, sectors, delay


def line(
    label: str, heat: str, shots: Shots, lines: int = 1, background: int = 0, again: int = 0
) -> str:
    """One launch as the program reads it."""
    latest = max(shot[-1] for shot in shots)
    phases = PHASES if lines <= 4 and latest < INTERVAL else PHASES // 4
    interval = (INTERVAL if lines <= 16 else 3 * INTERVAL) + (latest if latest > 600 else 0)
    words = [":".join(map(str, shot)) for shot in shots]
    head = f"{label}-{heat} {heat} {lines} {phases} {interval} {background} {again}"
    return " ".join([head, *words])


def delays() -> Iterator[str]:
    """Two SMs, the second one late."""
    for other in (1, 9):
        for late in range(-200, 1001, 25):
            yield line(
                f"delay-0,{other}-{late}", WARM, [(0, 0, 0, ALL, 0), (other, 0, 0, ALL, late)]
            )
        for late in range(0, 2001, 50):
            yield line(
                f"delay-0,{other}-{late}", COLD, [(0, 0, 0, ALL, 0), (other, 0, 0, ALL, late)]
            )


def crowds() -> Iterator[str]:
    """Pairs of SMs, then more and more, at once or one after the other."""
    pairs = [(0, n) for n in range(1, SM_COUNT)] + [(n, n + 1) for n in range(1, SM_COUNT - 1)]
    for heat in (WARM, COLD):
        for a, b in pairs:
            yield line(f"pair-{a},{b}", heat, [(a, 0, 0, ALL, 0), (b, 0, 0, ALL, 0)])
        for count in range(1, SM_COUNT + 1):
            yield line(f"crowd-{count}-0", heat, [(n, 0, 0, ALL, 0) for n in range(count)])
        for count in (3, 4, 5, 6, 8, 12, 16):
            for apart in (15, 40, 100, 150):
                shots = [(n, 0, 0, ALL, apart * n) for n in range(count)]
                yield line(f"crowd-{count}-{apart}", heat, shots)


def floods() -> Iterator[str]:
    """Many lines in flight at once."""
    for heat in (WARM, COLD):
        for lines in (1, 4, 16, 64):
            for count in (2, 4, 16):
                for late in (0, 100, 300):
                    shots = [(n, 0, 0, ALL, late * (n > 0)) for n in range(count)]
                    yield line(f"flood-{lines}-{count}-{late}", heat, shots, lines)
    for flight in (4, 16, 64):
        for late in range(0, 601, 50):
            shots = [(0, 0, 0, ALL, 0), (1, 0, 0, ALL, late)]
            yield line(f"busy-{flight}-{late}", WARM, shots, background=flight)


def kinds() -> Iterator[str]:
    """Other sectors of the line, other instructions, and two warps of one SM."""
    masks = [(15, 15), (1, 1), (15, 1), (1, 15), (3, 1), (1, 3), (3, 6), (1, 2), (1, 8), (3, 12)]
    for heat in (WARM, COLD):
        for late in (0, 60):
            for a, b in masks:
                shots = [(0, 0, 0, a, 0), (1, 0, 0, b, late)]
                yield line(f"mask-{a},{b}-{late}", heat, shots)
                for kind in (0, 1, 2, 3):
                    shots = [(0, 0, kind, a, 0), (0, 1, kind, b, late)]
                    yield line(f"same-{kind}-{a},{b}-{late}", heat, shots)
            for a in range(4):
                for b in range(4):
                    shots = [(0, 0, a, ALL, 0), (1, 0, b, ALL, late)]
                    yield line(f"kind-{a},{b}-{late}", heat, shots)


LATER = (300, 400, 500, 600, 700, 800, 1000, 1500, 2000, 3000, 5000, 10000, 20000, 50000)


def returns() -> Iterator[str]:
    """A line that was asked for before, by this group of SMs or by another."""
    for later in LATER:
        for apart in (0, 100):
            shots = [(0, 0, 0, ALL, 0), (1, 0, 0, ALL, later), (2, 0, 0, ALL, later + apart)]
            yield line(f"later-{later}-{apart}", WARM, shots)
        shots = [(0, 0, 1, ALL, 0), (0, 1, 1, ALL, later), (1, 0, 1, ALL, later + 100)]
        yield line(f"self-{later}", WARM, shots)
        shots = [(n, 0, 0, ALL, 0) for n in range(4)]
        shots += [(4, 0, 0, ALL, later), (5, 0, 0, ALL, later + 100)]
        yield line(f"full-{later}", WARM, shots)
    for later in (300, 400, 500, 600, 700, 800):
        shots = [(n, 0, 0, ALL, 0) for n in range(4)]
        shots += [(4, 0, 0, ALL, 250), (5, 0, 0, ALL, later)]
        yield line(f"second-{later}", WARM, shots)
    for again in (1, 2, 4, 8, 16, 64):
        for kind in (1, 2):
            shots = [(0, 0, kind, ALL, 0), (1, 0, kind, ALL, 100)]
            yield line(f"again-{again}-{kind}", WARM, shots, again=again)
    for flight in (16, 64):
        for later in (700, 1000, 2000, 5000, 20000):
            shots = [(0, 0, 0, ALL, 0), (1, 0, 0, ALL, later), (2, 0, 0, ALL, later + 100)]
            yield line(f"busylater-{flight}-{later}", WARM, shots, background=flight)
    for before in (0, 100, 300, 700, 1500, 5000):
        shots = [(16, 0, 0, ALL, 0), (0, 0, 0, ALL, before), (1, 0, 0, ALL, before + 100)]
        yield line(f"other-{before}", WARM, shots)


def copies() -> Iterator[str]:
    """Asynchronous copies past L1 to targets that do and do not keep to sectors."""
    for kind in (3, 4):
        for mask in (1, 2, 3, 4, 8, 12, 6, 15):
            yield line(f"copy-{kind}-{mask}", WARM, [(0, 0, kind, mask, 0)])
            for late in (0, 60):
                shots = [(0, 0, kind, mask, 0), (1, 0, kind, mask, late)]
                yield line(f"copies-{kind}-{mask}-{late}", WARM, shots)
        for late in (0, 60):
            shots = [(0, 0, 0, ALL, 0), (1, 0, kind, ALL, late)]
            yield line(f"mixed-{kind}-{late}", WARM, shots)


BEFORE = (
    "MT", "MTS", "MR", "MRS", "MRM", "MRA", "MTR", "MTRM", "MTA", "TMA", "MW", "MWM", "MH", "MHR",
    "Mt", "tM", "MTRTM",
)  # fmt: skip
AGAIN = "MRS"  # follows a launch like it


def seconds() -> Iterator[str]:
    """What makes lines new or old for a launch, and when reads of old ones are shared."""
    for before in BEFORE:
        for late in (30, 200):
            yield line(f"before-{late}", before, [(0, 0, 0, ALL, 0), (9, 0, 0, ALL, late)])
    for late in (*range(0, 121, 5), *range(140, 401, 20), 500, 700, 1000):
        yield line(f"old-0,9-{late}", AGAIN, [(0, 0, 0, ALL, 0), (9, 0, 0, ALL, late)])
    for late in (0, 10, 20, 40, 60, 80, 100, 200):
        yield line(f"old-0,1-{late}", AGAIN, [(0, 0, 0, ALL, 0), (1, 0, 0, ALL, late)])
    for late in range(0, 121, 10):
        shots = [(0, 0, 0, ALL, 0), (5, 0, 0, ALL, 1500), (9, 0, 0, ALL, 1500 + late)]
        yield line(f"third-{late}", WARM, shots)
    for count in (4, 8, 16):
        for apart in (0, 5, 10, 15, 25, 40, 100):
            shots = [(n, 0, 0, ALL, apart * n) for n in range(count)]
            yield line(f"old-crowd-{count}-{apart}", AGAIN, shots)


TURNS = (
    (15, 3, 15, 3), (3, 12, 3, 12), (15, 3, 3, 15), (3, 12, 12, 3), (15, 1, 15, 15), (3, 6, 3, 6),
    (3, 3, 12, 12), (12, 15, 15, 12), (3, 12, 15, 3),
)  # fmt: skip


def turns() -> Iterator[str]:
    """Four SMs that ask for one line's sectors in turn, and SMs that ask twice each."""
    for before in (WARM, AGAIN):
        for apart in (0, 4, 10, 40, 100):
            for masks in TURNS:
                shots = [
                    (sm, 0, 0, mask, apart * n)
                    for n, (sm, mask) in enumerate(zip((0, 4, 9, 13), masks, strict=True))
                ]
                yield line(f"turns-{','.join(map(str, masks))}-{apart}", before, shots)
            for a, b in ((3, 12), (1, 14)):
                shots = [
                    (sm, warp, 0, mask, apart * n + 2 * warp)
                    for n, sm in enumerate((0, 4, 9, 13))
                    for warp, mask in enumerate((a, b))
                ]
                yield line(f"both-{a},{b}-{apart}", before, shots)


def main() -> None:
    """Print every launch."""
    for part in (delays, crowds, floods, kinds, returns, copies, seconds, turns):
        for text in part():
            print(text)


if __name__ == "__main__":
    run_script(main)
