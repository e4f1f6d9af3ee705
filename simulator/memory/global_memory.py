"""Sectors and tags of global memory requests, as measured on an NVIDIA H200."""

from __future__ import annotations

import numpy as np

from simulator.memory.groups import Addresses, Work, first_lanes
from simulator.memory.jit import compiled, lowest_lane, popcount

SECTOR_SHIFT = 5
LINE_SHIFT = 7
SECTOR_BYTES = 32
TAG_BANKS = 4


def _bits(*positions: int) -> int:
    return sum(1 << position for position in positions)


# The tag bank of a line is two parities of its address. Bits from 30 up are unknown; they only
# matter for a request that spans more than 1 GiB.
TAG_BANK_LOW = _bits(7, 9, 11, 12, 14, 16, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29)
TAG_BANK_HIGH = _bits(8, 10, 11, 13, 14, 15, 17, 19, 21, 22, 24, 26, 27, 28)


@compiled
def tag_bank(address: int) -> int:
    """Which of the four tag banks holds the line of a byte address."""
    low = popcount(address & TAG_BANK_LOW) & 1
    high = popcount(address & TAG_BANK_HIGH) & 1
    return 2 * high + low


@compiled
def output_wavefronts(addresses: Addresses, leaders: int) -> int:
    """Wavefronts of the tag stage: most lines in one tag bank.

    ``leaders`` marks one lane for each distinct line. Needs real addresses: the banks of a
    pattern change when it is moved.
    """
    if leaders & (leaders - 1) == 0:
        return 1
    counts = 0  # four bytes, one a bank
    worst = 0
    while leaders:
        lane = lowest_lane(leaders)
        leaders &= leaders - 1
        shift = 8 * tag_bank(np.int64(addresses[lane]))
        counts += 1 << shift
        worst = max(worst, (counts >> shift) & 0xFF)
    return worst


@compiled
def ideal_sectors(lanes: int, width: int, sectors: int) -> int:
    """Source-page ideal: the sectors that the bytes of ``lanes`` lanes would fill."""
    return min(sectors, (lanes * width + SECTOR_BYTES - 1) // SECTOR_BYTES)


@compiled
def count_global(
    addresses: Addresses, mask: int, width: int, work: Work
) -> tuple[int, int, int, int]:
    """Sectors, ideal sectors, tags and the mask of the first lane of each line.

    The source page counts loads, stores and atomics alike: repeats are ignored.
    """
    sectors = popcount(first_lanes(addresses, mask, SECTOR_SHIFT, work))
    leaders = first_lanes(addresses, mask, LINE_SHIFT, work)
    ideal = ideal_sectors(popcount(mask), width, sectors)
    return sectors, ideal, popcount(leaders), leaders
