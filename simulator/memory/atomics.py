"""Wavefronts of shared atomics (ATOMS) and sectors of global ones, as measured on an NVIDIA H200.

A shared atomic serialises lanes that meet in a bank even at one address, except
``ATOMS.POPC.INC``, which counts the lanes of an address at once.
"""

from __future__ import annotations

import numpy as np

from simulator.memory.global_memory import LINE_SHIFT, SECTOR_SHIFT, TAG_BANKS, tag_bank
from simulator.memory.groups import (
    COUNTS,
    EMPTY,
    LANE_VALUES,
    Addresses,
    Work,
    clear,
    count_phases,
    find,
    lanes_per_phase,
    unit_shift,
)
from simulator.memory.jit import compiled, lowest_lane, popcount
from simulator.memory.shared import LINE_BYTES, ideal_wavefronts, sum_degrees


@compiled
def lane_degree(addresses: Addresses, lanes: int, shift: int, work: Work) -> int:
    """Most lanes in any bank; an address asked for twice counts twice."""
    clear(work)
    bank_mask = (LINE_BYTES >> shift) - 1
    worst = 0
    while lanes:
        lane = lowest_lane(lanes)
        lanes &= lanes - 1
        bank = COUNTS + ((np.int64(addresses[lane]) >> shift) & bank_mask)
        work[bank] += 1
        worst = max(worst, np.int64(work[bank]))
    return worst


@compiled
def sum_lane_degrees(addresses: Addresses, mask: int, width: int, work: Work) -> int:
    """Lane degrees summed over the phases of the width."""
    group = lanes_per_phase(width)
    total = 0
    for first in range(0, 32, group):
        lanes = mask & (((1 << group) - 1) << first)
        total += lane_degree(addresses, lanes, unit_shift(width), work)
    return total


@compiled
def count_atomic(
    addresses: Addresses, mask: int, width: int, work: Work
) -> tuple[int, int, int, int, int]:
    """Hardware wavefronts, conflicts, phases; page wavefronts and ideal of ADD, MAX, EXCH, ..."""
    wavefronts = sum_lane_degrees(addresses, mask, width, work)
    phases = count_phases(mask, lanes_per_phase(width))
    ideal = ideal_wavefronts(popcount(mask), width, wavefronts)
    return wavefronts, wavefronts - phases, phases, wavefronts, ideal


@compiled
def count_popc_inc(
    addresses: Addresses, mask: int, width: int, work: Work
) -> tuple[int, int, int, int, int]:
    """The same for ATOMS.POPC.INC (a reduction that adds the constant 1)."""
    group = lanes_per_phase(width)
    wavefronts = sum_degrees(addresses, mask, group, unit_shift(width), work)
    phases = count_phases(mask, group)
    ideal = ideal_wavefronts(popcount(mask), width, wavefronts)
    return wavefronts, wavefronts - phases, phases, wavefronts, ideal


@compiled
def count_cas(
    addresses: Addresses, mask: int, width: int, work: Work
) -> tuple[int, int, int, int, int]:
    """The same for compare-and-swap, whose two operands take two passes."""
    single = sum_lane_degrees(addresses, mask, width, work)
    phases = count_phases(mask, lanes_per_phase(width))
    ideal = 2 * ideal_wavefronts(popcount(mask), width, single)
    return 2 * single, single - phases, phases, 2 * single, ideal


@compiled
def count_cast_spin(mask: int, width: int) -> tuple[int, int, int, int, int]:
    """The same for one try of ATOMS.CAST.SPIN: two passes over the waiting lanes.

    Lanes that lose a bank retry instead of queueing, so a try has no conflicts.
    """
    phases = count_phases(mask, lanes_per_phase(width))
    ideal = 2 * ideal_wavefronts(popcount(mask), width, phases)
    return 2 * phases, 0, phases, 2 * phases, ideal


@compiled
def cast_spin_winners(addresses: Addresses, mask: int, width: int, work: Work) -> int:
    """Mask of the lanes whose try of ATOMS.CAST.SPIN succeeds; the others loop.

    In each phase the lowest lane of a bank wins. With 8 bytes there are 16 banks, and an address
    won by the lower half-warp is lost to the upper one.
    """
    shift = unit_shift(width)
    banks = LINE_BYTES >> shift
    clear(work)
    winners = 0
    taken = 0
    phase = 0
    lanes = mask
    while lanes:
        lane = lowest_lane(lanes)
        lanes &= lanes - 1
        if lane // lanes_per_phase(width) != phase:
            phase = lane // lanes_per_phase(width)
            taken = 0
        unit = np.int64(addresses[lane]) >> shift
        bit = 1 << (unit & (banks - 1))
        slot = find(work, unit)
        if not taken & bit and work[slot] == EMPTY:
            work[slot] = unit
            winners |= 1 << lane
        taken |= bit
    return winners


@compiled
def fill_multiplicity(addresses: Addresses, mask: int, work: Work) -> None:
    """For every active lane, how many active lanes share its address (in the lane values)."""
    clear(work)
    lanes = mask
    while lanes:
        lane = lowest_lane(lanes)
        lanes &= lanes - 1
        # Atomics are aligned to 2 bytes at least: half-words fit the table's 31 bits.
        slot = find(work, np.int64(addresses[lane]) >> 1)
        work[slot] = np.int64(addresses[lane]) >> 1
        work[COUNTS + slot] += 1
    lanes = mask
    while lanes:
        lane = lowest_lane(lanes)
        lanes &= lanes - 1
        slot = find(work, np.int64(addresses[lane]) >> 1)
        work[LANE_VALUES + lane] = work[COUNTS + slot]


@compiled
def sum_hottest(addresses: Addresses, mask: int, shift: int, work: Work) -> int:
    """Sum over sectors (shift 5) or lines (7) of the most lanes on one address in it.

    Reads the lane values that ``fill_multiplicity`` wrote.
    """
    clear(work)
    total = 0
    lanes = mask
    while lanes:
        lane = lowest_lane(lanes)
        lanes &= lanes - 1
        key = np.int64(addresses[lane]) >> shift
        slot = find(work, key)
        work[slot] = key
        gain = np.int64(work[LANE_VALUES + lane]) - np.int64(work[COUNTS + slot])
        if gain > 0:
            work[COUNTS + slot] += gain
            total += gain
    return total


@compiled
def count_global_atomic(addresses: Addresses, mask: int, work: Work) -> tuple[int, int]:
    """Hardware sectors and tags of a global atomic or reduction; L2 sees as many."""
    fill_multiplicity(addresses, mask, work)
    sectors = sum_hottest(addresses, mask, SECTOR_SHIFT, work)
    return sectors, sum_hottest(addresses, mask, LINE_SHIFT, work)


@compiled
def output_wavefronts_atomic(addresses: Addresses, mask: int, work: Work) -> int:
    """Wavefronts of the tag stage: most tags (of ``count_global_atomic``) in one tag bank.

    Needs real addresses. Holds on 45 of the 46 recorded launches.
    """
    fill_multiplicity(addresses, mask, work)
    worst = 0
    for bank in range(TAG_BANKS):
        lanes = 0
        left = mask
        while left:
            lane = lowest_lane(left)
            left &= left - 1
            if tag_bank(np.int64(addresses[lane])) == bank:
                lanes |= 1 << lane
        worst = max(worst, sum_hottest(addresses, lanes, LINE_SHIFT, work))
    return worst
