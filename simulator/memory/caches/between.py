"""How much work of a warp lies between two of its loads, by the code between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.jit import compiled, int64
from simulator.memory.caches.items import INSTRUCTION_SHIFT
from simulator.memory.caches.streams import Streams

Ints = NDArray[np.int64]


class Code(NamedTuple):
    """``before``: how often the instructions before each were executed, all together, one entry
    more than there are instructions; ``loops``: first and last instruction of each."""

    before: Ints
    loops: tuple[tuple[int, int], ...]

    def between(self, last: int, following: int) -> float:
        """Instructions that a warp executes from one (exclusive) to another, at least 1; the other
        comes in the next turn of the innermost loop of both unless it is further on."""
        times = max(1, self.before[last + 1] - self.before[last])
        around = [loop for loop in self.loops if loop[0] <= following <= last <= loop[1]]
        if following > last or not around:
            passed = self.before[max(following, last + 1)] - self.before[last + 1]
        else:
            first, end = min(around, key=lambda loop: loop[1] - loop[0])
            passed = self.before[end + 1] - self.before[last + 1]
            passed += self.before[following] - self.before[first]
        return max(1.0, float(passed / times))


def work_shares(streams: Streams, waits: Ints, code: Code) -> tuple[Ints, NDArray[np.float64]]:
    """Batches of each template, and the work that follows one that ends with each instruction, as a
    share of what follows one on average.

    A batch are rounds that follow each other without waiting for a result; ``waits`` has, for every
    instruction, the first later one that needs its result.
    """
    used = np.unique(streams.info >> INSTRUCTION_SHIFT).astype(np.int64)
    number = np.zeros(len(waits), np.int64)
    number[used] = np.arange(len(used))
    counts = np.zeros(len(streams.first_round) - 1, np.int64)
    pairs = np.zeros((len(used), len(used) + 1), np.int64)
    _count_pairs(streams.info, streams.rounds, streams.first_round, waits, number, counts, pairs)
    targets = [*used.tolist(), len(waits)]
    work = np.zeros(len(used))
    for row, last in enumerate(used.tolist()):
        for column in np.flatnonzero(pairs[row]).tolist():
            work[row] += pairs[row, column] * code.between(last, targets[column])
    batches = pairs.sum(1)
    shares = np.ones(len(waits))
    shares[used] = work / np.maximum(batches, 1) * batches.sum() / max(work.sum(), 1.0)
    return counts, shares


@compiled
def _count_pairs(
    info: NDArray[np.uint32], rounds: Ints, first_round: Ints, waits: Ints, number: Ints,
    counts: Ints, pairs: Ints,
) -> None:  # fmt: skip
    """Count batches, and how often one that ends with an instruction is followed by one that begins
    with another, or in the last column by none."""
    for template in range(len(counts)):
        needed, last = -1, -1
        for place in range(first_round[template], first_round[template + 1] - 1):
            instruction = int64(info[rounds[place]]) >> INSTRUCTION_SHIFT
            if last < 0 or instruction <= last or instruction >= needed:
                if last >= 0:
                    pairs[number[last], number[instruction]] += 1
                counts[template] += 1
                needed = waits[instruction]
            needed, last = min(needed, waits[instruction]), instruction
        if last >= 0:
            pairs[number[last], pairs.shape[1] - 1] += 1
