"""Kernels that touch every element once: what access patterns cost in sectors."""

from __future__ import annotations

import numpy as np

from kernels.data import EPS, uniform
from kernels.sizes import Sizes, blocks_for, dimension
from kernels.workload import Launch, Problem, Workload

THREADS = 256


def linear_launch(n: int) -> Launch:
    """One thread an element in blocks of 256."""
    return Launch((blocks_for("n", n, THREADS), 1, 1), (THREADS, 1, 1))


def make_saxpy(sizes: Sizes, seed: int) -> Problem:
    """y must become a*x + y; one fused rounding, so a unit in the last place of its terms."""
    n = dimension(sizes, "n")
    rng = np.random.default_rng(seed)
    a, x, y = np.float32(1.5), uniform(rng, n), uniform(rng, n)
    result = (float(a) * x.astype(np.float64) + y).astype(np.float32)
    return Problem(
        launch=linear_launch(n),
        arguments=(a, x, y, np.int32(n)),
        expected={2: result},
        rtol=EPS,
        atol=2 * EPS,
    )


WORKLOADS = (
    Workload(
        name="saxpy",
        title="y = a*x + y",
        shows="Perfectly coalesced streaming, bound by DRAM.",
        source_file="saxpy.cu",
        entry="saxpy",
        sizes={"n": 1 << 24},
        make=make_saxpy,
        test_sizes=({"n": 4096}, {"n": 5001}),
        scaled=("n",),
    ),
)
