"""Stencils with a halo in shared memory; the field is zero beyond its edges."""

from __future__ import annotations

import numpy as np

from kernels.data import EPS, sum_tolerance, uniform, unwritten
from kernels.launches import over_line, over_matrix
from kernels.sizes import Sizes, dimension, require_indexable
from kernels.workload import Problem, Workload

RADIUS = 3


def make_stencil_1d(sizes: Sizes, seed: int) -> Problem:
    """out[i] (n,) must be the sum of weights[j] * in[i + j - 3], j = 0..6."""
    n = dimension(sizes, "n")
    launch = over_line("n", n)
    rng = np.random.default_rng(seed)
    line, weights = uniform(rng, n), uniform(rng, 2 * RADIUS + 1)
    padded = np.pad(line.astype(np.float64), RADIUS)
    result = sum(float(w) * padded[j : j + n] for j, w in enumerate(weights))
    return Problem(
        launch=launch,
        arguments=(line, weights, unwritten(n), np.int32(n)),
        expected={2: np.asarray(result, dtype=np.float32)},
        rtol=EPS,
        atol=sum_tolerance(len(weights)),
    )


def make_stencil_2d(sizes: Sizes, seed: int) -> Problem:
    """out must be centre * in + side * (sum of the four neighbours), both (rows, columns)."""
    rows, columns = dimension(sizes, "rows"), dimension(sizes, "columns")
    require_indexable(rows=rows, columns=columns)
    launch = over_matrix((rows, columns), (8, 32), (32, 8, 1))
    field = uniform(np.random.default_rng(seed), rows, columns)
    centre, side = np.float32(0.6), np.float32(0.1)
    wide = np.pad(field.astype(np.float64), 1)
    around = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
    result = float(centre) * wide[1:-1, 1:-1] + float(side) * around
    out = unwritten(rows, columns)
    return Problem(
        launch=launch,
        arguments=(field, out, np.int32(rows), np.int32(columns), centre, side),
        expected={1: result.astype(np.float32)},
        rtol=EPS,
        atol=sum_tolerance(5),
    )


WORKLOADS = (
    Workload(
        name="stencil_1d",
        title="7 points on a line",
        shows="A shared tile with halo turns seven global reads into about one.",
        source_file="stencil_1d.cu",
        entry="stencil_1d",
        sizes={"n": 1 << 22},
        make=make_stencil_1d,
        test_sizes=({"n": 4096}, {"n": 3001}),
        scaled=("n",),
    ),
    Workload(
        name="stencil_2d",
        title="5 points in a matrix",
        shows="A 34x10 tile with halo, filled linearly and read along its rows.",
        source_file="stencil_2d.cu",
        entry="stencil_2d",
        sizes={"rows": 2048, "columns": 2048},
        make=make_stencil_2d,
        test_sizes=({"rows": 64, "columns": 96}, {"rows": 45, "columns": 70}),
        scaled=("rows", "columns"),
    ),
)
