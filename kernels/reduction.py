"""Block sums: three ways to combine 256 elements."""

from __future__ import annotations

import numpy as np

from kernels.data import block_rows, sum_tolerance, uniform, unwritten
from kernels.launches import THREADS, over_line
from kernels.sizes import Sizes, dimension
from kernels.workload import Problem, Workload


def make_reduction(sizes: Sizes, seed: int) -> Problem:
    """partial (blocks,) must hold the sum of each 256 elements of in (n,)."""
    n = dimension(sizes, "n")
    launch = over_line("n", n)
    values = uniform(np.random.default_rng(seed), n)
    sums = block_rows(values, THREADS).sum(axis=1).astype(np.float32)
    return Problem(
        launch=launch,
        arguments=(values, unwritten(launch.grid[0]), np.int32(n)),
        expected={1: sums},
        rtol=0.0,
        atol=sum_tolerance(THREADS),
    )


def reduction(variant: str, title: str, shows: str) -> Workload:
    """The catalogue entry ``reduction_<variant>``."""
    name = f"reduction_{variant}"
    return Workload(
        name=name,
        title=title,
        shows=shows,
        source_file=f"{name}.cu",
        entry=name,
        sizes={"n": 1 << 22},
        make=make_reduction,
        test_sizes=({"n": 4096}, {"n": 3001}),
        scaled=("n",),
    )


WORKLOADS = (
    reduction(
        "interleaved",
        "block sums, partners at doubling distance",
        "Strided partners: bank conflicts that double with every step.",
    ),
    reduction(
        "sequential",
        "block sums, upper half onto lower half",
        "Neighbouring lanes read neighbouring words: no conflicts.",
    ),
    reduction(
        "shuffle",
        "block sums by warp shuffles",
        "Shuffles replace most of the shared memory and the barriers.",
    ),
)
