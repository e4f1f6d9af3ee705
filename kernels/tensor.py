"""Matrix products on the tensor cores."""

from __future__ import annotations

import numpy as np

from kernels.data import Deferred, sum_tolerance, uniform, unwritten
from kernels.sizes import MAX_GRID_YZ, Sizes, blocks_for, dimension, require_indexable
from kernels.workload import Launch, Problem, Workload

TILE = 64
STEP = 32
THREADS = 128


def make_hgemm(sizes: Sizes, seed: int) -> Problem:
    """C (m, n) float32 = A (m, k) float16 times B (k, n) float16, with float32 sums."""
    m = dimension(sizes, "m", multiple_of=TILE)
    n = dimension(sizes, "n", multiple_of=TILE)
    k = dimension(sizes, "k", multiple_of=STEP)
    for names in ({"m": m, "k": k}, {"k": k, "n": n}, {"m": m, "n": n}):
        require_indexable(**names)
    rng = np.random.default_rng(seed)
    a = uniform(rng, m, k).astype(np.float16)
    b = uniform(rng, k, n).astype(np.float16)
    across = blocks_for("n", n, TILE)
    down = blocks_for("m", m, TILE, limit=MAX_GRID_YZ)
    return Problem(
        launch=Launch((across, down, 1), (THREADS, 1, 1)),
        arguments=(a, b, unwritten(m, n), np.int32(m), np.int32(n), np.int32(k)),
        expected=Deferred(
            {2: lambda: (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)}
        ),
        rtol=0.0,
        # The tensor cores cut their sums off instead of rounding them: twice the error.
        atol=2 * sum_tolerance(k),
    )


WORKLOADS = (
    Workload(
        name="hgemm_tensor",
        title="float16 GEMM on the tensor cores",
        shows="cp.async and ldmatrix on padded tiles have no bank conflicts.",
        source_file="hgemm_tensor.cu",
        entry="hgemm_tensor",
        sizes={"m": 1024, "n": 1024, "k": 1024},
        make=make_hgemm,
        test_sizes=({"m": 128, "n": 128, "k": 96}, {"m": 64, "n": 192, "k": 160}),
        scaled=("m", "n", "k"),
    ),
)
