"""Nanoseconds an event takes to count, on the access patterns of GEMM kernels and on noise.

Run: python benchmarks/memory_counters.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from simulator.events import EVENT, FULL_MASK, Events
from simulator.isa.kernel import AccessKind, Instruction, Kernel, MemoryAccess, Space
from simulator.memory.counters import MemoryCounter
from simulator.pages import run_script

EVENTS = 4096
ROUNDS = 50
LANES = np.arange(32)
Rows = NDArray[np.int64]


def make_kernel(space: Space, kind: AccessKind, width: int) -> Kernel:
    """A kernel of eight equal memory instructions."""
    access = MemoryAccess(space, kind, width)
    instructions = tuple(
        Instruction(index, 16 * index, "MEM", (), (), None, "MEM", access=access)
        for index in range(8)
    )
    return Kernel("benchmark", 89, instructions, 32, 0, 0, 0, (), 0x160, b"")


def make_events(space: Space, rows: Rows, mask: int = FULL_MASK) -> Events:
    """One event a row of addresses, spread over the instructions."""
    events = np.zeros(len(rows), EVENT)
    events["instruction"] = np.arange(len(rows)) % 8
    events["lane_mask"] = mask
    events["space"] = space.value
    events["addresses"] = rows
    return events


def make_copies(target: Rows, source: Rows) -> Events:
    """Pairs of target and source events."""
    events = np.zeros(2 * len(target), EVENT)
    events[0::2] = make_events(Space.SHARED, target)
    events[1::2] = make_events(Space.GLOBAL, source)
    return events


def moving(lane_offsets: Rows, step: int) -> Rows:
    """A pattern that moves by ``step`` bytes an event."""
    return (np.arange(EVENTS)[:, None] * step % (1 << 20)) + lane_offsets


def noise(width: int, span: int) -> Rows:
    """Random aligned addresses."""
    return np.random.default_rng(1).integers(0, span // width, (EVENTS, 32)) * width


def measure(name: str, kernel: Kernel, events: Events) -> None:
    """Print the best time an event of several rounds."""
    counter = MemoryCounter(kernel)
    counter.consume(events)
    best = min(time_once(lambda: counter.consume(events)) for _ in range(ROUNDS))
    print(f"{name:44s} {1e9 * best / len(events):8.1f} ns an event")


def time_once(action: Callable[[], None]) -> float:
    """Seconds one call takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def main() -> None:
    """Time every pattern."""
    shared, world, local = Space.SHARED, Space.GLOBAL, Space.LOCAL
    load, store, atomic = AccessKind.LOAD, AccessKind.STORE, AccessKind.ATOMIC
    cases: tuple[tuple[str, Space, AccessKind, int, Rows], ...] = (
        ("LDS broadcast, moving", shared, load, 4, moving(0 * LANES, 4)),
        ("LDS row", shared, load, 4, moving(4 * LANES, 128)),
        ("LDS.128 of 16 columns", shared, load, 16, moving(LANES % 16 * 16, 512)),
        ("STS padded transpose", shared, store, 4, moving(LANES * 132, 4)),
        ("LDG row", world, load, 4, moving(4 * LANES, 4096)),
        (
            "LDG.128 rows of 8 lanes",
            world,
            load,
            16,
            moving(LANES // 8 * 4096 + LANES % 8 * 16, 128),
        ),
        ("LDG column of a matrix", world, load, 4, moving(LANES * 4096, 4)),
        ("LDL one word", local, load, 4, moving(0 * LANES, 4)),
        ("RED one word", world, atomic, 4, moving(0 * LANES, 4)),
        ("LDS random", shared, load, 4, noise(4, 1 << 14)),
        ("LDS.128 random", shared, load, 16, noise(16, 1 << 14)),
        ("ATOMS random", shared, atomic, 4, noise(4, 1 << 10)),
        ("LDG random", world, load, 4, noise(4, 1 << 24)),
        ("RED random", world, atomic, 4, noise(4, 1 << 16)),
        ("LDL random", local, load, 4, noise(4, 1 << 10)),
    )
    for name, space, kind, width, rows in cases:
        measure(name, make_kernel(space, kind, width), make_events(space, rows))
    copies = make_copies(moving(LANES * 16, 512), moving(LANES // 8 * 4096 + LANES % 8 * 16, 128))
    measure("LDGSTS tile (pair of events)", make_kernel(shared, AccessKind.ASYNC_COPY, 16), copies)
    bypass = make_kernel(shared, AccessKind.ASYNC_COPY_BYPASS, 16)
    measure("LDGSTS.BYPASS tile (pair of events)", bypass, copies)
    random_copies = make_copies(noise(16, 1 << 14), noise(16, 1 << 24))
    ca = make_kernel(shared, AccessKind.ASYNC_COPY, 16)
    measure("LDGSTS random (pair of events)", ca, random_copies)


if __name__ == "__main__":
    run_script(main)
