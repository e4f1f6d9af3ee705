"""Matrix transposes: one global access pattern fixed, four ways to treat the tile."""

from __future__ import annotations

import numpy as np

from kernels.data import uniform, unwritten
from kernels.launches import over_matrix
from kernels.sizes import Sizes, dimension, require_indexable
from kernels.workload import Problem, Workload

TILE = 32


def make_transpose(sizes: Sizes, seed: int) -> Problem:
    """out (columns, rows) must equal the transposed in (rows, columns) bit for bit."""
    rows, columns = dimension(sizes, "rows"), dimension(sizes, "columns")
    require_indexable(rows=rows, columns=columns)
    launch = over_matrix((rows, columns), (TILE, TILE), (TILE, 8, 1))
    matrix = uniform(np.random.default_rng(seed), rows, columns)
    return Problem(
        launch=launch,
        arguments=(matrix, unwritten(columns, rows), np.int32(rows), np.int32(columns)),
        expected={1: np.ascontiguousarray(matrix.T)},
        rtol=0.0,
        atol=0.0,
    )


def transpose(variant: str, title: str, shows: str) -> Workload:
    """The catalogue entry ``transpose_<variant>``."""
    name = f"transpose_{variant}"
    return Workload(
        name=name,
        title=title,
        shows=shows,
        source_file=f"{name}.cu",
        entry=name,
        sizes={"rows": 2048, "columns": 2048},
        make=make_transpose,
        test_sizes=({"rows": 128, "columns": 96}, {"rows": 75, "columns": 130}),
        scaled=("rows", "columns"),
    )


WORKLOADS = (
    transpose(
        "naive",
        "no shared memory",
        "Coalesced reads, stores that touch 32 sectors each.",
    ),
    transpose(
        "tiled",
        "unpadded 32x32 shared tile",
        "Coalesced on both sides, but reads of a tile's column conflict 32 ways.",
    ),
    transpose(
        "padded",
        "32x33 shared tile",
        "One word behind each row spreads a column over all banks: no conflicts.",
    ),
    transpose(
        "swizzled",
        "32x32 shared tile, XORed columns",
        "A swizzle spreads a column over all banks without any padding.",
    ),
)
