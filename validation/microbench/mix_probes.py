"""The probes of ``beside.cu`` and ``mixes.cu``."""

from __future__ import annotations

from collections.abc import Iterator

from validation.microbench.probe import CLOCK, Probe

_LOADS = ("w1", "w2", "w2half", "w4", "w4half")
_OUTER = ("4x4_w4_a8", "4x4_w4_a16", "8x4_w4_a8", "8x8_w4_a8", "2x4_w2_a16", "2x2_w2_a16")
_TILES = ("11", "21", "22", "42")
_COPIES = ((0, 0), (0, 8), (0, 16), (0, 32), (1, 16), (2, 16))
_COPY_SHARED_BYTES = 24576


def beside_probes() -> Iterator[Probe]:
    """Loads beside multiply-adds: by one warp of each sub-core, by more, by one sub-core alone."""
    for kind in _LOADS:
        for use in ("", "use"):
            for adds in (2, 4, 6, 8, 10, 12, 16, 24):
                for threads, skip in ((128, 0), (256, 0), (512, 0), (1024, 0), (1024, 3), (256, 3)):
                    name = f"beside_{kind}{use}_{adds}"
                    yield Probe(name, CLOCK, 1, threads, (50, 150), skip)
    for shape in _OUTER:
        for threads, skip in ((128, 0), (256, 0), (512, 0), (512, 3)):
            yield Probe(f"outer_{shape}", CLOCK, 1, threads, (20, 60), skip)


def mix_probes(sms: int) -> Iterator[Probe]:
    """Matrix products with their loads, copies with loads, stores and barriers of whole blocks."""
    for tile in _TILES:
        for way in range(5):
            for grid, threads in ((1, 32), (1, 128), (1, 256), (1, 512), (4 * sms, 128)):
                yield Probe(f"tile_{tile}_{way}", CLOCK, grid, threads, (20, 60))
    for kind, loads in _COPIES:
        for copies in (1, 2, 4):
            for threads in (128, 512):
                copy = f"copy_{kind}_{copies}_{loads}_1"
                yield Probe(copy, CLOCK, 1, threads, (20, 60), 4, _COPY_SHARED_BYTES)
    for stores in ("00", "01", "10", "11"):
        for reads in (0, 32):
            for grid, threads in ((1, 32), (1, 256), (1, 1024), (2 * sms, 1024), (4 * sms, 256)):
                for lanes in (1, 4):
                    name = f"quarter_{stores}_{reads}"
                    yield Probe(name, CLOCK, grid, threads, (20, 60), lanes)
