"""The probes of ``tensor.cu``, ``chip.cu``, ``flow.cu`` and ``start.cu``."""

from __future__ import annotations

from collections.abc import Iterator

from validation.microbench.probe import CLOCK, PROFILE, TIME, TRIPS, Probe

_TENSOR_KINDS = ("f16", "f16k8", "f16acc", "bf16", "tf32", "int8")


def tensor_probes() -> Iterator[Probe]:
    """Matrix products, matrix loads, asynchronous copies."""
    for kind in _TENSOR_KINDS:
        for chains in (1, 2, 8):
            for threads in (32, 128, 256, 512, 1024):
                yield Probe(f"mma_{kind}_{chains}", CLOCK, 1, threads, (50, 150))
    for tiles in (1, 2, 4):
        for name in ("ldsm_chain", "ldsm"):
            for threads in (32, 128, 512):
                yield Probe(f"{name}_{tiles}", CLOCK, 1, threads, (50, 150))
    for name in ("cg_wait_1", "cg_wait_4", "cg_wait_8", "cg_8", "ca_wait_1", "ca_wait_4", "ca_8"):
        for grid, threads in ((1, 32), (1, 128), (1, 512), (132, 512)):
            yield Probe(f"cp_{name}", CLOCK, grid, threads, (50, 150), 4, threads * 16)
    for name in ("ca4_wait_1", "ca4_wait_4", "ca4_8"):
        for grid, threads in ((1, 32), (1, 128), (1, 512), (132, 512)):
            yield Probe(f"cp_{name}", CLOCK, grid, threads, (50, 150), 1, threads * 16)
    for grid, threads in ((1, 32), (1, 128), (132, 128)):
        yield Probe("cp_reuse", CLOCK, grid, threads, (50, 150), 3, threads * 16)


def atomic_probes(sms: int) -> Iterator[Probe]:
    """Reductions: by how a request's lanes meet, and over how many lines they spread."""

    def red(mode: int, lines: int, step: int = 0, grid: int = sms, kind: str = "red_u32") -> Probe:
        parameter = 10000 * mode + 100 * lines + step
        return Probe(f"{kind}_{mode}", CLOCK, grid, 256, (20, 80), parameter)

    for lines in (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17):
        yield red(0, lines)
    for step in range(1, 14):
        yield red(0, 4, step)
    for step in range(1, 8):
        yield red(0, 1, step)
    for mode in (1, 2, 3, 4, 5, 6):
        for lines in (0, 2, 3, 5, 8, 11, 14):
            yield red(mode, lines)
    for mode in range(7):
        for lines in (0, 3, 14):
            yield red(mode, lines, grid=1)
    for grid in (8, 33, 66):
        for mode, lines in ((0, 0), (2, 3), (2, 14), (0, 14)):
            yield red(mode, lines, grid=grid)
    for kind in ("red_f32", "atom_u32"):
        for mode, lines in ((0, 0), (0, 14), (2, 3), (2, 14), (3, 0), (3, 14)):
            yield red(mode, lines, kind=kind)
            yield red(mode, lines, grid=1, kind=kind)


def stream_probes(sms: int) -> Iterator[Probe]:
    """Streams within L2 and past it, warm and cold; tiles; the start of a launch."""
    for way in (TIME, PROFILE):
        for mix in ("r1w0", "r0w1", "r1w1", "r2w1", "r1w2"):
            yield Probe(f"s16_{mix}", way, 2 * sms, 256, (1,), 32)
            yield Probe(f"s16_{mix}", way, 8 * sms, 256, (1,), 32)
            yield Probe(f"s16_{mix}", way, 8 * sms, 256, (8,), 160)
            yield Probe(f"s4_{mix}", way, 8 * sms, 256, (1,), 32)
            yield Probe(f"s4_{mix}", way, 8 * sms, 256, (4,), 32)
            yield Probe(f"s4_{mix}", way, 8 * sms, 256, (32,), 160)
        for pattern in range(4):
            yield Probe("tiles", way, 4096, 256, (1,), pattern)
            yield Probe("tiles", way, 1024, 256, (1,), pattern)
        for grid, threads in ((1, 32), (sms, 256), (8 * sms, 256)):
            yield Probe("empty", way, grid, threads, (1,))
    for grid, threads in ((1, 32), (1, 256), (sms, 256), (8 * sms, 256)):
        yield Probe("start", PROFILE, grid, threads, (3,))
    for grid in (1, sms, 4 * sms, 8 * sms):
        for p in (1, 7):
            yield Probe("local_sweep", CLOCK, grid, 256, (3, 9), p)
    for size in (128, 512, 1024, 2048, 4096):
        for grid, threads in ((1, 32), (sms, 256)):
            yield Probe(f"straight_{size}", PROFILE, grid, threads, (4,))


def flow_probes() -> Iterator[Probe]:
    """Loops, skipped bodies, lanes that part."""
    for size in (8, 16, 24, 32, 48, 64, 96, 128, 192, 256):
        for threads in (32, 256):
            yield Probe(f"loop_{size}", CLOCK, 1, threads, (100, 300))
    for threads in (32, 256):
        yield from (Probe("skip", CLOCK, 1, threads, (100, 300), p) for p in (0, 15))
        for kind in range(6):
            for p in (0, 8, 16, 32):
                yield Probe(f"part_{kind}", CLOCK, 1, threads, (100, 300), p)
        yield from (Probe("leave", CLOCK, 1, threads, (50, 150), p) for p in (1, 4, 32))
        yield Probe("call", CLOCK, 1, threads, (100, 300))
    yield from (Probe(f"part_{kind}", CLOCK, 1, 1024, (100, 300), 8) for kind in (3, 4, 5))


def start_probes(sms: int) -> Iterator[Probe]:
    """First instructions, warm and cold; sectors from DRAM; reductions on their way; clocks."""
    for way in (TRIPS, PROFILE):
        for grid, threads in ((1, 32), (1, 256), (sms, 32), (sms, 256), (8 * sms, 256)):
            yield Probe("first", way, grid, threads, (12,))
        for step in (1, 2, 4):
            yield Probe("sectors", way, 1, 32, (48,), step)
    for kind in ("lds", "stg", "ldg"):
        for grid, threads in ((1, 32), (1, 64), (1, 128), (1, 256), (sms, 128)):
            yield Probe(f"depth_{kind}", TRIPS, grid, threads, (32,))
    for lanes in (1, 8, 32):
        yield Probe("red_depth", TRIPS, sms, 32, (600,), lanes)
    for trips in (20, 200, 2000):
        for blocks in (1, 8, sms // 4, sms, 2 * sms):
            yield Probe("mma_f16_8", PROFILE, blocks, 256, (trips,))
        yield Probe("mma_bf16_8", PROFILE, 2 * sms, 256, (trips,))
        yield Probe("loop_256", PROFILE, 2 * sms, 256, (trips,))


def policy_probes() -> Iterator[Probe]:
    """In which order warps issue; every warp writes its cycles."""
    for kind in ("ffma", "lds", "mixed", "tiled"):
        for warps in (8, 16, 32):
            yield Probe(f"policy_{kind}", TRIPS, 1, 32 * warps, (warps,))
