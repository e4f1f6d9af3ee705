"""Sparse matrix times vector."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernels.data import EPS, sum_tolerance, uniform, unwritten
from kernels.launches import THREADS, over_line
from kernels.sizes import Sizes, dimension, require_indexable
from kernels.workload import Problem, Workload

ROWS_PER_BLOCK = THREADS // 32


def random_pattern(
    rng: np.random.Generator, rows: int, columns: int, row_length: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row and column of each entry, sorted; rows have 0 to 2 * row_length entries, one at least.

    A position may repeat; its values then add up, as in any compressed-row matrix.
    """
    lengths = rng.integers(0, 2 * row_length + 1, rows)
    lengths[0] = max(lengths[0], 1)
    row = np.repeat(np.arange(rows, dtype=np.int64), lengths)
    position = np.sort(row * columns + rng.integers(0, columns, row.size))
    return row, position % columns


def make_spmv(sizes: Sizes, seed: int) -> Problem:
    """row_start (rows + 1,), column and value (entries,), x (columns,); y (rows,) must be M x."""
    rows, columns = dimension(sizes, "rows"), dimension(sizes, "columns")
    row_length = dimension(sizes, "row_length")
    require_indexable(rows=rows, row_length=2 * row_length)
    launch = over_line("rows", rows, ROWS_PER_BLOCK)
    rng = np.random.default_rng(seed)
    row, column = random_pattern(rng, rows, columns, row_length)
    value, x = uniform(rng, row.size), uniform(rng, columns)
    starts = np.searchsorted(row, np.arange(rows + 1)).astype(np.int32)
    products = value.astype(np.float64) * x[column]
    result = np.bincount(row, weights=products, minlength=rows)
    return Problem(
        launch=launch,
        arguments=(starts, column.astype(np.int32), value, x, unwritten(rows), np.int32(rows)),
        expected={4: result.astype(np.float32)},
        rtol=EPS,
        atol=sum_tolerance(2 * row_length),
    )


WORKLOADS = (
    Workload(
        name="spmv_csr",
        title="CSR matrix times vector, one warp a row",
        shows="Entries stream in coalesced; x is gathered, up to 32 sectors a request.",
        source_file="spmv_csr.cu",
        entry="spmv_csr",
        sizes={"rows": 8192, "columns": 8192, "row_length": 64},
        make=make_spmv,
        test_sizes=(
            {"rows": 128, "columns": 256, "row_length": 32},
            {"rows": 101, "columns": 77, "row_length": 21},
        ),
        scaled=("rows", "columns"),
    ),
)
