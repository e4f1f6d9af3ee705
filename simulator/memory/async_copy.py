"""Asynchronous copies through L1 (LDGSTS, cp.async.ca), as measured on an NVIDIA H200.

``targets`` are the 32 shared addresses a copy writes, ``sources`` the global ones it reads.
Two lanes *meet* when their source banks or their target banks overlap.
"""

from __future__ import annotations

import numpy as np

from simulator.memory.global_memory import LINE_SHIFT, tag_bank
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
from simulator.memory.shared import LINE_BYTES, ideal_wavefronts


@compiled
def most_meetings(
    targets: Addresses, sources: Addresses, lanes: int, shift: int
) -> int:
    """Over the lanes of a phase, the most lanes (itself included) that one of them meets."""
    bank_mask = (LINE_BYTES >> shift) - 1
    worst = 0
    left = lanes
    while left:
        lane = lowest_lane(left)
        left &= left - 1
        source = np.int64(sources[lane]) >> shift
        target = np.int64(targets[lane]) >> shift
        meetings = 0
        others = lanes
        while others:
            other = lowest_lane(others)
            others &= others - 1
            same_source = (source ^ (np.int64(sources[other]) >> shift)) & bank_mask == 0
            same_target = (target ^ (np.int64(targets[other]) >> shift)) & bank_mask == 0
            if same_source or same_target:
                meetings += 1
        worst = max(worst, meetings)
    return worst


@compiled
def page_wavefronts_cached(targets: Addresses, sources: Addresses, mask: int, width: int) -> int:
    """Source-page shared wavefronts of cp.async.ca."""
    group = lanes_per_phase(width)
    total = 0
    for first in range(0, 32, group):
        lanes = mask & (((1 << group) - 1) << first)
        total += most_meetings(targets, sources, lanes, unit_shift(width))
    return total


@compiled
def count_scans(targets: Addresses, sources: Addresses, lanes: int, shift: int) -> int:
    """Scans until every lane has gone.

    A scan visits the waiting lanes in order; a lane goes if it meets no earlier waiting lane.
    """
    bank_mask = (LINE_BYTES >> shift) - 1
    scans = 0
    while lanes:
        scans += 1
        source_banks = 0
        target_banks = 0
        waiting = lanes
        while waiting:
            lane = lowest_lane(waiting)
            waiting &= waiting - 1
            source = 1 << ((np.int64(sources[lane]) >> shift) & bank_mask)
            target = 1 << ((np.int64(targets[lane]) >> shift) & bank_mask)
            if not (source_banks & source or target_banks & target):
                lanes ^= 1 << lane
            source_banks |= source
            target_banks |= target
    return scans


@compiled
def fill_rounds(sources: Addresses, mask: int, work: Work) -> int:
    """The round of each lane's source line (in the lane values); returns the number of rounds.

    A cold request's lines queue at their tag bank in lane order, one a bank and round.
    """
    clear(work)
    queued = 0  # four bytes, one a bank
    rounds = 0
    lanes = mask
    while lanes:
        lane = lowest_lane(lanes)
        lanes &= lanes - 1
        line = np.int64(sources[lane]) >> LINE_SHIFT
        slot = find(work, line)
        if work[slot] == EMPTY:
            work[slot] = line
            bank = 8 * tag_bank(np.int64(sources[lane]))
            work[COUNTS + slot] = (queued >> bank) & 0xFF
            queued += 1 << bank
        work[LANE_VALUES + lane] = work[COUNTS + slot]
        rounds = max(rounds, np.int64(work[COUNTS + slot]) + 1)
    return rounds


@compiled
def lanes_of_round(mask: int, turn: int, work: Work) -> int:
    """Mask of the lanes whose source line comes in round ``turn``."""
    chosen = 0
    while mask:
        lane = lowest_lane(mask)
        mask &= mask - 1
        if work[LANE_VALUES + lane] == turn:
            chosen |= 1 << lane
    return chosen


@compiled
def count_cached_hardware(
    targets: Addresses, sources: Addresses, mask: int, width: int, work: Work
) -> tuple[int, int]:
    """Hardware shared wavefronts and bank conflicts of cp.async.ca when its lines miss L1."""
    shift = unit_shift(width)
    group = lanes_per_phase(width)
    wavefronts = 0
    steps = 0
    for turn in range(fill_rounds(sources, mask, work)):
        chosen = lanes_of_round(mask, turn, work)
        for first in range(0, 32, group):
            lanes = chosen & (((1 << group) - 1) << first)
            if lanes:
                steps += 1
                wavefronts += count_scans(targets, sources, lanes, shift)
    return wavefronts, wavefronts - steps


@compiled
def count_cached(
    targets: Addresses, sources: Addresses, mask: int, width: int
) -> tuple[int, int, int, int]:
    """Source-page shared wavefronts and ideal; hardware wavefronts and conflicts of one round.

    The last two are what ``count_cached_hardware`` gives when no two lines share a tag bank; they
    do not depend on where the pattern lies.
    """
    group = lanes_per_phase(width)
    page = page_wavefronts_cached(targets, sources, mask, width)
    ideal = ideal_wavefronts(popcount(mask), width, page)
    wavefronts = 0
    for first in range(0, 32, group):
        lanes = mask & (((1 << group) - 1) << first)
        wavefronts += count_scans(targets, sources, lanes, unit_shift(width))
    return page, ideal, wavefronts, wavefronts - count_phases(mask, group)
