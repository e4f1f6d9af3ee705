"""Streams of a whole launch from those of a few blocks.

Blocks are sorted into classes by their place on every grid axis (first, between, last). In a class
one block is the template; its neighbours along the axes say how far every item moves a step, and
further blocks check that. It holds when no loaded data steers an address, so where it fails to
hold, every block has to be replayed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from simulator.device.structure import SECTOR_BYTES
from simulator.memory.caches.items import LOCAL_BASE
from simulator.memory.caches.streams import (
    LOCAL_SHIFT,
    Stream,
    Streams,
    empty_stream,
    join,
    same_array,
)  # fmt: skip

Shape = tuple[int, ...]  # sizes of a grid's axes, the quickest first
FEW_ROWS = 32
Items = NDArray[np.intp]  # indices of items
Range = tuple[int, int]  # first position and number of positions on an axis


@dataclass(frozen=True)
class Group:
    """A class of blocks: the positions it covers on each axis."""

    ranges: tuple[Range, ...]

    def corner(self) -> Shape:
        """The block that is the template."""
        return tuple(first for first, _ in self.ranges)

    def neighbours(self) -> dict[int, Shape]:
        """The next block along every axis that has one."""
        found = {}
        for axis, (_, count) in enumerate(self.ranges):
            if count > 1:
                found[axis] = self._moved({axis: 1})
        return found

    def checks(self) -> set[Shape]:
        """Blocks far from the corner."""
        counts = [count for _, count in self.ranges]
        far = self._moved({axis: n - 1 for axis, n in enumerate(counts)})
        middle = self._moved({axis: n // 2 for axis, n in enumerate(counts)})
        return {far, middle}

    def _moved(self, by: Mapping[int, int]) -> Shape:
        return tuple(first + by.get(axis, 0) for axis, (first, _) in enumerate(self.ranges))


def groups_of(grid: Shape) -> tuple[Group, ...]:
    """The classes of a grid."""
    axes = [_axis_ranges(size) for size in grid]
    return tuple(Group(ranges) for ranges in product(*axes))


def _axis_ranges(size: int) -> list[Range]:
    ranges = [(0, 1), (1, size - 2), (size - 1, 1)]
    return [r for r in ranges[: min(size, 2)] if r[1] > 0] + (ranges[2:] if size > 1 else [])


def linear(block: Shape, grid: Shape) -> int:
    """The linear index of a block."""
    return int(np.dot(block, _strides(grid)))


def _strides(grid: Shape) -> NDArray[np.int64]:
    """By how much a block's linear index grows along each axis."""
    return np.cumprod([1, *grid[:-1]], dtype=np.int64)


def template_blocks(grid: Shape) -> NDArray[np.int64]:
    """Linear indices of the blocks to replay."""
    wanted: set[Shape] = set()
    for group in groups_of(grid):
        wanted |= {group.corner(), *group.neighbours().values(), *group.checks()}
    return np.array(sorted(linear(block, grid) for block in wanted), np.int64)


def extend(blocks: Mapping[int, Stream], grid: Shape) -> Streams | None:
    """Streams of every block of a grid, or None when the blocks given do not allow it.

    ``blocks`` has the streams of ``template_blocks(grid)``; a block missing there had no item.
    """
    total = math.prod(grid)
    template, steps = np.zeros(total, np.int64), np.zeros((total, len(grid)), np.int64)
    streams: list[Stream] = []
    moves: list[NDArray[np.int64]] = []
    empty = empty_stream()
    for group in groups_of(grid):
        move = _item_moves(group, blocks, grid, empty)
        if move is None:
            return None
        _assign(group, grid, len(streams), template, steps)
        streams.append(blocks.get(linear(group.corner(), grid), empty))
        moves.append(move)
    shifts, numbers = distinct_rows(np.concatenate(moves))
    shift = _shifts_of_items(streams, numbers)
    if not len(shifts):
        shifts = np.zeros((1, len(grid)), np.int64)
    return join(streams, [shift], shifts.astype(np.int64), template, steps)


def _shifts_of_items(streams: list[Stream], numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    """The shift of every item, from those of the items in global memory."""
    in_global = np.concatenate([s.base < LOCAL_BASE for s in streams])
    shift = np.full(len(in_global), LOCAL_SHIFT, np.int32)
    shift[in_global] = numbers
    return shift


def distinct_rows(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The different rows, and which of them each row is; quick where there are few."""
    left = np.arange(len(rows))
    numbers = np.zeros(len(rows), np.int32)
    found: list[NDArray[np.int64]] = []
    while len(left) and len(found) < FEW_ROWS:
        same = (rows[left] == rows[left[0]]).all(axis=1)
        numbers[left[same]] = len(found)
        found.append(rows[left[0]])
        left = left[~same]
    if len(left):
        more, number = np.unique(rows[left], axis=0, return_inverse=True)
        numbers[left] = number.reshape(-1) + len(found)
        found.extend(more)
    return np.array(found, np.int64).reshape(-1, rows.shape[1]), numbers


def _item_moves(
    group: Group, blocks: Mapping[int, Stream], grid: Shape, empty: Stream
) -> NDArray[np.int64] | None:
    """int64[item in global memory, axis]: bytes it moves a step; None if the class has no such
    rule, which it also has not where local memory is used otherwise."""
    corner = blocks.get(linear(group.corner(), grid), empty)
    own = np.flatnonzero(corner.base < LOCAL_BASE)
    moves = np.zeros((len(own), len(grid)), np.int64)
    for axis, block in group.neighbours().items():
        moved = _moved(corner, blocks.get(linear(block, grid), empty), own)
        if moved is None:
            return None
        moves[:, axis] = moved
    for block in group.checks():
        moved = _moved(corner, blocks.get(linear(block, grid), empty), own)
        by = np.array(block) - np.array(group.corner())
        if moved is None or not np.array_equal(moved, moves @ by):
            return None
    return moves if _keeps_sectors(corner, own, moves) else None


def _moved(corner: Stream, other: Stream, own: Items) -> NDArray[np.int64] | None:
    """Bytes by which another block's items in global memory (``own``) lie further than those of a
    corner; None if the blocks differ in anything else."""
    if not _alike(corner, other):
        return None
    moved = other.base - corner.base
    return moved[own] if np.count_nonzero(moved) == np.count_nonzero(moved[own]) else None


def _keeps_sectors(stream: Stream, own: Items, moves: NDArray[np.int64]) -> bool:
    """Whether items still touch the same sectors of their run when they move.

    They do when they move by whole sectors, or are one aligned word, or two or four together, that
    move by as many.
    """
    words, base = stream.words[own].astype(np.int64), stream.base[own]
    count = np.select([words == 1, words == 3, words == 15], [1, 2, 4], 0)
    aligned = (count > 0) & ((base >> 2) % np.maximum(count, 1) == 0)
    unit = np.where(aligned, 4 * count, SECTOR_BYTES)
    return bool((moves % unit[:, None] == 0).all())


def _alike(one: Stream, other: Stream) -> bool:
    return all(
        same_array(getattr(one, name), getattr(other, name))
        for name in ("info", "words", "warp", "rounds")
    )


def _assign(
    group: Group, grid: Shape, index: int, template: NDArray[np.int64], steps: NDArray[np.int64]
) -> None:
    axes = [np.arange(first, first + count) for first, count in group.ranges]
    places = np.stack(np.meshgrid(*axes[::-1], indexing="ij")[::-1], -1).reshape(-1, len(grid))
    blocks = places @ _strides(grid)
    template[blocks] = index
    steps[blocks] = places - np.array(group.corner())
