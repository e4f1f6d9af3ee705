"""Sorting in each thread's own memory."""

from __future__ import annotations

import numpy as np

from kernels.data import uniform, unwritten
from kernels.launches import over_line
from kernels.sizes import Sizes, dimension, require_indexable
from kernels.workload import Problem, Workload

COUNT = 16


def make_local_sort(sizes: Sizes, seed: int) -> Problem:
    """in and out (16, n): thread i sorts column i."""
    n = dimension(sizes, "n")
    require_indexable(count=COUNT, n=n)
    values = uniform(np.random.default_rng(seed), COUNT, n)
    return Problem(
        launch=over_line("n", n),
        arguments=(values, unwritten(COUNT, n), np.int32(n)),
        expected={1: np.sort(values, axis=0)},
        rtol=0.0,
        atol=0.0,
    )


WORKLOADS = (
    Workload(
        name="local_sort",
        title="Insertion sort of 16 values a thread",
        shows="An array indexed at run time lies in local memory.",
        source_file="local_sort.cu",
        entry="local_sort",
        sizes={"n": 1 << 18},
        make=make_local_sort,
        test_sizes=({"n": 2048}, {"n": 1501}),
        scaled=("n",),
    ),
)
