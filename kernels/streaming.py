"""Kernels that touch every element once: what access patterns cost in sectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from kernels.data import EPS, Deferred, Float32, uniform, unwritten
from kernels.launches import over_line
from kernels.sizes import Sizes, dimension, require_indexable
from kernels.workload import Array, Problem, Workload

FIELDS = 4


def saxpy(a: np.float32, x: Float32, y: Float32) -> Array:
    """a*x + y in float64, rounded once to float32."""
    return (float(a) * x.astype(np.float64) + y).astype(np.float32)


def make_saxpy(sizes: Sizes, seed: int) -> Problem:
    """y (n,) must become a*x + y, whether the multiplication is fused or not."""
    n = dimension(sizes, "n")
    launch = over_line("n", n)
    rng = np.random.default_rng(seed)
    a, x, y = np.float32(1.5), uniform(rng, n), uniform(rng, n)
    return Problem(
        launch=launch,
        arguments=(a, x, y, np.int32(n)),
        expected=Deferred({2: partial(saxpy, a, x, y)}),
        rtol=EPS,
        atol=2 * EPS,
    )


def make_strided_copy(sizes: Sizes, seed: int) -> Problem:
    """out (n,) must equal every stride-th element of in (n * stride,)."""
    n, stride = dimension(sizes, "n"), dimension(sizes, "stride")
    require_indexable(n=n, stride=stride)
    launch = over_line("n", n)
    values = uniform(np.random.default_rng(seed), n * stride)
    return Problem(
        launch=launch,
        arguments=(values, unwritten(n), np.int32(n), np.int32(stride)),
        expected={1: np.ascontiguousarray(values[::stride])},
        rtol=0.0,
        atol=0.0,
    )


def make_record_sums(
    arrange: Callable[[Float32], tuple[Array, ...]], sizes: Sizes, seed: int
) -> Problem:
    """out (n,) must be the sum of each record's four fields, however they are arranged."""
    n = dimension(sizes, "n")
    require_indexable(n=n, fields=FIELDS)
    launch = over_line("n", n)
    records = uniform(np.random.default_rng(seed), n, FIELDS)
    buffers = arrange(records)
    sums = records.sum(axis=1, dtype=np.float64).astype(np.float32)
    return Problem(
        launch=launch,
        arguments=(*buffers, unwritten(n), np.int32(n)),
        expected={len(buffers): sums},
        rtol=0.0,
        atol=4 * EPS,  # three additions of sums up to 4
    )


def make_aos(sizes: Sizes, seed: int) -> Problem:
    """One buffer of records (n, 4)."""
    return make_record_sums(lambda records: (records,), sizes, seed)


def make_soa(sizes: Sizes, seed: int) -> Problem:
    """Four buffers (n,), one a field."""
    return make_record_sums(
        lambda records: tuple(np.ascontiguousarray(field) for field in records.T), sizes, seed
    )


def streaming(
    name: str,
    title: str,
    shows: str,
    make: Callable[[Sizes, int], Problem],
    sizes: Mapping[str, int],
    tests: tuple[Mapping[str, int], ...] = ({"n": 4096}, {"n": 5001}),
) -> Workload:
    """A catalogue entry whose one number is the element count ``n``."""
    return Workload(
        name=name,
        title=title,
        shows=shows,
        source_file=f"{name}.cu",
        entry=name,
        sizes=sizes,
        make=make,
        test_sizes=tests,
        scaled=("n",),
    )


WORKLOADS = (
    streaming(
        "saxpy",
        "y = a*x + y",
        "Perfectly coalesced streaming, bound by DRAM.",
        make_saxpy,
        {"n": 1 << 24},
    ),
    streaming(
        "strided_copy",
        "every stride-th element into a dense array",
        "The sectors of a load grow with the stride, up to one for every lane.",
        make_strided_copy,
        {"n": 1 << 20, "stride": 8},
        tests=({"n": 4096, "stride": 2}, {"n": 3001, "stride": 3}),
    ),
    streaming(
        "aos_sum",
        "sum of fields, array of structures",
        "Every load strides over whole records: sixteen sectors where four would do.",
        make_aos,
        {"n": 1 << 20},
    ),
    streaming(
        "soa_sum",
        "sum of fields, structure of arrays",
        "The same sums as aos_sum with coalesced loads.",
        make_soa,
        {"n": 1 << 20},
    ),
)
