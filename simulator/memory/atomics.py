"""Wavefronts of shared atomics (ATOMS), as measured on an NVIDIA H200.

A shared atomic serialises lanes that meet in a bank even at one address, except
``ATOMS.POPC.INC``, which counts the lanes of an address at once.
"""

from __future__ import annotations

from simulator.jit import compiled, step
from simulator.memory.bank_degree import lane_degree
from simulator.memory.lanes import (
    FIRST_LANE,
    FULL,
    Addresses,
    bank_bits,
    count_phases,
    group_lanes,
    lanes_per_phase,
    unit_bits,
)
from simulator.memory.shared import ideal_wavefronts, sum_degrees
from simulator.memory.vector import lowest_lane, popcount, same_lanes


@step
def sum_lane_degrees(addresses: Addresses, mask: int, width: int) -> int:
    """Most lanes in any bank, summed over the phases; one address asked for twice counts twice."""
    group = lanes_per_phase(width)
    total = 0
    phase = group_lanes(FIRST_LANE, group)
    while phase & FULL:
        total += lane_degree(addresses, mask & phase, width)
        phase <<= group
    return total


@compiled
def count_atomic(addresses: Addresses, mask: int, width: int) -> tuple[int, int, int, int, int]:
    """Hardware wavefronts, conflicts, phases; page wavefronts and ideal of ADD, MAX, EXCH, ..."""
    wavefronts = sum_lane_degrees(addresses, mask, width)
    phases = count_phases(mask, lanes_per_phase(width))
    ideal = ideal_wavefronts(popcount(mask), width, wavefronts)
    return wavefronts, wavefronts - phases, phases, wavefronts, ideal


@compiled
def count_popc_inc(addresses: Addresses, mask: int, width: int) -> tuple[int, int, int, int, int]:
    """The same for ATOMS.POPC.INC (a reduction that adds the constant 1)."""
    group = lanes_per_phase(width)
    wavefronts = sum_degrees(addresses, mask, width, group)
    phases = count_phases(mask, group)
    ideal = ideal_wavefronts(popcount(mask), width, wavefronts)
    return wavefronts, wavefronts - phases, phases, wavefronts, ideal


@compiled
def count_cas(addresses: Addresses, mask: int, width: int) -> tuple[int, int, int, int, int]:
    """The same for compare-and-swap, whose two operands take two passes."""
    single = sum_lane_degrees(addresses, mask, width)
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
def cast_spin_winners(addresses: Addresses, mask: int, width: int) -> int:
    """Mask of the lanes whose try of ATOMS.CAST.SPIN succeeds; the others loop.

    In each phase the lowest lane of a bank wins, unless its address was won in an earlier phase.
    """
    group = lanes_per_phase(width)
    winners = 0
    left = mask
    while left:
        lane = lowest_lane(left)
        left &= left - 1
        phase = mask & group_lanes(lane - lane % group, group)
        rivals = same_lanes(addresses, lane, bank_bits(width)) & phase
        won = same_lanes(addresses, lane, unit_bits(width)) & winners
        if rivals & ((1 << lane) - 1) == 0 and won == 0:
            winners |= 1 << lane
    return winners
