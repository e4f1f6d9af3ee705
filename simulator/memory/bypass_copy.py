"""Asynchronous copies that bypass L1 (LDGSTS.BYPASS, cp.async.cg of 16 bytes).

Measured on an NVIDIA H200. A *move* is a source sector, a target sector and whether the 16-byte
halves change places on the way; a lane is one half of a move. The page's sectors and tags are
exact, its wavefronts are an approximation (706 of 709 records), the hardware adds no wavefront to
the shared data stage.
"""

from __future__ import annotations

import numpy as np

from simulator.memory.global_memory import LINE_SHIFT, SECTOR_SHIFT, ideal_sectors
from simulator.memory.groups import LANE_VALUES, Addresses, Work, first_lanes
from simulator.memory.jit import compiled, lowest_lane, popcount
from simulator.memory.shared import LINE_BYTES

WIDTH = 16
WIDTH_SHIFT = 4


@compiled
def find_move(targets: Addresses, sources: Addresses, firsts: int, lane: int) -> int:
    """The lane of ``firsts`` with the same move as ``lane``, or ``lane`` itself."""
    while firsts:
        first = lowest_lane(firsts)
        firsts &= firsts - 1
        source = np.int64(sources[lane]) ^ np.int64(sources[first])
        target = np.int64(targets[lane]) ^ np.int64(targets[first])
        if (source | target) >> SECTOR_SHIFT == 0 and (source ^ target) >> WIDTH_SHIFT & 1 == 0:
            return first
    return lane


@compiled
def find_moves(targets: Addresses, sources: Addresses, kept: int, work: Work) -> int:
    """Mask of the first lane of each move; its lane value says which source halves it takes."""
    firsts = 0
    while kept:
        lane = lowest_lane(kept)
        kept &= kept - 1
        first = find_move(targets, sources, firsts, lane)
        half = 1 << ((np.int64(sources[lane]) >> WIDTH_SHIFT) & 1)
        if first == lane:
            firsts |= 1 << lane
            work[LANE_VALUES + lane] = half
        else:
            work[LANE_VALUES + first] |= half
    return firsts


@compiled
def circular_distance(first: int, second: int) -> int:
    """Distance of two sectors on the ring of the four sectors of a line."""
    distance = (first - second) & 3
    return min(distance, 4 - distance)


@compiled
def can_share(targets: Addresses, sources: Addresses, one: int, other: int, work: Work) -> bool:
    """Whether two moves (named by their first lanes) fit in one wavefront."""
    if work[LANE_VALUES + one] != work[LANE_VALUES + other]:
        return False
    source = np.int64(sources[one])
    target = np.int64(targets[one])
    changes = (source ^ np.int64(sources[other])) | (target ^ np.int64(targets[other]))
    swaps = source ^ target ^ np.int64(sources[other]) ^ np.int64(targets[other])
    if changes >> LINE_SHIFT or swaps >> WIDTH_SHIFT & 1:
        return False
    apart = circular_distance(source >> SECTOR_SHIFT, np.int64(sources[other]) >> SECTOR_SHIFT)
    landing = circular_distance(target >> SECTOR_SHIFT, np.int64(targets[other]) >> SECTOR_SHIFT)
    return apart != 0 and apart == landing


@compiled
def can_join(
    targets: Addresses, sources: Addresses, members: int, move: int, work: Work
) -> bool:
    """Whether a move fits in the wavefront of all ``members``."""
    while members:
        member = lowest_lane(members)
        members &= members - 1
        if not can_share(targets, sources, member, move, work):
            return False
    return True


@compiled
def group_moves(targets: Addresses, sources: Addresses, moves: int, work: Work) -> int:
    """Wavefronts of ``moves``, filled greedily in lane order."""
    wavefronts = 0
    while moves:
        wavefronts += 1
        members = 0
        left = moves
        while left:
            move = lowest_lane(left)
            left &= left - 1
            if can_join(targets, sources, members, move, work):
                members |= 1 << move
        moves &= ~members
    return wavefronts


@compiled
def count_bypass(
    targets: Addresses, sources: Addresses, mask: int, work: Work
) -> tuple[int, int, int, int]:
    """Source-page wavefronts (approximate) and ideal, sectors and ideal sectors.

    Of lanes that write one target only the lowest counts.
    """
    kept = first_lanes(targets, mask, WIDTH_SHIFT, work)
    lanes = popcount(kept)
    moves = find_moves(targets, sources, kept, work)
    sectors = popcount(moves)
    wavefronts = group_moves(targets, sources, moves, work)
    ideal = min(wavefronts, max(1, (lanes * WIDTH + LINE_BYTES - 1) // LINE_BYTES))
    return wavefronts, ideal, sectors, ideal_sectors(lanes, WIDTH, sectors)
