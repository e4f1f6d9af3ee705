"""Which lanes of a copy past L1 ask L2 together, as measured on an NVIDIA H200.

``words`` are events, uint32[event, EVENT_WORDS]; a copy's targets in shared memory stand a row
above its sources.
"""

from __future__ import annotations

from simulator.jit import constant, int64, step
from simulator.memory.lower import SHARED
from simulator.memory.memo import ADDRESSES, INSTRUCTION, SPACE_WARP, Words
from simulator.memory.vector import LANES, lowest_lane

COPY_BYTES = constant(16)  # of a lane of a copy past L1
TARGET_LINE_BITS = constant(7)


@step
def has_targets(words: Words, row: int, width: int) -> bool:
    """Whether an event past L1 is the source of a copy to shared memory."""
    if width != COPY_BYTES or row == 0:
        return False
    same = words[row - 1, INSTRUCTION] == words[row, INSTRUCTION]
    return bool(same and int64(words[row - 1, SPACE_WARP]) & 0xFFFF == SHARED)


@step
def copy_lanes(words: Words, row: int, left: int) -> int:
    """Lanes of a copy past L1 that go with the lowest of ``left``.

    A copy moves half sectors (16 bytes). Halves that keep their place in a sector make one request
    for each 128-byte line of targets; of the others, lower and upper halves make their own. (Eight
    lanes whose targets are 16 bytes off ask for 8 sectors in three requests, and for 4 in one where
    they are not. Copies whose halves keep their place but cross a line of targets were not
    measured; they are taken to split too.)
    """
    first = lowest_lane(left)
    lanes = int64(0)
    for lane in range(first, LANES):
        if (left >> lane) & 1 and _group(words, row, lane) == _group(words, row, first):
            lanes |= int64(1) << lane
    return lanes


@step
def _group(words: Words, row: int, lane: int) -> int:
    """The request of a copy past L1 that a lane is part of."""
    source, target = words[row, ADDRESSES + lane], words[row - 1, ADDRESSES + lane]
    half = int64(source) >> 4 & 1
    moved = half ^ (int64(target) >> 4 & 1)
    return (int64(target) >> TARGET_LINE_BITS) * 4 + moved * (1 + half)
