"""Kernels that normalise each row of a matrix, one block a row."""

from __future__ import annotations

import numpy as np

from kernels.data import EPS, Float32, Float64, uniform, unwritten
from kernels.launches import THREADS, over_line
from kernels.sizes import Sizes, dimension, require_indexable
from kernels.workload import Array, Problem, Workload

EPSILON = np.float32(1e-5)


def read_matrix(sizes: Sizes) -> tuple[int, int]:
    """``rows, columns`` of a matrix a 32-bit index can address."""
    rows, columns = dimension(sizes, "rows"), dimension(sizes, "columns")
    require_indexable(rows=rows, columns=columns)
    return rows, columns


def row_tolerance(columns: int) -> float:
    """Error of a row's statistics and of the few operations after it, relative to the result.

    A thread adds columns / 256 terms and a tree of 8 levels follows, each rounding half an EPS.
    Subtracting the row's maximum (at most 8 here), expf or rsqrtf (2 units in the last place) and
    the final operations stay below 12 EPS.
    """
    return EPS * (16 + columns / THREADS)


def softmax(values: Float32) -> Array:
    """Softmax along the rows, in float64, rounded once to float32."""
    wide = values.astype(np.float64)
    powers = np.exp(wide - wide.max(axis=1, keepdims=True))
    result: Float64 = powers / powers.sum(axis=1, keepdims=True)
    return result.astype(np.float32)


def make_softmax(sizes: Sizes, seed: int) -> Problem:
    """in (rows, columns) in [-4, 4); out must be its softmax along the rows."""
    rows, columns = read_matrix(sizes)
    launch = over_line("rows", rows, per_block=1)
    values = np.float32(4) * uniform(np.random.default_rng(seed), rows, columns)
    return Problem(
        launch=launch,
        arguments=(values, unwritten(rows, columns), np.int32(columns)),
        expected={1: softmax(values)},
        rtol=row_tolerance(columns),
        atol=0.0,
    )


def layernorm(values: Float32, gain: Float32, bias: Float32) -> Array:
    """Layer normalisation along the rows, in float64, rounded once to float32."""
    wide = values.astype(np.float64)
    centred = wide - wide.mean(axis=1, keepdims=True)
    variance = np.square(centred).mean(axis=1, keepdims=True)
    result: Float64 = centred / np.sqrt(variance + float(EPSILON)) * gain + bias
    return result.astype(np.float32)


def make_layernorm(sizes: Sizes, seed: int) -> Problem:
    """in and out (rows, columns), gain and bias (columns,)."""
    rows, columns = read_matrix(sizes)
    launch = over_line("rows", rows, per_block=1)
    rng = np.random.default_rng(seed)
    values = uniform(rng, rows, columns)
    gain, bias = uniform(rng, columns), uniform(rng, columns)
    tolerance = row_tolerance(columns)
    out = unwritten(rows, columns)
    return Problem(
        launch=launch,
        arguments=(values, gain, bias, out, np.int32(columns), EPSILON),
        expected={3: layernorm(values, gain, bias)},
        rtol=tolerance,
        atol=2 * tolerance,  # the normalised values reach about 2, and the bias can cancel them
    )


WORKLOADS = (
    Workload(
        name="softmax",
        title="row-wise softmax, one block a row",
        shows="Two shared-memory trees between three coalesced passes over a row.",
        source_file="softmax.cu",
        entry="softmax",
        sizes={"rows": 1024, "columns": 1024},
        make=make_softmax,
        test_sizes=({"rows": 16, "columns": 512}, {"rows": 7, "columns": 333}),
        scaled=("rows", "columns"),
    ),
    Workload(
        name="layernorm",
        title="row-wise layer normalisation",
        shows="Shuffles sum inside a warp, shared memory only between warps.",
        source_file="layernorm.cu",
        entry="layernorm",
        sizes={"rows": 1024, "columns": 1024},
        make=make_layernorm,
        test_sizes=({"rows": 16, "columns": 512}, {"rows": 7, "columns": 333}),
        scaled=("rows", "columns"),
    ),
)
