"""Which blocks of a launch are replayed, and when a sample may stand for the rest.

Blocks are sorted into classes by their place on every grid axis (first, last, between). A sample
stands for the launch when no loaded data reaches an address, a guard or a branch, and all sampled
blocks of a class have equal counts, instruction by instruction.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

Dim3 = tuple[int, int, int]
Class = tuple[int, int, int]

FIRST, BETWEEN, LAST = range(3)
# Where blocks between the ends are sampled: fractions that share no step with powers of two. The
# classes at an edge, which have fewer blocks, get two.
_FRACTIONS = (0.0, 0.29, 0.62, 1.0)
_EDGE_FRACTIONS = (0.0, 0.62)
# A launch expected to stay below this many warp-instructions is replayed whole.
SMALL_LAUNCH = 4_000_000


def place(index: int, size: int) -> int:
    """The class of a position on one axis."""
    if index == 0:
        return FIRST
    return LAST if index == size - 1 else BETWEEN


def class_of(block: int, grid: Dim3) -> Class:
    """The class of a block by its linear index."""
    x, rest = block % grid[0], block // grid[0]
    y, z = rest % grid[1], rest // grid[1]
    return place(x, grid[0]), place(y, grid[1]), place(z, grid[2])


def class_sizes(grid: Dim3) -> dict[Class, int]:
    """How many blocks of the launch each class has."""
    axes = [Counter({FIRST: 1, LAST: int(n > 1), BETWEEN: max(n - 2, 0)}) for n in grid]
    sizes = {
        (a, b, c): axes[0][a] * axes[1][b] * axes[2][c] for a, b, c in product(range(3), repeat=3)
    }
    return {key: size for key, size in sizes.items() if size}


def sample_blocks(grid: Dim3) -> NDArray[np.int64]:
    """Linear indices of the sample: ends, and spread positions between, of every class.

    A class with several axes between its ends is sampled along a diagonal, not everywhere.
    """
    chosen: set[int] = set()
    classes = class_sizes(grid)
    inner = max(key.count(BETWEEN) for key in classes)
    for key in classes:
        for fraction in _FRACTIONS if key.count(BETWEEN) == inner else _EDGE_FRACTIONS:
            x, y, z = (_position(key[axis], grid[axis], fraction, axis) for axis in range(3))
            chosen.add(x + grid[0] * (y + grid[1] * z))
    return np.array(sorted(chosen), dtype=np.int64)


def _position(kind: int, size: int, fraction: float, axis: int) -> int:
    if kind == FIRST:
        return 0
    if kind == LAST:
        return size - 1
    if axis % 2:
        fraction = 1.0 - fraction
    return 1 + round(fraction * (size - 3))


@dataclass(frozen=True)
class Verdict:
    """Whether a sample stands for the launch; ``reason`` is one sentence for the user."""

    holds: bool
    reason: str


def judge(
    grid: Dim3, counts: Mapping[int, NDArray[np.int64]], data_dependence: str | None
) -> Verdict:
    """Compare the counts of sampled blocks (linear index -> any array of counts).

    ``data_dependence`` describes an instruction that follows loaded data, if there is one.
    """
    if data_dependence is not None:
        return Verdict(False, f"loaded data steers {data_dependence}")
    first: dict[Class, int] = {}
    for block, values in counts.items():
        key = class_of(block, grid)
        other = first.setdefault(key, block)
        if not np.array_equal(values, counts[other]):
            return Verdict(False, f"blocks {other} and {block} differ in their counts")
    return Verdict(
        True,
        f"{len(counts)} blocks (first, last, edge and spread inner ones) have equal counts in "
        "their class, and no address, guard or branch depends on loaded data",
    )


def extrapolate(grid: Dim3, counts: Mapping[int, NDArray[np.int64]]) -> NDArray[np.int64]:
    """Counts of the whole launch: each class's mean count a block times its number of blocks."""
    sampled: dict[Class, list[NDArray[np.int64]]] = defaultdict(list)
    for block, values in counts.items():
        sampled[class_of(block, grid)].append(values)
    parts = [_scaled(sampled[key], size) for key, size in class_sizes(grid).items()]
    return np.asarray(sum(parts))


def _scaled(values: list[NDArray[np.int64]], size: int) -> NDArray[np.int64]:
    """The mean of some counts times ``size``, rounded; exact where they are equal."""
    total = np.sum(values, axis=0) * size
    return np.asarray((total + len(values) // 2) // len(values))


def spread_blocks(total: int, wanted: int) -> NDArray[np.int64]:
    """``wanted`` linear indices spread evenly over a launch, first and last included."""
    return np.unique(np.linspace(0, total - 1, min(wanted, total)).round().astype(np.int64))
