"""Wavefronts of shared loads and stores (LDS, STS), as measured on an NVIDIA H200.

Two families of numbers differ. *Hardware* is what the ``l1tex`` counters see, *page* what Nsight
Compute's source page computes from the addresses. For 8 and 16 bytes they disagree on when lanes
with equal addresses let two phases of a load run as one.
"""

from __future__ import annotations

from simulator.jit import compiled, constant, step
from simulator.memory.bank_degree import bank_degree
from simulator.memory.lanes import (
    FIRST_LANE,
    FULL,
    LINE_BYTES,
    Addresses,
    count_phases,
    group_lanes,
    lanes_per_phase,
)
from simulator.memory.vector import lowest_lane, popcount

LOW_HALF = 0xFFFF
HIGH_HALF = 0xFFFF0000
LAST_LANE = 1 << 31
WORD_BYTES = 4
WIDE_BYTES = constant(16)
WIDE_GROUP = constant(8)
NEIGHBOUR = constant(1)
NEXT_PAIR = constant(2)
ODD_LANES = 0xAAAAAAAA
ODD_PAIRS = 0xCCCCCCCC


@step
def sum_degrees(addresses: Addresses, mask: int, width: int, group: int) -> int:
    """Degrees summed over phases of ``group`` lanes; an empty phase costs nothing."""
    total = 0
    phase = group_lanes(FIRST_LANE, group)
    while phase & FULL:
        total += bank_degree(addresses, mask & phase, width)
        phase <<= group
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
    if is_load and width > WORD_BYTES and can_merge(addresses, mask):
        return 2 * group
    return group


@step
def page_half(addresses: Addresses, lanes: int, may_merge: bool) -> int:
    """Page wavefronts of a half of an LDS.128: one if it merges and has no conflict."""
    if may_merge and bank_degree(addresses, lanes, WIDE_BYTES) == 1:
        return 1
    return sum_degrees(addresses, lanes, WIDE_BYTES, WIDE_GROUP)


@step
def page_wide(addresses: Addresses, mask: int, unmerged: int) -> int:
    """Source-page wavefronts of an LDS.128, whose half-warps merge by themselves.

    With a partial upper half the page no longer looks at pairs in the lower half: that merges
    exactly if lane 31 is inactive (an oddity of Nsight Compute).
    """
    low = mask & LOW_HALF
    high = mask & HIGH_HALF
    high_merges = can_merge(addresses, high)
    low_merges = can_merge(addresses, low) if high == HIGH_HALF else mask & LAST_LANE == 0
    if not low_merges and not high_merges:
        return unmerged
    return page_half(addresses, low, low_merges) + page_half(addresses, high, high_merges)


@step
def ideal_wavefronts(lanes: int, width: int, wavefronts: int) -> int:
    """Source-page ideal of ``lanes`` active lanes: the bytes asked for, 128 a wavefront."""
    return min(wavefronts, max(1, (lanes * width + LINE_BYTES - 1) // LINE_BYTES))


@compiled
def count_load_store(
    addresses: Addresses, mask: int, width: int, is_load: bool
) -> tuple[int, int, int, int, int]:
    """Hardware wavefronts, conflicts, phases; page wavefronts and ideal of one LDS or STS.

    The page merges an LDS.64 only if that leaves no conflict.
    """
    unmerged = sum_degrees(addresses, mask, width, lanes_per_phase(width))
    group = hardware_group(addresses, mask, width, is_load)
    hardware = page = unmerged
    if group != lanes_per_phase(width):
        hardware = sum_degrees(addresses, mask, width, group)
        page = 1 if hardware == 1 else unmerged
    if is_load and width == WIDE_BYTES:
        page = page_wide(addresses, mask, unmerged)
    phases = count_phases(mask, group)
    ideal = ideal_wavefronts(popcount(mask), width, page)
    return hardware, hardware - phases, phases, page, ideal
