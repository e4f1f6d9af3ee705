"""Sectors and tags of global memory requests, as measured on an NVIDIA H200."""

from __future__ import annotations

from simulator.jit import compiled, inlined, int64, step
from simulator.memory.lanes import (
    ALL_BITS,
    LINE_BITS,
    SECTOR_BITS,
    SECTOR_BYTES,
    Addresses,
    first_lanes,
)
from simulator.memory.vector import lowest_lane, popcount, same_lanes

TAG_BANKS = 4


def _bits(*positions: int) -> int:
    return sum(1 << position for position in positions)


# The tag bank of a line is two parities of its address. Bits from 30 up are unknown; they only
# matter for a request that spans more than 1 GiB.
TAG_BANK_LOW = _bits(7, 9, 11, 12, 14, 16, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29)
TAG_BANK_HIGH = _bits(8, 10, 11, 13, 14, 15, 17, 19, 21, 22, 24, 26, 27, 28)


@inlined
def tag_bank(address: int) -> int:
    """Which of the four tag banks holds the line of a byte address."""
    low = popcount(address & TAG_BANK_LOW) & 1
    high = popcount(address & TAG_BANK_HIGH) & 1
    return 2 * high + low


@compiled
def output_wavefronts(addresses: Addresses, leaders: int) -> int:
    """Wavefronts of the tag stage of a load or store: most lines in one tag bank, at least 1.

    ``leaders`` marks one lane for each distinct line. Needs real addresses: the banks of a
    pattern change when it is moved.
    """
    counts = 0  # four bytes, one a bank
    worst = 1
    while leaders:
        lane = lowest_lane(leaders)
        leaders &= leaders - 1
        shift = 8 * tag_bank(int64(addresses[lane]))
        counts += 1 << shift
        worst = max(worst, (counts >> shift) & 0xFF)
    return worst


@step
def ideal_sectors(lanes: int, width: int, sectors: int) -> int:
    """Source-page ideal: the sectors that the bytes of ``lanes`` lanes would fill."""
    return min(sectors, (lanes * width + SECTOR_BYTES - 1) // SECTOR_BYTES)


@compiled
def count_global(addresses: Addresses, mask: int, width: int) -> tuple[int, int, int, int]:
    """Sectors, ideal sectors, tags and the mask of the first lane of each line.

    The source page counts loads, stores and atomics alike: repeats are ignored.
    """
    firsts = first_lanes(addresses, mask, SECTOR_BITS)
    sectors = popcount(firsts)
    leaders = first_lanes(addresses, firsts, LINE_BITS)
    ideal = ideal_sectors(popcount(mask), width, sectors)
    return sectors, ideal, popcount(leaders), leaders


@step
def distinct_bytes(addresses: Addresses, mask: int, width: int) -> int:
    """Different bytes that lanes ask for; aligned accesses of one width coincide or are apart."""
    return width * popcount(first_lanes(addresses, mask, ALL_BITS))


@step
def all_distinct(addresses: Addresses, mask: int) -> bool:
    """Whether no two lanes ask for one address."""
    return first_lanes(addresses, mask, ALL_BITS) == mask


@step
def hottest(addresses: Addresses, lanes: int) -> int:
    """Most of these lanes on one address."""
    worst = 0
    left = lanes
    while left:
        lane = lowest_lane(left)
        same = same_lanes(addresses, lane, ALL_BITS) & lanes
        left &= ~same
        worst = max(worst, popcount(same))
    return worst


@step
def sum_hottest(addresses: Addresses, mask: int, bits: int) -> int:
    """Most lanes on one address, summed over the sectors or lines (which address bits say)."""
    total = 0
    left = mask
    while left:
        lane = lowest_lane(left)
        same = same_lanes(addresses, lane, bits) & mask
        left &= ~same
        total += hottest(addresses, same)
    return total


@compiled
def count_atomic_hardware(addresses: Addresses, mask: int) -> tuple[int, int]:
    """Hardware sectors and tags of a global atomic or reduction; L2 sees as many."""
    sectors = sum_hottest(addresses, mask, SECTOR_BITS)
    return sectors, sum_hottest(addresses, mask, LINE_BITS)


@compiled
def output_wavefronts_atomic(addresses: Addresses, mask: int) -> int:
    """Wavefronts of the tag stage of an atomic: most hardware tags in one tag bank.

    Needs real addresses. Holds on 45 of the 46 recorded launches.
    """
    banks = int64(0)  # four bytes, one a bank
    worst = 0
    left = mask
    while left:
        lane = lowest_lane(left)
        same = same_lanes(addresses, lane, LINE_BITS) & mask
        left &= ~same
        shift = 8 * tag_bank(int64(addresses[lane]))
        banks += hottest(addresses, same) << shift
        worst = max(worst, (banks >> shift) & 0xFF)
    return worst
