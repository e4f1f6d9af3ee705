"""Asynchronous copies that bypass L1 (LDGSTS.BYPASS, cp.async.cg of 16 bytes).

Measured on an NVIDIA H200. A *move* is a source sector, a target sector and whether the 16-byte
halves change places on the way; a lane is one half of a move. The page's sectors and tags are
exact, its wavefronts are an approximation (706 of 709 records), the hardware adds no wavefront to
the shared data stage.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.jit import compiled, constant, inlined, int64, step
from simulator.memory.global_memory import ideal_sectors
from simulator.memory.lanes import LINE_BITS, SECTOR_BITS, SECTOR_BYTES, Addresses, first_lanes
from simulator.memory.shared import ideal_wavefronts
from simulator.memory.vector import lowest_lane, popcount, same_lanes

WIDTH = constant(16)
WIDTH_BITS = constant(0xFFFFFFFF & -16)
NOBODY = constant(0)


@inlined
def is_swapped(targets: Addresses, sources: Addresses, lane: int) -> bool:
    """Whether a lane's half changes places inside its sector."""
    return (int64(targets[lane]) ^ int64(sources[lane])) & WIDTH != 0


@step
def lanes_of_move(targets: Addresses, sources: Addresses, kept: int, lane: int) -> int:
    """The kept lanes with the same move as this one."""
    same = same_lanes(targets, lane, SECTOR_BITS) & same_lanes(sources, lane, SECTOR_BITS) & kept
    halves_targets = same_lanes(targets, lane, WIDTH)
    halves_sources = same_lanes(sources, lane, WIDTH)
    return same & ~(halves_targets ^ halves_sources)


@step
def find_moves(targets: Addresses, sources: Addresses, kept: int) -> int:
    """Mask of the first lane of each move."""
    firsts = 0
    left = kept
    while left:
        lane = lowest_lane(left)
        left &= ~lanes_of_move(targets, sources, kept, lane)
        firsts |= 1 << lane
    return firsts


@step
def source_halves(targets: Addresses, sources: Addresses, kept: int, lane: int) -> int:
    """Which halves of its source sector a move takes: 1, 2 or both (3)."""
    lanes = lanes_of_move(targets, sources, kept, lane)
    own = 2 if int64(sources[lane]) & WIDTH else 1
    return own if same_lanes(sources, lane, WIDTH) & lanes == lanes else 3


@step
def circular_distance(first: int, second: int) -> int:
    """Distance of two addresses' sectors on the ring of the four sectors of a line."""
    distance = (first // SECTOR_BYTES - second // SECTOR_BYTES) & 3
    return min(distance, 4 - distance)


@step
def can_share(targets: Addresses, sources: Addresses, kept: int, one: int, other: int) -> bool:
    """Whether two moves (named by their first lanes) fit in one wavefront."""
    lines = same_lanes(targets, one, LINE_BITS) & same_lanes(sources, one, LINE_BITS)
    if (lines >> other) & 1 == 0:
        return False
    if is_swapped(targets, sources, one) != is_swapped(targets, sources, other):
        return False
    apart = circular_distance(int64(sources[one]), int64(sources[other]))
    landing = circular_distance(int64(targets[one]), int64(targets[other]))
    if apart == 0 or apart != landing:
        return False
    halves = source_halves(targets, sources, kept, one)
    return halves == source_halves(targets, sources, kept, other)


@step
def can_join(targets: Addresses, sources: Addresses, kept: int, members: int, move: int) -> bool:
    """Whether a move fits in the wavefront of all ``members``."""
    while members:
        member = lowest_lane(members)
        members &= members - 1
        if not can_share(targets, sources, kept, member, move):
            return False
    return True


@step
def next_members(targets: Addresses, sources: Addresses, kept: int, moves: int) -> int:
    """The moves that go in the next wavefront, taken greedily in lane order."""
    members = NOBODY
    while moves:
        move = lowest_lane(moves)
        moves &= moves - 1
        if can_join(targets, sources, kept, members, move):
            members |= 1 << move
    return members


@step
def group_moves(targets: Addresses, sources: Addresses, kept: int, moves: int) -> int:
    """Wavefronts of ``moves``."""
    wavefronts = 0
    while moves:
        wavefronts += 1
        moves &= ~next_members(targets, sources, kept, moves)
    return wavefronts


@compiled
def number_wavefronts(
    targets: Addresses, sources: Addresses, mask: int, numbers: NDArray[np.int64]
) -> int:
    """Write for each lane in which wavefront (from 0) of the copy it goes; returns how many.

    Lanes that are off, or write what a lower lane writes, keep what ``numbers`` has.
    """
    kept = first_lanes(targets, mask, WIDTH_BITS)
    moves = find_moves(targets, sources, kept)
    wavefront = 0
    while moves:
        members = next_members(targets, sources, kept, moves)
        moves &= ~members
        while members:
            member = lowest_lane(members)
            members &= members - 1
            lanes = lanes_of_move(targets, sources, kept, member)
            while lanes:
                numbers[lowest_lane(lanes)] = wavefront
                lanes &= lanes - 1
        wavefront += 1
    return wavefront


@compiled
def count_bypass(targets: Addresses, sources: Addresses, mask: int) -> tuple[int, int, int, int]:
    """Source-page wavefronts (approximate) and ideal, sectors and ideal sectors.

    Of lanes that write one target only the lowest counts.
    """
    kept = first_lanes(targets, mask, WIDTH_BITS)
    lanes = popcount(kept)
    moves = find_moves(targets, sources, kept)
    sectors = popcount(moves)
    wavefronts = group_moves(targets, sources, kept, moves)
    ideal = ideal_wavefronts(lanes, WIDTH, wavefronts)
    return wavefronts, ideal, sectors, ideal_sectors(lanes, WIDTH, sectors)
