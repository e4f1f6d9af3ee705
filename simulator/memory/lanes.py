"""Groups of lanes: phases, units and distinct addresses.

All rules share these conventions. ``addresses`` holds 32 byte addresses (uint32), ``mask`` and
``lanes`` are lane masks as non-negative int64. Accesses are aligned to their width, so a lane of 8
or 16 bytes covers a whole group of banks; banks are therefore counted in *units* of
``max(width, 4)`` bytes: 32 banks of 4, 16 of 8 or 8 of 16. Which addresses count as one is said by
the address bits that must agree.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.device import structure
from simulator.jit import compiled, constant, inlined, step
from simulator.memory.vector import lowest_lane, same_lanes

Addresses = NDArray[np.uint32]

FULL = 0xFFFFFFFF
LINE_BYTES = structure.LINE_BYTES
SECTOR_BYTES = structure.SECTOR_BYTES
FIRST_LANE = constant(0)
ALL_BITS = constant(FULL)
LINE_BITS = constant(FULL & -LINE_BYTES)
SECTOR_BITS = constant(FULL & -SECTOR_BYTES)


@inlined
def unit_bits(width: int) -> int:
    """Address bits that name the unit of an access."""
    return FULL & -max(width, 4)


@inlined
def bank_bits(width: int) -> int:
    """Address bits that name the bank of an access."""
    return (LINE_BYTES - 1) & -max(width, 4)


@inlined
def lanes_per_phase(width: int) -> int:
    """Lanes the data stage takes at once: 32, 16 or 8."""
    if width <= 4:
        return 32
    return 16 if width == 8 else 8


@inlined
def group_lanes(first: int, group: int) -> int:
    """Mask of ``group`` lanes from ``first`` on."""
    return ((1 << group) - 1) << first


@step
def count_phases(mask: int, group: int) -> int:
    """Phases of ``group`` lanes with at least one active lane."""
    phases = 0
    lanes = group_lanes(FIRST_LANE, group)
    while lanes & FULL:
        if mask & lanes:
            phases += 1
        lanes <<= group
    return phases


@compiled
def first_lanes(addresses: Addresses, lanes: int, bits: int) -> int:
    """Of lanes that agree in the address bits, the lowest; one lane for each distinct address."""
    firsts = 0
    left = lanes
    while left:
        lane = lowest_lane(left)
        left &= left - 1
        lower = (1 << lane) - 1
        if same_lanes(addresses, lane, bits) & lanes & lower == 0:
            firsts |= 1 << lane
    return firsts
