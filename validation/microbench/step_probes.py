"""The probes of ``returns.cu``, ``steps.cu`` and ``units.cu``."""

from __future__ import annotations

from collections.abc import Iterator

from validation.microbench.probe import CLOCK, PROFILE, Probe

_LOADS = ("lds", "lds64", "lds128", "same", "same64", "same128", "ldg", "ldg128")
_STEPS = ("l", "ll", "s", "lls", "b", "lb", "llb", "sb", "llsb", "llsbf", "bf", "f", "lsb")


def return_probes() -> Iterator[Probe]:
    """Bursts of loads: by one warp, by two, by those of one sub-core, by all."""
    shapes = ((32, 0), (128, 0), (256, 3), (512, 3), (1024, 3), (256, 0), (1024, 0))
    for kind in _LOADS:
        for loads in (1, 2, 4, 8):
            for adds in (1, 4):
                for threads, skip in shapes:
                    name = f"ret_{kind}_{loads}_{adds}"
                    yield Probe(name, CLOCK, 1, threads, (50, 150), skip)


def step_probes(sms: int) -> Iterator[Probe]:
    """Barriers alone and among loads, trees, scans; long loops; first touches of memory."""
    for threads in (128, 256, 1024):
        for skip in (0, 2, 3):
            yield Probe("meet", CLOCK, 1, threads, (20, 60), skip)
    for loads in (0, 1, 2, 4):
        for threads, skip in ((32, 0), (128, 0), (1024, 0), (1024, 3)):
            yield Probe(f"arrivals_{loads}", CLOCK, 1, threads, (20, 60), skip)
    for kind in _STEPS:
        for branch in (0, 1):
            for grid, threads in ((1, 32), (1, 256), (1, 1024), (8 * sms, 256), (2 * sms, 1024)):
                yield Probe(f"steps_{kind}_{branch}", CLOCK, grid, threads, (20, 60), threads // 2)
    for kind in ("b", "f", "bf", "llsb"):
        for branch in (0, 1):
            for blocks in (1, 2, 3, 4, 6):
                name = f"steps_{kind}_{branch}"
                yield Probe(name, CLOCK, blocks * sms, 256, (20, 60), 128)
    for name in ("tree_halves", "tree_apart", "tree_scan"):
        for grid, threads in ((1, 256), (1, 1024), (8 * sms, 256), (2 * sms, 1024)):
            yield Probe(name, CLOCK, grid, threads, (20, 60))
    for size in (512, 1024, 2048, 4096, 6144, 8192, 12288):
        for grid, threads in ((1, 32), (1, 256), (sms, 256)):
            yield Probe(f"code_{size}", CLOCK, grid, threads, (10, 30))
    for p in (0, 1, 2, 3):
        for grid in (1, 16):
            yield Probe("touch", PROFILE, grid, 32, (grid,), p)


_UNITS = (
    *("ldc", "ldc64", "sm", "warp", "arv", "ldc_sm", "ldc_arv", "sm_arv", "ldc_lds", "sm_lds"),
    *("arv_sts", "arv_lds", "lds_sts", "all"),
)


def unit_probes(sms: int) -> Iterator[Probe]:
    """Constants, special registers and barriers, alone and among loads and stores."""
    for kind in _UNITS:
        for threads, skip in ((32, 0), (128, 0), (512, 3), (1024, 3), (256, 0), (1024, 0)):
            yield Probe(f"unit_{kind}", CLOCK, 1, threads, (50, 150), skip)
    for kind in ("ldc", "sm", "warp"):
        for queue in (0, 4):
            for threads in (32, 256, 1024):
                yield Probe(f"late_{kind}_{queue}", CLOCK, 1, threads, (50, 150))
    for kind in ("cta", "cta_bar", "bar", "bar_ldc", "bar_ldc4"):
        for grid, threads in (
            *((1, threads) for threads in (32, 128, 256, 512, 1024)),
            (2 * sms, 1024),
            (8 * sms, 256),
        ):
            yield Probe(f"among_{kind}", CLOCK, grid, threads, (50, 150))
