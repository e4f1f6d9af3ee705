"""Which SM runs which block: the order of the first wave, and the groups of SMs it goes through.

Measured on an NVIDIA H200 (the SM of every block of 29 launches, ``h200_placement.json``): the chip
has eight groups of SMs (its GPCs); one of them is split in two. Blocks go to one group after the
other, one to each SM of the group. The split-off part comes first and again after five, then after
every six groups (``sm_part_returns``), until every SM has as many blocks as every other. What is
left over of the blocks that run together, less than one for each SM, fills the split-off part and
goes round the groups in the same order, one each: as long as any has a TPC without one, to the
first SM of such a TPC, then to second ones; those of a group follow each other. Here the rest of
the split group is the first; on a GPU a launch begins where the one before ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.device.structure import SMS_PER_TPC


@dataclass(frozen=True)
class Layout:
    """SMs in launch order: ``sizes[p]`` SMs in part ``p``, which belongs to group ``groups[p]``.

    Where it ``returns``, part 0 is the split-off part that is visited out of turn: after so many
    groups, then after so many each time. Empty: it does not.
    """

    sizes: tuple[int, ...]
    groups: tuple[int, ...]
    returns: tuple[int, ...]

    @property
    def sm_count(self) -> int:
        """SMs in all parts."""
        return sum(self.sizes)

    def group_of_sm(self) -> NDArray[np.int64]:
        """The group of every SM."""
        return np.repeat(np.array(self.groups, np.int64), self.sizes)


def first_wave(layout: Layout, blocks_per_sm: int, total: int) -> NDArray[np.int64]:
    """The SM of each block of the first wave: int64[min(total, SMs * blocks_per_sm)]."""
    wanted = min(total, layout.sm_count * blocks_per_sm)
    if wanted <= layout.sm_count:
        return _spread(layout, wanted)
    rounds, rest = divmod(wanted, layout.sm_count)
    return np.concatenate([_all_around(layout, rounds), _spread(layout, rest)])


def _all_around(layout: Layout, rounds: int) -> NDArray[np.int64]:
    """Blocks that give as many to every SM."""
    starts = np.cumsum([0, *layout.sizes])
    left = [rounds] * len(layout.sizes)
    found = [np.zeros(0, np.int64)]
    for part in _visits(layout):
        if not any(left):
            return np.concatenate(found)
        if left[part]:
            left[part] -= 1
            found.append(np.arange(starts[part], starts[part + 1]))
    raise AssertionError("parts are visited for ever")


def _spread(layout: Layout, total: int) -> NDArray[np.int64]:
    """Blocks of which no SM gets two: the first SM of every TPC of a part before the second ones,
    those of one part in the order of its SMs."""
    starts = np.cumsum([0, *layout.sizes])
    found = [np.zeros(0, np.int64)]
    for part, share in _shares(layout, total):
        sms = np.arange(layout.sizes[part])
        chosen = np.argsort(sms % SMS_PER_TPC, kind="stable")[:share]
        found.append(starts[part] + np.sort(chosen))
    return np.concatenate(found)


def _shares(layout: Layout, total: int) -> Iterator[tuple[int, int]]:
    """Parts and their blocks where there is one for an SM at most: each part in turn gets one, as
    long as any has a TPC without a block those alone."""
    head = min(total, layout.sizes[0]) if layout.returns else 0
    if layout.returns:
        yield 0, head
    shares = dict.fromkeys(_ordinary(layout), 0)
    left = total - head
    for sms_of_tpc in range(1, SMS_PER_TPC + 1):
        room = {part: layout.sizes[part] * sms_of_tpc // SMS_PER_TPC for part in shares}
        while left and any(shares[part] < room[part] for part in shares):
            for part in shares:
                if left and shares[part] < room[part]:
                    shares[part] += 1
                    left -= 1
    yield from shares.items()


def _ordinary(layout: Layout) -> list[int]:
    """The parts that take turns, the rest of the group that was split first."""
    found = list(range(1 if layout.returns else 0, len(layout.sizes)))
    same = [part for part in found if layout.returns and layout.groups[part] == layout.groups[0]]
    at = found.index(same[0]) if same else 0
    return found[at:] + found[:at]


def _visits(layout: Layout) -> Iterator[int]:
    """Parts in the order they are visited, for ever."""
    if layout.returns:
        yield 0
    count = 0
    while True:
        for part in _ordinary(layout):
            if layout.returns and _comes_back(count, *layout.returns):
                yield 0
            yield part
            count += 1


def _comes_back(count: int, first: int, each: int) -> bool:
    """Whether the split-off part is visited after ``count`` groups."""
    return count >= first and (count - first) % each == 0
