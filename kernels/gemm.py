"""Matrix products: the ladder of the two articles, and what changes one of its steps.

All compute C = A B of row-major float32 matrices, A of shape (m, k), B of shape (k, n), with the
parameters ``A, B, C, m, n, k``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from kernels.data import EPS, Deferred, Float32, sum_tolerance, uniform, unwritten
from kernels.launches import over_matrix
from kernels.sizes import Sizes, dimension, require_indexable
from kernels.workload import Array, Dim3, Launch, Problem, Workload


@dataclass(frozen=True)
class Tiling:
    """Threads of a block and the piece of C (rows, columns) that they compute together."""

    block: Dim3
    rows: int
    columns: int

    def launch(self, m: int, n: int) -> Launch:
        """The grid that covers an (m, n) result."""
        return over_matrix((m, n), (self.rows, self.columns), self.block, names=("m", "n"))


def multiply(a: Float32, b: Float32) -> Array:
    """The product accumulated in float64, rounded once to float32."""
    return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)


def read_shape(sizes: Sizes, multiple_of: int = 1) -> tuple[int, int, int]:
    """``m, n, k``, checked together with the three matrices they span."""
    m, n, k = (dimension(sizes, name, multiple_of=multiple_of) for name in "mnk")
    require_indexable(m=m, k=k)
    require_indexable(k=k, n=n)
    require_indexable(m=m, n=n)
    return m, n, k


def make_gemm(tiling: Tiling, sizes: Sizes, seed: int) -> Problem:
    """Random A and B in [-1, 1); every element of C must be their product."""
    m, n, k = read_shape(sizes)
    launch = tiling.launch(m, n)
    rng = np.random.default_rng(seed)
    a, b = uniform(rng, m, k), uniform(rng, k, n)
    return Problem(
        launch=launch,
        arguments=(a, b, unwritten(m, n), np.int32(m), np.int32(n), np.int32(k)),
        expected=Deferred({2: partial(multiply, a, b)}),
        rtol=EPS,
        atol=sum_tolerance(k),
    )


def make_published(tiling: Tiling, sizes: Sizes, seed: int) -> Problem:
    """The inputs of the article, all ones. Out-of-bounds reads and races: nothing to expect."""
    m, n, k = read_shape(sizes, multiple_of=32)
    launch = tiling.launch(m, n)
    a, b = np.ones((m, k), np.float32), np.ones((k, n), np.float32)
    return Problem(
        launch=launch,
        arguments=(a, b, unwritten(m, n), np.int32(m), np.int32(n), np.int32(k)),
        expected={},
    )


def cube(edge: int) -> dict[str, int]:
    """The sizes of a product of square matrices."""
    return {"m": edge, "n": edge, "k": edge}


ONE_A_THREAD = Tiling((32, 32, 1), 32, 32)
PATCHES = Tiling((256, 1, 1), 128, 128)
REG_TILED = Tiling((16, 16, 1), 32, 32)

RAGGED = {"m": 130, "n": 70, "k": 45}
LARGE_TILE_TESTS = ({"m": 256, "n": 256, "k": 64}, {"m": 150, "n": 135, "k": 45})


def gemm(
    name: str,
    title: str,
    shows: str,
    tiling: Tiling,
    *,
    edge: int = 1024,
    tests: tuple[Mapping[str, int], ...] = (cube(128), RAGGED),
) -> Workload:
    """A catalogue entry; a name that ends in ``_gemm`` gets its stem as an alias."""
    stem = name.removesuffix("_gemm")
    return Workload(
        name=name,
        title=title,
        shows=shows,
        source_file=f"{name}.cu",
        entry=name,
        sizes=cube(edge),
        make=partial(make_gemm, tiling),
        test_sizes=tests,
        scaled=("m", "n", "k"),
        aliases=(stem,) if stem != name else (),
    )


LADDER = (
    gemm(
        "naive_gemm",
        "one output a thread from global memory",
        "Two global loads for every multiply-add; only the caches reuse anything.",
        Tiling((16, 16, 1), 16, 16),
        tests=(cube(64), RAGGED),
    ),
    gemm(
        "tiled_gemm",
        "one output a thread, 32x32 shared tiles",
        "No bank conflicts, yet two shared reads for every multiply-add.",
        ONE_A_THREAD,
    ),
    gemm(
        "coarse_gemm",
        "four outputs a thread in one row",
        "A's tile is reused from global memory but read again from shared for each output.",
        Tiling((32, 32, 1), 32, 128),
        tests=({"m": 64, "n": 256, "k": 96}, {"m": 45, "n": 150, "k": 70}),
    ),
    gemm(
        "register_tiled_gemm",
        "4x4 outputs a thread, strided by 32",
        "Eight shared reads feed sixteen multiply-adds; at 1024 only 64 blocks run.",
        Tiling((32, 32, 1), 128, 128),
        tests=({"m": 256, "n": 256, "k": 96}, {"m": 150, "n": 135, "k": 45}),
    ),
    gemm(
        "vectorized_gemm",
        "16-byte tile loads by every fourth lane",
        "Fewer load instructions, but divergence idles three quarters of the lanes.",
        ONE_A_THREAD,
    ),
    gemm(
        "double_buffer_gemm",
        "two copies of each tile, one barrier",
        "The next tile's load may overlap the current tile's arithmetic.",
        ONE_A_THREAD,
    ),
    gemm(
        "register_tiling_gemm",
        "8x8 neighbouring outputs a thread",
        "Contiguous 8x8 patches: the reads of both tiles conflict in the inner loop.",
        PATCHES,
        edge=2048,
        tests=LARGE_TILE_TESTS,
    ),
    gemm(
        "register_tiling_padded",
        "register_tiling with Bs[8][128 + 1]",
        "Padding rows does not cure conflicts inside a row, and costs the wide loads.",
        PATCHES,
        edge=2048,
        tests=LARGE_TILE_TESTS,
    ),
    gemm(
        "register_tiling_cured",
        "register_tiling with split columns",
        "Two groups of four columns and a transposed A tile: no bank conflicts left.",
        PATCHES,
        edge=2048,
        tests=LARGE_TILE_TESTS,
    ),
)

PUBLISHED = Workload(
    name="sgemm_reg_tiled_published",
    title="a register-tiled SGEMM as published, wrong",
    shows="Out-of-bounds shared reads, tiles filled to a quarter, racing outputs: its results "
    "depend on chance, so none are expected. What the checks must catch.",
    source_file="sgemm_reg_tiled_published.cu",
    entry="sgemm_reg_tiled_published",
    sizes=cube(1024),
    make=partial(make_published, REG_TILED),
    test_sizes=(cube(64),),
    scaled=("m", "n", "k"),
)

ARTICLE_TWO = (
    PUBLISHED,
    gemm(
        "sgemm_reg_tiled",
        "2x2 outputs a thread, fully unrolled",
        "What the published kernel set out to do: factors cached in registers.",
        REG_TILED,
    ),
    gemm(
        "sgemm_shared_naive",
        "its plain counterpart, one output a thread",
        "Both factors of every multiply-add come from shared memory.",
        ONE_A_THREAD,
    ),
)

WORKLOADS = (*LADDER, *ARTICLE_TWO)
