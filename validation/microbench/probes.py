"""The list of probes: which kernel, launched how, measured how (see ``probe``)."""

from __future__ import annotations

from validation.microbench.chip_probes import (
    atomic_probes,
    flow_probes,
    policy_probes,
    start_probes,
    stream_probes,
    tensor_probes,
)
from validation.microbench.mix_probes import beside_probes, mix_probes
from validation.microbench.probe import CLOCK, TIME, TRIPS, Probe
from validation.microbench.step_probes import return_probes, step_probes, unit_probes


def list_probes(sms: int) -> list[Probe]:
    """All probes for a GPU with so many SMs."""
    first = [*_pipes(), *_operands(), *_memory(sms), *_control(), *_chip(sms)]
    chip = [*atomic_probes(sms), *stream_probes(sms), *start_probes(sms)]
    steps = [*return_probes(), *step_probes(sms), *unit_probes(sms)]
    steps += [*beside_probes(), *mix_probes(sms)]
    return [*first, *tensor_probes(), *chip, *flow_probes(), *policy_probes(), *steps]


def _operands() -> list[Probe]:
    found = []
    for kind in ("none", "lds", "lds128", "sts", "ldg"):
        for adds in (32, 64, 128):
            for threads, skip in ((128, 0), (256, 0), (1024, 0), (1024, 3)):
                found.append(Probe(f"three_{kind}_{adds}", CLOCK, 1, threads, (100, 300), skip))
    for kind in ("lds", "sts", "ldg"):
        found += [Probe(f"off_{kind}", CLOCK, 1, threads, (50, 150)) for threads in (32, 128, 1024)]
    for kind in ("both", "free", "barrier"):
        for grid, threads in ((1, 32), (1, 256), (1, 1024), (132 * 8, 256)):
            for p in (0, 32, 1024):
                found.append(Probe(f"rungs_{kind}", CLOCK, grid, threads, (20, 60), p))
    for kind in ("i2f", "f2i", "popc", "rcp", "mulhi"):
        found += [Probe(f"unit_{kind}", CLOCK, 1, threads, (50, 150)) for threads in (128, 512)]
    return found


def _pipes() -> list[Probe]:
    found = []
    for kind in ("lds", "lds128", "sts", "ldg", "ldg128", "stg", "shfl"):
        for adds in (0, 8, 32, 64):
            for threads, skip in ((32, 0), (128, 0), (256, 0), (512, 0), (1024, 0), (1024, 3)):
                found.append(Probe(f"mix_{kind}_{adds}", CLOCK, 1, threads, (100, 300), skip))
    for kind in ("iadd3", "lop3", "imad", "ffma", "both", "mufu", "i2f", "shf"):
        found += [Probe(f"alu_{kind}", CLOCK, 1, threads, (50, 150)) for threads in (128, 512)]
    for kind in ("lds", "ldg", "l2", "shfl", "mufu", "atoms", "atomg", "ldc"):
        found += [Probe(f"chain_{kind}", CLOCK, 1, threads, (50, 150)) for threads in (32, 1024)]
    return found


def _memory(sms: int) -> list[Probe]:
    found = []
    for p in (0, 1, 2, 8, 32):
        found += [Probe("atoms", CLOCK, 1, threads, (50, 150), p) for threads in (32, 256)]
    for grid in (1, sms):
        for p in (1, 8, 32):
            for name in ("red_hot", "red_own"):
                found += [Probe(name, CLOCK, grid, t, (50, 150), p) for t in (32, 256)]
    for p in (1, 2, 4, 8, 16, 32):
        for grid in (1, sms):
            found.append(Probe("l2_gather", CLOCK, grid, 1024, (20, 60), p))
            found.append(Probe("store_apart", CLOCK, grid, 1024, (50, 150), p))
            found.append(Probe("store_fill", CLOCK, grid, 1024, (10, 30), p))
        found.append(Probe("l1_gather", CLOCK, 1, 1024, (50, 150), p))
        found.append(Probe("l1_gather", CLOCK, 1, 128, (50, 150), p))
    found.append(Probe("l2_lines", TRIPS, 1, 32, (4096,)))
    return found


def _control() -> list[Probe]:
    found = []
    for threads in (32, 64, 128, 256, 512, 1024):
        found += [Probe("barrier", CLOCK, 1, threads, (50, 150), p) for p in (0, 1, 4)]
    for threads in (32, 128, 256):
        found += [Probe("branch", CLOCK, 1, threads, (100, 300))]
        found += [Probe("diverge", CLOCK, 1, threads, (100, 300), p) for p in (0, 16, 32)]
    for size in (128, 512, 1024, 2048, 4096, 7168, 10240, 16384):
        for grid, threads in ((1, 32), (1, 256), (132, 256)):
            found.append(Probe(f"straight_{size}", TRIPS, grid, threads, (4,)))
    return found


def _chip(sms: int) -> list[Probe]:
    found = []
    for count in (1 << 18, 1 << 20, 1 << 21, 1 << 22, 1 << 23, 1 << 25):
        for threads in (256, 1024):
            grid = count // threads
            found.append(Probe("read4", TIME, grid, threads, (count,)))
            found.append(Probe("write4", TIME, grid, threads, (count,)))
            found.append(Probe("copy4", TIME, grid, threads, (count,), count))
        found.append(Probe("read16", TIME, count // 1024, 256, (count // 4,)))
    for threads in (32, 256, 1024):
        for grid in (1, sms, 8 * sms, 64 * sms):
            found.append(Probe("nothing", TIME, grid, threads, (1,)))
            found.append(Probe("occupy", TIME, grid, threads, (100,), 0, 100 * 1024))
    return found
