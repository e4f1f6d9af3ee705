"""A launch with its reference for every kernel in kernels.cu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import users_references as ref

RNG = np.random.default_rng(20)


@dataclass(frozen=True)
class Case:
    """A launch: ``expected(*args)`` gives the last arguments, as many as it returns."""

    args: tuple[Any, ...]
    expected: Callable[..., Any]
    block: tuple[int, ...] | int = 64
    grid: tuple[int, ...] | int = 1
    shared_bytes: int = 0
    rtol: float = 0.0
    outputs: tuple[int, ...] = field(default=(-1,))


def floats(*shape: int) -> Any:
    return RNG.uniform(0.1, 3, shape).astype(np.float32)


def integers(low: int, high: int, *shape: int) -> Any:
    return RNG.integers(low, high, shape).astype(np.int32)


def zeros(n: int, dtype: Any = np.int32) -> Any:
    return np.zeros(n, dtype)


CASES = {
    "warp_specialised": Case((floats(256), zeros(128, np.float32)), ref.warp_specialised, 256),
    "tiles": Case((integers(-50, 50, 64), zeros(192)), ref.tiles),
    "coalesced": Case(
        (integers(-5, 5, 96), zeros(1)), lambda x, _: np.array([(x > 0).sum()]), 96
    ),
    "templated<float, 4>": Case(
        (floats(400), zeros(100, np.float32), np.int32(100)), ref.templated(4), 32, 2, rtol=1e-6,
        outputs=(1,),
    ),
    "triples": Case(
        (RNG.random(300), zeros(100, np.float64), np.int32(100)), ref.templated(3), 32, 2,
        rtol=1e-14, outputs=(1,),
    ),
    "dynamic_shared": Case(
        (integers(0, 999, 64).astype(np.int16), zeros(64, np.int16), np.int32(50)),
        ref.dynamic_shared, shared_bytes=640, outputs=(1,),
    ),
    "wide_conflicts": Case(
        (RNG.random(1024), zeros(1024, np.float64)), lambda x, _: x.reshape(32, 32).T.ravel(),
        (32, 32),
    ),
    "cas_loop": Case(
        (floats(96), zeros(3, np.float32), zeros(1, np.uint64)), ref.cas_loop, 96, outputs=(1, 2)
    ),
    "doubles": Case(
        (RNG.random(64) * 5, RNG.random(64) * 9 + 0.1, zeros(256, np.float64)), ref.doubles,
        rtol=1e-14,
    ),
    "read_only": Case(
        (floats(64, 4), zeros(64, np.float32)),
        ref.read_only, rtol=1e-6,
    ),
    "recursion": Case((integers(0, 9, 32), zeros(32)), ref.fibonacci, 32),
    "switch_table": Case((integers(-(2**31), 2**31 - 1, 64), zeros(64)), ref.switch_table),
    "calls": Case((floats(64), zeros(64, np.float32)), ref.calls, rtol=1e-6),
    "scratch": Case((integers(0, 99, 37), zeros(64), np.int32(37)), ref.scratch, outputs=(1,)),
    "halves": Case(
        (floats(64).astype(np.float16), floats(64).astype(np.float16), zeros(128, np.float16),
         zeros(32, np.float32)),
        ref.halves, 32, outputs=(2, 3),
    ),
    "brains": Case(
        ((floats(64).view(np.uint32) >> 16).astype(np.uint16),
         (floats(64).view(np.uint32) >> 16).astype(np.uint16), zeros(64, np.uint16)),
        ref.brains, 32,
    ),
    "bytes": Case(
        (integers(-(2**31), 2**31 - 1, 32), integers(-(2**31), 2**31 - 1, 32), zeros(64)),
        ref.byte_sums, 32,
    ),
    "pipeline": Case(
        (floats(7 * 256), zeros(256, np.float32), np.int32(7)), ref.pipeline, outputs=(1,)
    ),
    "inline_assembly": Case(
        (integers(0, 2**31 - 1, 64).astype(np.uint32), zeros(192, np.uint32)), ref.inline_assembly
    ),
    "volatile_shared": Case(
        (integers(-9, 99, 32), zeros(32)), lambda x, _: np.full(32, x.sum()), 32
    ),
    "divergent_sync": Case((integers(0, 99, 64), zeros(64)), ref.divergent_sync),
    "three_dimensions": Case((zeros(720),), ref.three_dimensions, (5, 3, 4), (2, 3, 2)),
    "one_thread": Case((integers(0, 99, 70), zeros(70)), lambda x, _: x * 5 - 2, 1, 70),
    "full_block": Case((integers(0, 99, 1024), zeros(1024)), lambda x, _: x.cumsum(), 1024),
    "long_grid": Case(
        (zeros(70000), np.int32(70000)),
        lambda _, n: np.arange(n) ^ np.arange(n) >> 3, 32, 70000, outputs=(0,),
    ),
    "math": Case((floats(64), zeros(384, np.float32)), ref.functions, rtol=3e-6),
    "module_data": Case(
        (floats(68), zeros(64, np.float32), zeros(1)), ref.module_data, rtol=1e-6, outputs=(1, 2)
    ),
    "pointer_chase": Case(
        (np.stack([integers(0, 9, 64), integers(-1, 64, 64)], 1), zeros(64), np.int32(20)),
        ref.pointer_chase, outputs=(1,),
    ),
    "virtual_calls": Case(
        (floats(64), zeros(64, np.float32)),
        lambda x, _: np.where(np.arange(64) % 2, x * x, np.float32(3) * x * x),
    ),
    "warp_votes": Case((integers(0, 6, 64), zeros(64)), ref.warp_votes),
    "grid_stride": Case(
        (RNG.integers(0, 2**40, 1000), zeros(1, np.uint64), np.int64(1000)), ref.grid_stride,
        grid=3, outputs=(1,),
    ),
    "grid_barrier": Case(
        (integers(0, 99, 96), np.int32(5)), ref.grid_barrier, 32, 3, outputs=(0,)
    ),
    "which_sm": Case((zeros(200),), lambda x: np.where(np.arange(200) == 0, 4 * 32, 0), 32, 4),
}  # fmt: skip
