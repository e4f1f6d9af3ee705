"""Which blocks of a launch are replayed, and when a sample may stand for the rest.

Blocks are sorted into classes: by their place on every grid axis (first, last, between), and
between the ends by their residue where addresses move by a part of a 128-byte line from one block
to the next (a period of 2 to 32 blocks). A sample stands for the launch when no loaded data
reaches an address, a guard or a branch, and all sampled blocks of a class have equal counts,
instruction by instruction. Where a kernel may treat some blocks between the ends differently
(``places``), the way each of them takes makes classes too (``ways``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product, zip_longest
from math import gcd, prod
from typing import cast

import numpy as np
from numpy.typing import NDArray

from simulator.device.structure import LINE_BYTES

Counts = NDArray[np.int64]
Shape = tuple[int, ...]  # sizes of a grid's axes, the quickest first
AxisClass = tuple[int, int]  # place, residue
Class = tuple[AxisClass, ...]

FIRST, BETWEEN, LAST = range(3)
NO_PERIODS: Shape = ()  # an axis without a period has the period 1
# Where blocks between the ends are sampled. Both ends of a diagonal tell whether a guard compares
# an index with a threshold; along one axis more are affordable, at fractions that share no step
# with powers of two.
_FRACTIONS = (0.0, 0.29, 0.62, 1.0)
_MANY_AXES_FRACTIONS = (0.0, 1.0)
_OF_A_WAY = 8
# A launch expected to stay below this many warp-instructions is replayed whole.
SMALL_LAUNCH = 4_000_000
# The same where a sample's counts are only bounded: a few seconds for exact ones.
MEDIUM_LAUNCH = 100_000_000


def _axis_class(index: int, size: int, period: int) -> AxisClass:
    if index == 0:
        return FIRST, 0
    return (LAST, 0) if index == size - 1 else (BETWEEN, index % period)


def linear(place: Sequence[int], grid: Shape) -> int:
    """The linear index of a block."""
    found = 0
    for index, size in zip(reversed(place), reversed(grid), strict=True):
        found = found * size + index
    return found


def _with_periods(grid: Shape, periods: Shape) -> list[tuple[int, int]]:
    """Size and period of every axis."""
    return list(zip_longest(grid, periods, fillvalue=1))


def class_of(block: int, grid: Shape, periods: Shape = NO_PERIODS) -> Class:
    """The class of a block by its linear index."""
    found = []
    for size, period in _with_periods(grid, periods):
        found.append(_axis_class(block % size, size, period))
        block //= size
    return tuple(found)


def class_sizes(grid: Shape, periods: Shape = NO_PERIODS) -> dict[Class, int]:
    """How many blocks of the launch each class has."""
    axes = [_axis_sizes(size, period) for size, period in _with_periods(grid, periods)]
    return {
        key: prod(sizes[part] for sizes, part in zip(axes, key, strict=True))
        for key in product(*axes)
    }


def _axis_sizes(size: int, period: int) -> dict[AxisClass, int]:
    """How many indices of one axis each class has."""
    sizes = {(FIRST, 0): 1, (LAST, 0): size > 1}
    for residue in range(period):
        first = residue or period  # index 0 is another class
        sizes[BETWEEN, residue] = max(0, (size - 2 - first) // period + 1)
    return {key: int(count) for key, count in sizes.items() if count}


def sample_blocks(grid: Shape, periods: Shape = NO_PERIODS) -> Counts:
    """Linear indices of the sample: ends, and spread positions between, of every class, and
    the ``neighbours``.

    A class with several axes between its ends is sampled along a diagonal, not everywhere.
    """
    home, others = neighbours(grid)
    chosen = {home, *(block for block in others if block is not None)}
    one_axis = sum(size > 2 for size in grid) == 1 and set(periods) <= {1}
    axes = list(enumerate(_with_periods(grid, periods)))
    for key in class_sizes(grid, periods):
        for fraction in _FRACTIONS if one_axis else _MANY_AXES_FRACTIONS:
            place = [_position(key[axis], *of, fraction, axis) for axis, of in axes]
            chosen.add(linear(place, grid))
    return np.array(sorted(chosen), dtype=np.int64)


def _position(key: AxisClass, size: int, period: int, fraction: float, axis: int) -> int:
    kind, residue = key
    if kind != BETWEEN:
        return 0 if kind == FIRST else size - 1
    if axis % 2:
        fraction = 1.0 - fraction
    first = residue if residue else period
    count = (size - 2 - first) // period + 1
    return first + period * round(fraction * (count - 1))


def neighbours(grid: Shape) -> tuple[int, tuple[int | None, ...]]:
    """A sampled block between the ends of every axis that has some, and the next on each axis."""
    home = [max(size - 2, 0) if axis % 2 else min(1, size - 1) for axis, size in enumerate(grid)]

    def next_on(axis: int) -> int | None:
        moved = [index + (axis == n) * (-1 if n % 2 else 1) for n, index in enumerate(home)]
        inside = 0 < moved[axis] < grid[axis] - 1
        return linear(moved, grid) if inside else None

    return linear(home, grid), tuple(next_on(axis) for axis in range(len(grid)))


def find_period(here: Mapping[int, int], there: Mapping[int, int]) -> int:
    """After how many steps from block to block all addresses have moved by whole lines.

    ``here`` and ``there`` give an address of each global memory instruction (by index) in two
    blocks one step apart.
    """
    common = here.keys() & there.keys()
    step = gcd(LINE_BYTES, *(there[index] - here[index] for index in common))
    return LINE_BYTES // step


@dataclass(frozen=True)
class Verdict:
    """Whether a sample stands for the launch; ``reason`` is one sentence for the user."""

    holds: bool
    reason: str


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a launch's blocks: by their place, and by the way they take where that is
    known (``ways``: a number for each block, by linear index)."""

    grid: Shape
    periods: Shape = NO_PERIODS
    ways: Counts | None = None

    def of(self, block: int) -> Hashable:
        """The class of a block by its linear index."""
        key = class_of(block, self.grid, self.periods)
        return key if self.ways is None else (key, int(self.ways[block]))

    def sizes(self) -> Mapping[Hashable, int]:
        """How many blocks of the launch each class has."""
        if self.ways is None:
            return cast(Mapping[Hashable, int], class_sizes(self.grid, self.periods))
        first, count = np.unique(self._numbers(), return_index=True, return_counts=True)[1:]
        return {
            self.of(block): size for block, size in zip(first.tolist(), count.tolist(), strict=True)
        }

    def sample(self) -> Counts:
        """Linear indices of the blocks to look at, of every class."""
        spread = sample_blocks(self.grid, self.periods)
        if self.ways is None:
            return spread
        numbers = self._numbers()
        first = np.unique(numbers, return_index=True)[1]
        last = len(numbers) - 1 - np.unique(numbers[::-1], return_index=True)[1]
        return np.unique(np.concatenate([spread, first, last, *self._others()]))

    def _others(self) -> list[Counts]:
        """Some blocks of each way but that of the ``neighbours``, which tells how addresses move
        from block to block."""
        assert self.ways is not None
        order = np.argsort(self.ways, kind="stable")
        starts = np.unique(self.ways[order], return_index=True)[1]
        groups = np.split(order, starts[1:])
        home = self.ways[neighbours(self.grid)[0]]
        return [
            group[spread_blocks(len(group), _OF_A_WAY)]
            for group in groups
            if self.ways[group[0]] != home
        ]

    def _numbers(self) -> Counts:
        """A number for every block, the same for those of one class."""
        assert self.ways is not None
        found = np.zeros(1, np.int64)
        for size, period in _with_periods(self.grid, self.periods):
            place = np.arange(size) % period + 1  # between the ends
            place[-1], place[0] = period + 1, 0
            found = (place[:, None] * (found.max() + 1) + found[None, :]).ravel()
        return found * (int(self.ways.max()) + 1) + self.ways


def judge(classes: Classes, counts: Mapping[int, Counts]) -> Verdict:
    """Compare the counts of sampled blocks (linear index -> any array of counts)."""
    first: dict[Hashable, int] = {}
    for block, values in counts.items():
        other = first.setdefault(classes.of(block), block)
        if not np.array_equal(values, counts[other]):
            return Verdict(False, f"blocks {other} and {block} differ in their counts")
    return Verdict(
        True,
        f"{len(counts)} blocks (first, last, edge and spread inner ones) have equal counts in "
        "their class, and no address, guard or branch depends on loaded data"
        + ("; the way of every block is known" if classes.ways is not None else ""),
    )


def extrapolate(classes: Classes, counts: Mapping[int, Counts]) -> Counts:
    """Counts of the whole launch: each class's mean count a block times its number of blocks."""
    sampled: dict[Hashable, list[Counts]] = defaultdict(list)
    for block, values in counts.items():
        sampled[classes.of(block)].append(values)
    parts = [_scaled(sampled[key], size) for key, size in classes.sizes().items()]
    return np.asarray(sum(parts))


def _scaled(values: list[Counts], size: int) -> Counts:
    """The mean of some counts times ``size``, rounded; exact where they are equal."""
    total = np.sum(values, axis=0) * size
    return np.asarray((total + len(values) // 2) // len(values))


def spread_blocks(total: int, wanted: int) -> Counts:
    """``wanted`` linear indices spread evenly over a launch, first and last included."""
    return np.unique(np.linspace(0, total - 1, min(wanted, total)).round().astype(np.int64))
