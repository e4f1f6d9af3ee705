"""Sectors and tags of local memory requests, as measured on an NVIDIA H200.

Local memory is interleaved: the 32-bit word at one offset of all 32 lanes forms one line, so lanes
that touch the same offset share it. Accesses are aligned to their width: two of them coincide or
are disjoint.
"""

from __future__ import annotations

from simulator.jit import compiled, constant
from simulator.memory.global_memory import ideal_sectors
from simulator.memory.lanes import Addresses, first_lanes, group_lanes, unit_bits
from simulator.memory.vector import popcount

LANES_PER_SECTOR = constant(8)
WORD_BYTES = 4


@compiled
def count_local(addresses: Addresses, mask: int, width: int) -> tuple[int, int, int, int, int]:
    """Requests, sectors, ideal sectors, tags and bytes used of one local load or store.

    What a lane asks for is its own: no two lanes ask for the same bytes. Ideal are the sectors that
    these bytes would fill, as for global memory (ncu has no such column for local memory).
    """
    words = max(1, width // WORD_BYTES)
    bits = unit_bits(width)
    sectors = 0
    for first in range(0, 32, LANES_PER_SECTOR):
        lanes = mask & group_lanes(first, LANES_PER_SECTOR)
        sectors += popcount(first_lanes(addresses, lanes, bits))
    tags = words * popcount(first_lanes(addresses, mask, bits))
    lanes = popcount(mask)
    return words, words * sectors, ideal_sectors(lanes, width, words * sectors), tags, width * lanes
