"""Asynchronous copies through L1 (LDGSTS, cp.async.ca), as measured on an NVIDIA H200.

``targets`` are the 32 shared addresses a copy writes, ``sources`` the global ones it reads.
Two lanes *meet* when their source banks or their target banks coincide.
"""

from __future__ import annotations

from simulator.jit import compiled, inlined, int64, step
from simulator.memory.global_memory import tag_bank
from simulator.memory.lanes import (
    FIRST_LANE,
    FULL,
    LINE_BITS,
    Addresses,
    bank_bits,
    count_phases,
    first_lanes,
    group_lanes,
    lanes_per_phase,
)
from simulator.memory.shared import ideal_wavefronts
from simulator.memory.vector import lowest_lane, popcount, same_lanes


@inlined
def meeting_lanes(targets: Addresses, sources: Addresses, lane: int, width: int) -> int:
    """All lanes (active or not, itself included) that meet a lane."""
    bits = bank_bits(width)
    return same_lanes(targets, lane, bits) | same_lanes(sources, lane, bits)


@step
def most_meetings(targets: Addresses, sources: Addresses, lanes: int, width: int) -> int:
    """Over the lanes of a phase, the most lanes (itself included) that one of them meets."""
    worst = 0
    left = lanes
    while left:
        lane = lowest_lane(left)
        left &= left - 1
        worst = max(worst, popcount(meeting_lanes(targets, sources, lane, width) & lanes))
    return worst


@step
def count_scans(targets: Addresses, sources: Addresses, lanes: int, width: int) -> int:
    """Scans until every lane has gone.

    A scan visits the waiting lanes in order; a lane goes if it meets no earlier waiting lane.
    """
    scans = 0
    while lanes:
        scans += 1
        waiting = lanes
        left = lanes
        while left:
            lane = lowest_lane(left)
            left &= left - 1
            earlier = waiting & ((1 << lane) - 1)
            if meeting_lanes(targets, sources, lane, width) & earlier == 0:
                lanes ^= 1 << lane
    return scans


@step
def next_leaders(sources: Addresses, leaders: int) -> int:
    """The first waiting line of each tag bank; ``leaders`` marks one lane a line."""
    chosen = 0
    busy = 0
    while leaders:
        lane = lowest_lane(leaders)
        leaders &= leaders - 1
        bank = 1 << tag_bank(int64(sources[lane]))
        if busy & bank == 0:
            busy |= bank
            chosen |= 1 << lane
    return chosen


@step
def lanes_of_lines(sources: Addresses, mask: int, leaders: int) -> int:
    """The lanes that read the lines of these leaders."""
    lanes = 0
    while leaders:
        lane = lowest_lane(leaders)
        leaders &= leaders - 1
        lanes |= same_lanes(sources, lane, LINE_BITS)
    return lanes & mask


@step
def scan_phases(targets: Addresses, sources: Addresses, mask: int, width: int) -> int:
    """Scans summed over the phases of a round."""
    group = lanes_per_phase(width)
    scans = 0
    phase = group_lanes(FIRST_LANE, group)
    while phase & FULL:
        scans += count_scans(targets, sources, mask & phase, width)
        phase <<= group
    return scans


@compiled
def count_cached_hardware(
    targets: Addresses, sources: Addresses, mask: int, width: int
) -> tuple[int, int]:
    """Hardware shared wavefronts and bank conflicts when the lines miss L1.

    Lines queue at their tag bank in lane order; each round takes the next line of every bank.
    Needs real source addresses.
    """
    leaders = first_lanes(sources, mask, LINE_BITS)
    wavefronts = 0
    steps = 0
    while leaders:
        chosen = next_leaders(sources, leaders)
        leaders &= ~chosen
        lanes = lanes_of_lines(sources, mask, chosen)
        wavefronts += scan_phases(targets, sources, lanes, width)
        steps += count_phases(lanes, lanes_per_phase(width))
    return wavefronts, wavefronts - steps


@step
def page_wavefronts(targets: Addresses, sources: Addresses, mask: int, width: int) -> int:
    """Source-page shared wavefronts."""
    group = lanes_per_phase(width)
    total = 0
    phase = group_lanes(FIRST_LANE, group)
    while phase & FULL:
        total += most_meetings(targets, sources, mask & phase, width)
        phase <<= group
    return total


@compiled
def count_cached(
    targets: Addresses, sources: Addresses, mask: int, width: int
) -> tuple[int, int, int, int]:
    """Source-page shared wavefronts and ideal; hardware wavefronts and conflicts of one round.

    The last two are what ``count_cached_hardware`` gives when no two lines share a tag bank; they
    do not depend on where the pattern lies.
    """
    page = page_wavefronts(targets, sources, mask, width)
    ideal = ideal_wavefronts(popcount(mask), width, page)
    wavefronts = scan_phases(targets, sources, mask, width)
    return page, ideal, wavefronts, wavefronts - count_phases(mask, lanes_per_phase(width))
