"""Shapes: requests that count the same.

Counts do not change when all addresses of a request move together, by any multiple of 4 bytes in
shared and local memory and of 128 bytes in global memory (output wavefronts excepted, see
``global_memory.tag_bank``). A shape is a request moved to the start of memory, its inactive lanes
zeroed. The loops here run over 32 lanes without an exit so that they become vector code.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.memory.groups import FULL, Addresses
from simulator.memory.jit import compiled, lowest_lane

Lanes = NDArray[np.uint32]

LANES = 32
SHARED_GRAIN = 4
GLOBAL_GRAIN = 128
ALL_BITS = np.uint32(FULL)
NO_BITS = np.uint32(0)
LANE_BITS = np.array([1 << lane for lane in range(LANES)], np.uint32)

# Odd numbers without a pattern, one a lane (Weyl sequence of the golden ratio).
HASH_FACTORS = np.array([(lane * 0x9E3779B9 & FULL) | 1 for lane in range(1, LANES + 1)], np.uint32)


@compiled
def spread_mask(mask: int, spread: Lanes) -> None:
    """All bits of an entry set where the lane is active, none elsewhere."""
    bits = np.uint32(mask)
    for lane in range(LANES):
        spread[lane] = ALL_BITS if (bits & LANE_BITS[lane]) != 0 else NO_BITS


@compiled
def find_base(addresses: Addresses, mask: int, grain: int) -> np.uint32:
    """What to subtract: the first active lane's address rounded down to the grain."""
    return np.uint32(np.int64(addresses[lowest_lane(mask)]) & -grain)


@compiled
def hash_shape(addresses: Addresses, base: np.uint32, spread: Lanes) -> np.uint32:
    """A hash of the shape; its high bits are the good ones."""
    total = np.uint32(0)
    for lane in range(LANES):
        offset = np.uint32(np.uint32(addresses[lane] - base) & spread[lane])
        total = np.uint32(total + np.uint32(offset * HASH_FACTORS[lane]))
    return total


@compiled
def is_same_shape(addresses: Addresses, base: np.uint32, spread: Lanes, shape: Lanes) -> bool:
    """Whether the request has this shape."""
    difference = np.uint32(0)
    for lane in range(LANES):
        offset = np.uint32(np.uint32(addresses[lane] - base) & spread[lane])
        difference = np.uint32(difference | np.uint32(offset ^ shape[lane]))
    return difference == 0


@compiled
def store_shape(addresses: Addresses, base: np.uint32, spread: Lanes, shape: Lanes) -> None:
    """Write the request's shape."""
    for lane in range(LANES):
        shape[lane] = np.uint32(np.uint32(addresses[lane] - base) & spread[lane])
