"""From memory events to what the load/store unit has to do for each.

A request has a row of ``REQUEST`` numbers; those of a global or local request also own lines.
A line is one int64: number of the 128-byte line, then four bits of sectors written completely,
then four bits of sectors touched.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.jit import compiled, int64, step
from simulator.memory.atomics import count_atomic, count_cas, count_cast_spin, count_popc_inc
from simulator.memory.global_memory import count_global, output_wavefronts, sum_hottest
from simulator.memory.lanes import LINE_BITS, SECTOR_BITS
from simulator.memory.lower import (
    ATOMIC,
    BYPASS,
    CAS,
    CAST_SPIN,
    GLOBAL,
    LOAD,
    LOCAL,
    MATRICES,
    MATRIX,
    POPC_INC,
    RULE,
    SHARED,
    WIDTH,
)
from simulator.memory.matrix import count_matrix
from simulator.memory.memo import ADDRESSES, INSTRUCTION, MASK, SPACE_WARP, Words
from simulator.memory.shared import count_load_store
from simulator.memory.vector import lowest_lane, same_lanes

Requests = NDArray[np.int32]
Lines = NDArray[np.int64]
Table = NDArray[np.int32]

# Columns of a request: instruction, memory space, data-stage wavefronts, tag-stage wavefronts,
# first line, number of lines, sectors of an atomic, wavefronts that are bank conflicts.
R_INSTRUCTION, R_SPACE, R_DATA, R_TAG, R_FIRST, R_LINES, R_SECTORS, R_CONFLICTS = range(8)
REQUEST = 8
LINE_SHIFT = 8
LOCAL_LINES = 1 << 40  # lines from here on are local memory
MOST_LINES = 32


@step
def shared_counts(
    row: NDArray[np.uint32], mask: int, rule: int, width: int, n: int
) -> tuple[int, int, int, int, int]:
    """Data-stage wavefronts of one shared request and those that are bank conflicts, first."""
    if rule == MATRIX:
        return count_matrix(row, n)
    if rule == CAS:
        return count_cas(row, mask, width)
    if rule == POPC_INC:
        return count_popc_inc(row, mask, width)
    if rule == CAST_SPIN:
        return count_cast_spin(mask, width)
    if rule == ATOMIC:
        return count_atomic(row, mask, width)
    return count_load_store(row, mask, width, rule == LOAD)


@step
def pack_line(row: NDArray[np.uint32], lane: int, mask: int, width: int) -> int:
    """The line of a lane with the sectors that the request touches and fills."""
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
    return ((int64(row[lane]) >> 7) << LINE_SHIFT) | (filled << 4) | touched


@step
def add_global(
    row: NDArray[np.uint32], mask: int, width: int, rule: int, request: Requests, lines: Lines,
    used: int,
) -> int:  # fmt: skip
    """Fill the request of a global event; returns the lines used so far."""
    _, _, tags, leaders = count_global(row, mask, width)
    request[R_DATA] = count_load_store(row, mask, width, rule == LOAD)[0]
    request[R_TAG] = output_wavefronts(row, leaders)
    if rule >= ATOMIC and rule <= CAST_SPIN:
        request[R_SECTORS] = sum_hottest(row, mask, SECTOR_BITS)
    request[R_FIRST] = used
    request[R_LINES] = tags
    while leaders:
        lane = lowest_lane(leaders)
        leaders &= leaders - 1
        lines[used] = pack_line(row, lane, mask, width)
        used += 1
    return used


@step
def add_local(
    row: NDArray[np.uint32], mask: int, width: int, frame: int, request: Requests, lines: Lines,
    used: int,
) -> int:  # fmt: skip
    """Fill the request of a local event: the 32 lanes' words at one offset form a line."""
    first = used
    for word in range(max(1, width // 4)):
        left = mask
        while left:
            lane = lowest_lane(left)
            same = same_lanes(row, lane, SECTOR_BITS | 28) & left
            left &= ~same
            touched = 0
            for sector in range(4):
                if (same >> (8 * sector)) & 0xFF:
                    touched |= 1 << sector
            number = LOCAL_LINES + frame + (int64(row[lane]) >> 2) + word
            lines[used] = (number << LINE_SHIFT) | (touched << 4) | touched
            used += 1
            if used - first >= MOST_LINES:
                left = 0
    request[R_FIRST] = first
    request[R_LINES] = used - first
    request[R_DATA] = request[R_TAG] = used - first
    return used


@compiled
def make_requests(
    words: Words, table: Table, frame_words: int, warps: int, requests: Requests, lines: Lines
) -> int:
    """Fill one row of ``requests`` an event; returns the number of lines written."""
    used = 0
    for event in range(words.shape[0]):
        instruction = int64(words[event, INSTRUCTION])
        mask = int64(words[event, MASK])
        space = int64(words[event, SPACE_WARP]) & 0xFFFF
        rule = int64(table[instruction, RULE])
        width = int64(table[instruction, WIDTH])
        row = words[event, ADDRESSES:]
        request = requests[event]
        request[R_INSTRUCTION] = instruction
        request[R_SPACE] = space
        request[R_TAG] = request[R_LINES] = request[R_SECTORS] = 0
        if space == SHARED:
            number = int64(table[instruction, MATRICES])
            counts = shared_counts(row, mask, rule, width, number)
            request[R_DATA] = counts[0]
            request[R_CONFLICTS] = counts[1]
        elif space == GLOBAL:
            kind = LOAD if rule > BYPASS - 2 and rule != CAST_SPIN else rule
            used = add_global(row, mask, width, kind, request, lines, used)
        elif space == LOCAL:
            warp = int64(words[event, SPACE_WARP]) >> 16
            frame = (int64(words[event, 3]) * warps + warp) * frame_words
            used = add_local(row, mask, width, frame, request, lines, used)
    return used
