"""Prefix sums inside each block."""

from __future__ import annotations

from functools import partial

import numpy as np

from kernels.data import block_rows, sum_tolerance, uniform, unwritten
from kernels.launches import over_line
from kernels.sizes import Sizes, dimension
from kernels.workload import Problem, Workload


def make_scan(per_block: int, inclusive: bool, sizes: Sizes, seed: int) -> Problem:
    """out (n,) must hold the prefix sums of in (n,), started anew every ``per_block``."""
    n = dimension(sizes, "n")
    launch = over_line("n", n, per_block)
    values = uniform(np.random.default_rng(seed), n)
    blocks = block_rows(values, per_block)
    sums = np.cumsum(blocks, axis=1)
    if not inclusive:
        sums -= blocks
    return Problem(
        launch=launch,
        arguments=(values, unwritten(n), np.int32(n)),
        expected={1: sums.ravel()[:n].astype(np.float32)},
        rtol=0.0,
        atol=sum_tolerance(per_block),
    )


WORKLOADS = (
    Workload(
        name="scan_hillis_steele",
        title="inclusive scan of each 256 elements",
        shows="Every thread adds in every step: more work, but no bank conflicts.",
        source_file="scan_hillis_steele.cu",
        entry="scan_hillis_steele",
        sizes={"n": 1 << 20},
        make=partial(make_scan, 256, True),
        test_sizes=({"n": 2048}, {"n": 1501}),
        scaled=("n",),
    ),
    Workload(
        name="scan_blelloch",
        title="exclusive scan of each 512 elements",
        shows="A work-efficient tree whose strides make bank conflicts level by level.",
        source_file="scan_blelloch.cu",
        entry="scan_blelloch",
        sizes={"n": 1 << 20},
        make=partial(make_scan, 512, False),
        test_sizes=({"n": 2048}, {"n": 1501}),
        scaled=("n",),
    ),
)
