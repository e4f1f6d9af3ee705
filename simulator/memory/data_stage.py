"""Data-stage wavefronts of global loads and stores, as measured on an NVIDIA H200.

The data stage of L1TEX serves global memory from the same banks as shared memory.

* A load that hits costs what a shared request of the same addresses costs, except that lanes with
  equal addresses never let two phases run as one.
* A load that misses moves line by line: its lines queue at the four tag banks in lane order, round
  k takes the k-th line of every bank, and each round is a request of its own.
* A store does the same, but its first eight lines of every bank make one round. (Stores of 1 and
  2 bytes that have more lines than that in a bank cost more than this rule says.)
"""

from __future__ import annotations

from simulator.jit import compiled, step
from simulator.memory.global_memory import tag_bank
from simulator.memory.lanes import LINE_BITS, Addresses, count_phases, first_lanes, lanes_per_phase
from simulator.memory.shared import sum_degrees
from simulator.memory.vector import lowest_lane, same_lanes

STORE_LINES = 8  # lines of one tag bank that a store writes in its first round
MAX_ROUNDS = 32


@step
def count_round(addresses: Addresses, lanes: int, width: int) -> tuple[int, int]:
    """Wavefronts and bank conflicts of the lanes of one round."""
    group = lanes_per_phase(width)
    wavefronts = sum_degrees(addresses, lanes, width, group)
    return wavefronts, wavefronts - count_phases(lanes, group)


@compiled
def count_hit(addresses: Addresses, mask: int, width: int) -> tuple[int, int]:
    """Wavefronts and bank conflicts of a load whose sectors all hit in L1."""
    return count_round(addresses, mask, width)


@step
def lines_before(addresses: Addresses, leaders: int, lane: int) -> int:
    """How many lines of this lane's tag bank come earlier in lane order."""
    bank = tag_bank(int(addresses[lane]))
    earlier = leaders & ((1 << lane) - 1)
    count = 0
    while earlier:
        other = lowest_lane(earlier)
        earlier &= earlier - 1
        if tag_bank(int(addresses[other])) == bank:
            count += 1
    return count


@step
def lanes_of_round(addresses: Addresses, mask: int, leaders: int, wanted: int, merged: int) -> int:
    """Lanes whose line runs in a round; the first ``merged`` + 1 lines of a bank share round 0."""
    found = 0
    left = leaders
    while left:
        lane = lowest_lane(left)
        left &= left - 1
        if max(lines_before(addresses, leaders, lane) - merged, 0) == wanted:
            found |= same_lanes(addresses, lane, LINE_BITS) & mask
    return found


@compiled
def count_miss(addresses: Addresses, mask: int, width: int, is_store: bool) -> tuple[int, int]:
    """Wavefronts and bank conflicts of a store, or of a load whose sectors all miss in L1.

    Needs real addresses: the tag banks of a pattern change when it is moved.
    """
    leaders = first_lanes(addresses, mask, LINE_BITS)
    merged = STORE_LINES - 1 if is_store else 0
    wavefronts = conflicts = 0
    for wanted in range(MAX_ROUNDS):
        lanes = lanes_of_round(addresses, mask, leaders, wanted, merged)
        if lanes == 0:
            break
        more, extra = count_round(addresses, lanes, width)
        wavefronts += more
        conflicts += extra
    return max(wavefronts, 1), conflicts
