"""Which SM runs which block: the order of the first wave, and the groups of SMs it goes through.

Measured on an NVIDIA H200 (the SM of every block of ten launches): the chip has eight groups of
SMs (its GPCs); one of them is split in two. Blocks go to one group after the other, one to each
SM of the group, until every SM holds all it can. The split-off part comes first and again after
five, then after every six groups. When fewer blocks are left than SMs, each group gets an equal
share of them.
"""

from __future__ import annotations

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
    share = _share(layout, total)
    most = 1 if total <= layout.sm_count else blocks_per_sm
    room = [most * size for size in layout.sizes]
    for part in _visits(layout, returns=total > layout.sm_count):
        count = min(layout.sizes[part], room[part], wanted - len(order))
        if share and not (layout.returns and part == 0):
            count = min(count, share)
        used = most * layout.sizes[part] - room[part]
        order.extend(int(starts[part]) + (used + n) % layout.sizes[part] for n in range(count))
        room[part] -= count
        if len(order) >= wanted:
            return np.array(order, np.int64)
    raise AssertionError("parts are visited for ever")


def _share(layout: Layout, total: int) -> int:
    """Blocks a visit when there are fewer than SMs; 0: as many as the part has SMs."""
    if total >= layout.sm_count:
        return 0
    head = layout.sizes[0] if layout.returns else 0
    parts = len(layout.sizes) - (1 if layout.returns else 0)
    return max(1, -(-(total - head) // parts))


def _visits(layout: Layout, returns: bool):  # type: ignore[no-untyped-def]
    """Parts in the order they are visited, for ever."""
    ordinary = list(range(1 if layout.returns else 0, len(layout.sizes)))
    if layout.returns:
        yield 0
    count = 0
    while True:
        for part in ordinary:
            back = count >= FIRST_RETURN and (count - FIRST_RETURN) % RETURN == 0
            if layout.returns and returns and back:
                yield 0
            yield part
            count += 1
