"""Sectors and tags of local memory requests, as measured on an NVIDIA H200.

Local memory is interleaved: the 32-bit word at one offset of all 32 lanes forms one line, so lanes
that touch the same offset share it.
"""

from __future__ import annotations

import numpy as np

from simulator.memory.groups import EMPTY, Addresses, Work, clear, find
from simulator.memory.jit import compiled, lowest_lane

WORD_SHIFT = 2
LANES_PER_SECTOR = 8


@compiled
def _add_words(addresses: Addresses, lanes: int, part: int, work: Work) -> int:
    """Add word ``part`` of each lane's access to the table; the number of new words."""
    added = 0
    while lanes:
        lane = lowest_lane(lanes)
        lanes &= lanes - 1
        word = (np.int64(addresses[lane]) >> WORD_SHIFT) + part
        slot = find(work, word)
        if work[slot] == EMPTY:
            work[slot] = word
            added += 1
    return added


@compiled
def count_words(addresses: Addresses, lanes: int, width: int, work: Work) -> int:
    """Distinct local words that ``lanes`` touch, each access aligned to its width.

    Aligned accesses either coincide or are disjoint, so the parts of an access never meet the
    parts of another kind and each part can be counted with a fresh table.
    """
    words = 0
    for part in range(max(1, width // 4)):
        clear(work)
        words += _add_words(addresses, lanes, part, work)
    return words


@compiled
def count_local(
    addresses: Addresses, mask: int, width: int, work: Work
) -> tuple[int, int, int]:
    """Requests, sectors and tags of one local load or store."""
    sectors = 0
    for first in range(0, 32, LANES_PER_SECTOR):
        sectors += count_words(addresses, mask & (0xFF << first), width, work)
    return max(1, width // 4), sectors, count_words(addresses, mask, width, work)
