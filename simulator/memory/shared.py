"""Wavefronts of shared loads and stores (LDS, STS), as measured on an NVIDIA H200.

Two families of numbers differ. *Hardware* is what the ``l1tex`` counters see, *page* what Nsight
Compute's source page computes from the addresses. For 8 and 16 bytes they disagree on when lanes
with equal addresses let two phases of a load run as one.
"""

from __future__ import annotations

from simulator.memory.jit import compiled, constant, step
from simulator.memory.lanes import (
    LINE_BYTES,
    Addresses,
    bank_bits,
    count_phases,
    first_lanes,
    group_lanes,
    lanes_per_phase,
    unit_bits,
)
from simulator.memory.vector import lowest_lane, popcount, same_lanes

LOW_HALF = 0xFFFF
HIGH_HALF = 0xFFFF0000
WIDE_BYTES = constant(16)
WIDE_GROUP = constant(8)
NEIGHBOUR = constant(1)
NEXT_PAIR = constant(2)
ODD_LANES = 0xAAAAAAAA
ODD_PAIRS = 0xCCCCCCCC


@step
def most_in_a_bank(addresses: Addresses, lanes: int, width: int) -> int:
    """Most of these lanes in any bank."""
    worst = 0
    left = lanes
    while left:
        lane = lowest_lane(left)
        left &= left - 1
        worst = max(worst, popcount(same_lanes(addresses, lane, bank_bits(width)) & lanes))
    return worst


@step
def bank_degree(addresses: Addresses, lanes: int, width: int) -> int:
    """Most distinct units in any bank among ``lanes``; equal units are one access."""
    return most_in_a_bank(addresses, first_lanes(addresses, lanes, unit_bits(width)), width)


@step
def sum_degrees(addresses: Addresses, mask: int, width: int, group: int) -> int:
    """Degrees summed over phases of ``group`` lanes; an empty phase costs nothing."""
    total = 0
    for first in range(0, 32, group):
        total += bank_degree(addresses, mask & group_lanes(first, group), width)
    return total


@step
def is_paired(addresses: Addresses, lanes: int, distance: int) -> bool:
    """Whether every lane's partner ``distance`` (1 or 2) away is inactive or at its address."""
    upper = ODD_LANES if distance == 1 else ODD_PAIRS
    both = lanes & (lanes << distance) & upper
    while both:
        lane = lowest_lane(both)
        both &= both - 1
        if addresses[lane] != addresses[lane - distance]:
            return False
    return True


@step
def can_merge(addresses: Addresses, lanes: int) -> bool:
    """Whether a wide load of ``lanes`` can run with half the phases."""
    return is_paired(addresses, lanes, NEIGHBOUR) or is_paired(addresses, lanes, NEXT_PAIR)


@compiled
def hardware_group(addresses: Addresses, mask: int, width: int, is_load: bool) -> int:
    """Lanes of one phase as the hardware runs this request; merged loads have twice as many."""
    group = lanes_per_phase(width)
    if is_load and width >= 8 and can_merge(addresses, mask):
        return 2 * group
    return group


@step
def page_half(addresses: Addresses, lanes: int, width: int) -> int:
    """A half of an LDS.128 (or the whole of an LDS.64) on the source page.

    One wavefront when the lanes merge without a conflict, else one phase after the other.
    """
    if can_merge(addresses, lanes) and bank_degree(addresses, lanes, width) == 1:
        return 1
    return sum_degrees(addresses, lanes, width, lanes_per_phase(width))


@step
def page_128(addresses: Addresses, mask: int) -> int:
    """LDS.128 on the source page: each half-warp merges by itself.

    With a partial upper half the page no longer looks at pairs in the lower half: that merges,
    when free of conflicts, exactly if lane 31 is inactive (an oddity of Nsight Compute).
    """
    low = mask & LOW_HALF
    high = mask & HIGH_HALF
    if high == HIGH_HALF:
        return page_half(addresses, high, WIDE_BYTES) + page_half(addresses, low, WIDE_BYTES)
    total = page_half(addresses, high, WIDE_BYTES)
    if not (mask >> 31) & 1 and bank_degree(addresses, low, WIDE_BYTES) == 1:
        return total + 1
    return total + sum_degrees(addresses, low, WIDE_BYTES, WIDE_GROUP)


@step
def ideal_wavefronts(lanes: int, width: int, wavefronts: int) -> int:
    """Source-page ideal of ``lanes`` active lanes: the bytes asked for, 128 a wavefront."""
    return min(wavefronts, max(1, (lanes * width + LINE_BYTES - 1) // LINE_BYTES))


@compiled
def count_load_store(
    addresses: Addresses, mask: int, width: int, is_load: bool
) -> tuple[int, int, int, int, int]:
    """Hardware wavefronts, conflicts, phases; page wavefronts and ideal of one LDS or STS."""
    group = hardware_group(addresses, mask, width, is_load)
    hardware = sum_degrees(addresses, mask, width, group)
    page = hardware
    if is_load and width == 8:
        page = page_half(addresses, mask, width)
    elif is_load and width == 16:
        page = page_128(addresses, mask)
    phases = count_phases(mask, group)
    ideal = ideal_wavefronts(popcount(mask), width, page)
    return hardware, hardware - phases, phases, page, ideal
