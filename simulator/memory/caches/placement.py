"""Which SM runs which block: the order of the first wave, and the groups of SMs it goes through.

Measured on an NVIDIA H200 (the SM of every block of ten launches): the chip has eight groups of
SMs (its GPCs); one of them is split in two. Blocks go to one group after the other, one to each
SM of the group, until every SM holds all it can. The split-off part comes first and again after
five, then after every six groups. A launch of no more blocks than SMs fills the split-off part
and shares the rest out evenly; a lone one begins with the rest of the split group.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FIRST_RETURN, RETURN = 5, 6


@dataclass(frozen=True)
class Layout:
    """SMs in launch order: ``sizes[p]`` SMs in part ``p``, which belongs to group ``groups[p]``.

    Where ``returns``, part 0 is the split-off part that is visited out of turn.
    """

    sizes: tuple[int, ...]
    groups: tuple[int, ...]
    returns: bool

    @property
    def sm_count(self) -> int:
        """SMs in all parts."""
        return sum(self.sizes)

    def group_of_sm(self) -> NDArray[np.int64]:
        """The group of every SM."""
        return np.repeat(np.array(self.groups, np.int64), self.sizes)


def first_wave(layout: Layout, blocks_per_sm: int, total: int) -> NDArray[np.int64]:
    """The SM of each block of the first wave: int64[min(total, SMs * blocks_per_sm)]."""
    starts = np.cumsum([0, *layout.sizes])
    order: list[int] = []
    wanted = min(total, layout.sm_count * blocks_per_sm)
    few = total <= layout.sm_count
    most = 1 if few else blocks_per_sm
    room = [most * size for size in layout.sizes]
    visits = _shares(layout, total) if few else _visits(layout)
    for part, share in visits:
        count = min(share, room[part], wanted - len(order))
        used = most * layout.sizes[part] - room[part]
        order.extend(int(starts[part]) + (used + n) % layout.sizes[part] for n in range(count))
        room[part] -= count
        if len(order) >= wanted:
            return np.array(order, np.int64)
    raise AssertionError("parts are visited until all blocks are placed")


def _shares(layout: Layout, total: int) -> Iterator[tuple[int, int]]:
    """Parts and their blocks where there is one for an SM at most."""
    head = min(total, layout.sizes[0]) if layout.returns else 0
    if layout.returns:
        yield 0, head
    ordinary = list(range(1 if layout.returns else 0, len(layout.sizes)))
    # The rest of the group that was split comes first (a lone launch of nine blocks).
    same = [part for part in ordinary if layout.groups[part] == layout.groups[0]]
    if layout.returns and same:
        at = ordinary.index(same[0])
        ordinary = ordinary[at:] + ordinary[:at]
    shares = dict.fromkeys(ordinary, 0)
    for _ in range(total - head):
        free = [part for part in ordinary if shares[part] < layout.sizes[part]]
        shares[min(free, key=lambda part: shares[part])] += 1
    yield from shares.items()


def _visits(layout: Layout) -> Iterator[tuple[int, int]]:
    """Parts in the order they are visited, for ever, and their SMs."""
    ordinary = list(range(1 if layout.returns else 0, len(layout.sizes)))
    if layout.returns:
        yield 0, layout.sizes[0]
    count = 0
    while True:
        for part in ordinary:
            if layout.returns and count >= FIRST_RETURN and (count - FIRST_RETURN) % RETURN == 0:
                yield 0, layout.sizes[0]
            yield part, layout.sizes[part]
            count += 1
