"""Grids whose index a kernel takes apart.

Many kernels have more axes than their grid: ``blockIdx.x % across`` is a column, ``blockIdx.x /
across`` a row. Along an axis of the kernel's own the addresses of a block move evenly from one to
the next, and at the end of a row they jump; so the rows are found with a few blocks, between whose
first addresses the jump is searched for. What is found here is a guess that the sample has to bear
out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from simulator.sampling import Shape, linear

Addresses = Mapping[int, int]  # by instruction, where a block's first access goes
Where = Callable[[int], Addresses]
_FEWEST = 4  # places of an axis: two between its ends


def unfold(grid: Shape, addresses: Where) -> Shape:
    """The axes that the blocks of a grid have; those of the grid where none is taken apart.

    ``addresses`` gives those of a block by its linear index.
    """
    found: list[int] = []
    home = [min(1, size - 1) for size in grid]  # behind the first of every axis
    for axis, size in enumerate(grid):
        place, unit = list(home), [int(n == axis) for n in range(len(grid))]
        place[axis] = 0
        found += _parts(size, _Line(addresses, linear(place, grid), linear(unit, grid)))
    return tuple(found)


@dataclass(frozen=True)
class _Line:
    """Blocks at even distances: the ``first``, and by how much an index grows to the next."""

    addresses: Where
    first: int
    stride: int

    def __call__(self, place: int) -> Addresses:
        return self.addresses(self.first + place * self.stride)

    def every(self, width: int) -> _Line:
        """The second of each ``width`` blocks."""
        return _Line(self.addresses, self.first + self.stride, self.stride * width)


def _parts(size: int, line: _Line) -> list[int]:
    """The axes that one is taken apart into, the quickest first."""
    width = _width(size, line)
    return [width] if width == size else [width, *_parts(size // width, line.every(width))]


def _width(count: int, addresses: Where) -> int:
    """The places of an axis until its addresses jump; all of them if they never do."""
    if count < 2 * _FEWEST:
        return count
    move = _move(addresses(1), addresses(2))
    if not move or _follows(addresses, 1, count - 1, move):
        return count
    even, jumped = 2, count - 1
    while jumped - even > 1:
        middle = (even + jumped) // 2
        if _follows(addresses, 1, middle, move):
            even = middle
        else:
            jumped = middle
    for width in (jumped, jumped + 1):  # the last one of a row may differ in its accesses
        fits = width >= _FEWEST and count % width == 0 and width < count
        if fits and _follows(addresses, width + 1, width + 2, move):
            return width
    return count


def _move(one: Addresses, other: Addresses) -> Addresses:
    """By how much each instruction's address lies further in another block."""
    return {index: other[index] - one[index] for index in one.keys() & other.keys()}


def _follows(addresses: Where, first: int, place: int, move: Addresses) -> bool:
    """Whether the addresses have moved evenly from one place to another."""
    moved = _move(addresses(first), addresses(place))
    common = moved.keys() & move.keys()
    return bool(common) and all(moved[i] == (place - first) * move[i] for i in common)
