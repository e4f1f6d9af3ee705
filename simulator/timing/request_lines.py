"""The lines of memory that a request touches.

A line is one int64: number of the 128-byte line, then four bits of sectors written completely (for
a copy past L1: how many sectors come more than once), then four bits of sectors touched.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.jit import int64, step
from simulator.memory.copy_requests import copy_lanes
from simulator.memory.lanes import LINE_BITS, SECTOR_BITS
from simulator.memory.memo import (
    ADDRESSES,
    MASK,
    Words,
)
from simulator.memory.vector import LANES, lowest_lane, popcount, same_lanes

Lines = NDArray[np.int64]

LINE_SHIFT = 8
LOCAL_LINES = 1 << 40  # lines from here on are local memory
MOST_LINES = 32


@step
def sector_bits(row: NDArray[np.uint32], lane: int, mask: int, width: int) -> int:
    """The sectors of a lane's line that the request touches, and four bits up those it fills."""
    lanes = same_lanes(row, lane, LINE_BITS) & mask
    touched = 0
    filled = 0
    sizes = 0  # bytes a sector, one 16-bit field each
    while lanes:
        one = lowest_lane(lanes)
        lanes &= lanes - 1
        sector = (int64(row[one]) >> 5) & 3
        touched |= 1 << sector
        sizes += width << (16 * sector)
    for sector in range(4):
        if (sizes >> (16 * sector)) & 0xFFFF >= 32:
            filled |= 1 << sector
    return (filled << 4) | touched


@step
def touched_sectors(row: NDArray[np.uint32], lanes: int) -> int:
    """Sectors of their line that lanes touch, one bit each."""
    found = int64(0)
    while lanes:
        lane = lowest_lane(lanes)
        lanes &= lanes - 1
        found |= int64(1) << ((int64(row[lane]) >> 5) & 3)
    return found


@step
def split_copy(words: Words, event: int, lines: Lines, first: int, end: int) -> int:
    """The requests that a copy past L1 makes. Notes with each line how many sectors come more than
    once, as requests ask for some of them each for itself."""
    requests = int64(0)
    row = words[event, ADDRESSES : ADDRESSES + LANES]
    left = int64(words[event, MASK])
    for index in range(first, end):
        lanes = same_lanes(row, lowest_lane(left), LINE_BITS) & left
        left &= ~lanes
        extra = -popcount(touched_sectors(row, lanes))
        while lanes:
            together = copy_lanes(words, event, lanes)
            lanes &= ~together
            requests += 1
            extra += popcount(touched_sectors(row, together))
        lines[index] = lines[index] & ~int64(0xF0) | min(extra, int64(15)) << 4
    return requests


@step
def add_local(
    row: NDArray[np.uint32], mask: int, width: int, frame: int, lines: Lines, used: int
) -> int:
    """Lines of a local event: the 32 lanes' words at one offset form a line."""
    first = used
    for word in range(max(1, width // 4)):
        left = mask
        while left:
            lane = lowest_lane(left)
            same = same_lanes(row, lane, SECTOR_BITS | 28) & left
            left &= ~same
            touched = 0
            filled = 0
            for sector in range(4):
                lanes = (same >> (8 * sector)) & 0xFF
                touched |= (lanes != 0) << sector
                filled |= (lanes == 0xFF) << sector
            number = LOCAL_LINES + frame + (int64(row[lane]) >> 2) + word
            lines[used] = (number << LINE_SHIFT) | (filled << 4) | touched
            used += 1
            if used - first >= MOST_LINES:
                left = 0
    return used
