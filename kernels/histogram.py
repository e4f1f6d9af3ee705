"""Counting with atomics."""

from __future__ import annotations

import numpy as np

from kernels.launches import THREADS, over_line
from kernels.sizes import Sizes, dimension
from kernels.workload import Problem, Workload

BINS = 256
PER_THREAD = 16


def make_histogram(sizes: Sizes, seed: int) -> Problem:
    """counts (256,) starts at zero and must hold how often each value occurs."""
    n = dimension(sizes, "n")
    launch = over_line("n", n, THREADS * PER_THREAD)
    values = np.random.default_rng(seed).integers(0, BINS, n, dtype=np.int32)
    return Problem(
        launch=launch,
        arguments=(values, np.zeros(BINS, np.uint32), np.int32(n)),
        expected={1: np.bincount(values, minlength=BINS).astype(np.uint32)},
    )


WORKLOADS = (
    Workload(
        name="histogram_shared",
        title="256 bins: shared atomics, then global ones",
        shows="Shared atomics serialise where lanes meet in a bank.",
        source_file="histogram_shared.cu",
        entry="histogram_shared",
        sizes={"n": 1 << 22},
        make=make_histogram,
        test_sizes=({"n": 16384}, {"n": 10001}),
        scaled=("n",),
    ),
    Workload(
        name="histogram_global",
        title="256 bins: one global atomic a value",
        shows="Global atomics serialise where lanes meet in a sector.",
        source_file="histogram_global.cu",
        entry="histogram_global",
        sizes={"n": 1 << 20},
        make=make_histogram,
        test_sizes=({"n": 16384}, {"n": 10001}),
        scaled=("n",),
    ),
)
