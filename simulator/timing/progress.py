"""How far each warp of a block has come when it makes a request, and the lines it touches then."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.jit import compiled, inlined, int64
from simulator.memory.lanes import LINE_BITS
from simulator.memory.lower import GLOBAL, LOCAL, SHARED, WIDTH
from simulator.memory.memo import ADDRESSES, BLOCK, INSTRUCTION, MASK, SPACE_WARP, Words
from simulator.memory.vector import LANES, lowest_lane, same_lanes
from simulator.timing.request_lines import LINE_SHIFT, Lines, add_local

Counts = NDArray[np.int32]
LINE_NUMBER_BITS = 44  # of a line's number, local memory's too
LINE_MASK = (1 << LINE_NUMBER_BITS) - 1
# Columns of what is known of a touch.
ROUND, PLACE, HOME = range(3)
MARKS = 3


class Progress(NamedTuple):
    """What the warps of the block that runs have done so far."""

    made: Counts  # [warp, instruction]: requests of each instruction
    total: Counts  # [warp]: requests of global and local memory
    block: NDArray[np.int64]  # (1,) the block, -1 before the first


def make_progress(warps: int, instructions: int) -> Progress:
    """Nothing done."""
    made = np.zeros((warps, max(1, instructions)), np.int32)
    return Progress(made, np.zeros(warps, np.int32), np.full(1, -1, np.int64))


@inlined
def _begin(progress: Progress, block: int) -> None:
    """Forget the warps of the block before when another comes."""
    if progress.block[0] != block:
        progress.block[0] = block
        progress.made[:] = 0
        progress.total[:] = 0


@compiled
def count_events(words: Words, progress: Progress, rounds: Counts, places: Counts) -> None:
    """For each event how often its warp has executed the instruction before, and how many
    requests beyond shared memory the warp has made."""
    for event in range(words.shape[0]):
        _begin(progress, int64(words[event, BLOCK]))
        warp, instruction = int64(words[event, SPACE_WARP]) >> 16, int64(words[event, INSTRUCTION])
        rounds[event] = progress.made[warp, instruction]
        places[event] = progress.total[warp]
        progress.made[warp, instruction] += 1
        progress.total[warp] += int64((int64(words[event, SPACE_WARP]) & 0xFFFF) != SHARED)


@compiled
def find_touches(
    words: Words, table: NDArray[np.int32], progress: Progress, frame_words: int, pairs: Lines,
    marks: Counts, lines: Lines,
) -> int:  # fmt: skip
    """Every line that events touch: with its instruction as one number, and in ``marks`` what
    ``count_events`` finds and the block.

    Returns how many there are, at most MOST_LINES an event; ``lines`` is scratch.
    """
    used = 0
    for event in range(words.shape[0]):
        _begin(progress, int64(words[event, BLOCK]))
        instruction, mask = int64(words[event, INSTRUCTION]), int64(words[event, MASK])
        space = int64(words[event, SPACE_WARP]) & 0xFFFF
        warp = int64(words[event, SPACE_WARP]) >> 16
        row = words[event, ADDRESSES : ADDRESSES + LANES]
        count = 0
        if space == GLOBAL:
            while mask:
                lane = lowest_lane(mask)
                mask &= ~same_lanes(row, lane, LINE_BITS)
                lines[count] = (int64(row[lane]) >> 7) << LINE_SHIFT
                count += 1
        elif space == LOCAL:
            frame = (int64(words[event, BLOCK]) * progress.total.shape[0] + warp) * frame_words
            count = add_local(row, mask, int64(table[instruction, WIDTH]), frame, lines, int64(0))
        for index in range(count):
            pairs[used] = instruction << LINE_NUMBER_BITS | lines[index] >> LINE_SHIFT
            marks[used, ROUND] = progress.made[warp, instruction]
            marks[used, PLACE] = progress.total[warp]
            marks[used, HOME] = words[event, BLOCK]
            used += 1
        progress.made[warp, instruction] += 1
        progress.total[warp] += int64(space != SHARED)
    return used
