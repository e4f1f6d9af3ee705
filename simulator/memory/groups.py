"""Groups of lanes: phases, and distinct keys through a small hash table.

All rules share these conventions. ``addresses`` holds 32 byte addresses (uint32), ``mask`` and
``lanes`` are lane masks as non-negative int64, ``work`` is an int32 scratch array of ``WORK``
entries that a caller allocates once and whose content means nothing between calls.

Accesses are aligned to their width, so lanes of 8 and 16 bytes cover whole groups of banks. Banks
are therefore counted in *units* of ``max(width, 4)`` bytes: 32 banks of 4, 16 of 8 or 8 of 16.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.memory.jit import compiled, lowest_lane

Addresses = NDArray[np.uint32]
Work = NDArray[np.int32]

SLOTS = 64  # hash slots: twice the number of keys a request can have
COUNTS = 64  # first entry of the per-bank (or per-slot) counts in the scratch array
WORK = 192  # keys, counts and one value for each lane
LANE_VALUES = 128  # first entry of the per-lane values
EMPTY = -1
FULL = 0xFFFFFFFF


def make_work() -> Work:
    """A scratch array for the rules."""
    return np.zeros(WORK, np.int32)


@compiled
def unit_shift(width: int) -> int:
    """Log2 of the unit's bytes: 2, 3 or 4."""
    if width <= 4:
        return 2
    return 3 if width == 8 else 4


@compiled
def lanes_per_phase(width: int) -> int:
    """Lanes the data stage takes at once: 32, 16 or 8."""
    if width <= 4:
        return 32
    return 16 if width == 8 else 8


@compiled
def count_phases(mask: int, group: int) -> int:
    """Phases of ``group`` lanes with at least one active lane."""
    phases = 0
    lanes = (1 << group) - 1
    for first in range(0, 32, group):
        if (mask >> first) & lanes:
            phases += 1
    return phases


@compiled
def clear(work: Work) -> None:
    """Empty the hash table and zero the counts."""
    for slot in range(SLOTS):
        work[slot] = EMPTY
        work[COUNTS + slot] = 0


@compiled
def find(work: Work, key: int) -> int:
    """The slot that holds ``key`` (below 2**31) or the empty slot where it belongs."""
    slot = ((key * 2654435761) & FULL) >> 26
    while work[slot] != EMPTY and work[slot] != key:
        slot = (slot + 1) & (SLOTS - 1)
    return slot


@compiled
def first_lanes(addresses: Addresses, lanes: int, shift: int, work: Work) -> int:
    """Mask of the lanes that are the first with their ``address >> shift`` (shift >= 1).

    Its population is the number of distinct keys; with a shift of 5 or 7 the sectors or lines.
    """
    clear(work)
    leaders = 0
    previous = EMPTY
    while lanes:
        lane = lowest_lane(lanes)
        lanes &= lanes - 1
        key = np.int64(addresses[lane]) >> shift
        if key == previous:
            continue
        previous = key
        slot = find(work, key)
        if work[slot] == EMPTY:
            work[slot] = key
            leaders |= 1 << lane
    return leaders
