"""Wavefronts of shared loads and stores (LDS, STS), as measured on an NVIDIA H200.

Two families of numbers differ. *Hardware* is what the ``l1tex`` counters see, *page* what Nsight
Compute's source page computes from the addresses. For 8 and 16 bytes they disagree on when lanes
with equal addresses let two phases of a load run as one.
"""

from __future__ import annotations

import numpy as np

from simulator.memory.groups import (
    COUNTS,
    EMPTY,
    FULL,
    Addresses,
    Work,
    clear,
    count_phases,
    find,
    lanes_per_phase,
    unit_shift,
)
from simulator.memory.jit import compiled, lowest_lane, popcount

LOW_HALF = 0xFFFF
HIGH_HALF = 0xFFFF0000
LINE_BYTES = 128
ODD_LANES = 0xAAAAAAAA
ODD_PAIRS = 0xCCCCCCCC


@compiled
def bank_degree(addresses: Addresses, lanes: int, shift: int, work: Work) -> int:
    """Most distinct units in any bank among ``lanes``; equal units are one access."""
    clear(work)
    bank_mask = (LINE_BYTES >> shift) - 1
    worst = 0
    while lanes:
        lane = lowest_lane(lanes)
        lanes &= lanes - 1
        unit = np.int64(addresses[lane]) >> shift
        slot = find(work, unit)
        if work[slot] == EMPTY:
            work[slot] = unit
            bank = COUNTS + (unit & bank_mask)
            work[bank] += 1
            worst = max(worst, np.int64(work[bank]))
    return worst


@compiled
def sum_degrees(addresses: Addresses, mask: int, group: int, shift: int, work: Work) -> int:
    """Degrees summed over phases of ``group`` lanes; an empty phase costs nothing."""
    total = 0
    lanes = (1 << group) - 1
    for first in range(0, 32, group):
        total += bank_degree(addresses, mask & (lanes << first), shift, work)
    return total


@compiled
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


@compiled
def can_merge(addresses: Addresses, lanes: int) -> bool:
    """Whether a wide load of ``lanes`` can run with half the phases."""
    return is_paired(addresses, lanes, 1) or is_paired(addresses, lanes, 2)


@compiled
def hardware_group(addresses: Addresses, mask: int, width: int, is_load: bool) -> int:
    """Lanes of one phase as the hardware runs this request; merged loads have twice as many."""
    group = lanes_per_phase(width)
    if is_load and width >= 8 and can_merge(addresses, mask):
        return 2 * group
    return group


@compiled
def hardware_wavefronts(addresses: Addresses, mask: int, width: int, group: int, work: Work) -> int:
    """Hardware wavefronts of a load or store, phase by phase (``group`` lanes each).

    Bank conflicts are these minus the non-empty phases.
    """
    return sum_degrees(addresses, mask, group, unit_shift(width), work)


@compiled
def page_wavefronts_half(addresses: Addresses, lanes: int, group: int, work: Work) -> int:
    """A half of an LDS.128 (or the whole of an LDS.64) on the source page.

    One wavefront when the lanes merge without a conflict, else one phase after the other.
    """
    shift = 3 if group == 16 else 4
    if can_merge(addresses, lanes) and bank_degree(addresses, lanes, shift, work) == 1:
        return 1
    return sum_degrees(addresses, lanes, group, shift, work)


@compiled
def page_wavefronts_128(addresses: Addresses, mask: int, work: Work) -> int:
    """LDS.128 on the source page: each half-warp merges by itself.

    With a partial upper half the page no longer looks at pairs in the lower half: that merges,
    when free of conflicts, exactly if lane 31 is inactive (an oddity of Nsight Compute).
    """
    low = mask & LOW_HALF
    high = mask & HIGH_HALF
    total = 0
    if high:
        total += page_wavefronts_half(addresses, high, 8, work)
    if not low:
        return total
    if high == HIGH_HALF:
        return total + page_wavefronts_half(addresses, low, 8, work)
    if not (mask >> 31) & 1 and bank_degree(addresses, low, 4, work) == 1:
        return total + 1
    return total + sum_degrees(addresses, low, 8, 4, work)


@compiled
def page_wavefronts(addresses: Addresses, mask: int, width: int, is_load: bool, work: Work) -> int:
    """Source-page wavefronts ("L1 Wavefronts Shared") of a load or store."""
    if not is_load or width <= 4:
        return sum_degrees(addresses, mask, lanes_per_phase(width), unit_shift(width), work)
    if width == 8:
        return page_wavefronts_half(addresses, mask, 16, work)
    return page_wavefronts_128(addresses, mask, work)


@compiled
def ideal_wavefronts(lanes: int, width: int, wavefronts: int) -> int:
    """Source-page ideal of ``lanes`` active lanes: the bytes asked for, 128 a wavefront."""
    return min(wavefronts, max(1, (lanes * width + LINE_BYTES - 1) // LINE_BYTES))


@compiled
def count_load_store(
    addresses: Addresses, mask: int, width: int, is_load: bool, work: Work
) -> tuple[int, int, int, int, int]:
    """Hardware wavefronts, conflicts, phases; page wavefronts and ideal of one LDS or STS."""
    group = hardware_group(addresses, mask, width, is_load)
    hardware = hardware_wavefronts(addresses, mask, width, group, work)
    phases = count_phases(mask & FULL, group)
    page = page_wavefronts(addresses, mask, width, is_load, work)
    ideal = ideal_wavefronts(popcount(mask), width, page)
    return hardware, hardware - phases, phases, page, ideal
