"""Inputs, outputs and tolerances that the problem builders share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from kernels.workload import Array

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

EPS = float(np.finfo(np.float32).eps)  # 2**-23, twice the error of one rounding


def uniform(rng: np.random.Generator, *shape: int) -> Float32:
    """float32 values from [-1, 1)."""
    values = rng.random(shape, dtype=np.float32)
    values *= np.float32(2)
    values -= np.float32(1)
    return values


def unwritten(*shape: int) -> Float32:
    """A float32 output full of NaN, so that an element the kernel misses shows."""
    return np.full(shape, np.nan, dtype=np.float32)


def sum_tolerance(terms: int) -> float:
    """Absolute tolerance of a float32 sum of ``terms`` values of magnitude up to 1.

    Adding one after the other rounds ``terms`` times, each by at most half an EPS of a partial
    sum. With signs and rounding errors at random the partial sums grow as sqrt(terms / 3) and the
    errors add up to about EPS * terms / 15: EPS * terms is some fifteen standard deviations off,
    and still far less than one forgotten term.
    """
    return EPS * terms


class Deferred(Mapping[int, Array]):
    """Expected outputs by argument position, computed the first time each is asked for.

    The reference of a large GEMM takes longer than its replay, and most callers never look at it.
    """

    def __init__(self, references: Mapping[int, Callable[[], Array]]) -> None:
        self._references = dict(references)
        self._known: dict[int, Array] = {}

    def __getitem__(self, position: int) -> Array:
        if position not in self._known:
            self._known[position] = self._references[position]()
        return self._known[position]

    def __iter__(self) -> Iterator[int]:
        return iter(self._references)

    def __len__(self) -> int:
        return len(self._references)


def block_rows(values: Float32, per_block: int) -> Float64:
    """A line as float64 rows of ``per_block`` elements, the last one filled up with zeros."""
    blocks = -(-values.size // per_block)
    padded = np.zeros(blocks * per_block)
    padded[: values.size] = values
    return padded.reshape(blocks, per_block)
