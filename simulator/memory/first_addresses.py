"""Where each instruction first went: what tells how addresses move from block to block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.events import Events
from simulator.isa.kernel import Kernel, Space
from simulator.jit import compiled, int64, pack
from simulator.memory.memo import ADDRESSES, EVENT_WORDS, INSTRUCTION, MASK, SPACE_WARP, Words
from simulator.memory.vector import lowest_lane

_GLOBAL = Space.GLOBAL.value


class FirstAddresses:
    """An event sink that keeps the first global address of every instruction."""

    def __init__(self, kernel: Kernel) -> None:
        self._first = np.full(len(kernel.instructions), -1, np.int64)
        self._packed: NDArray[np.int64] = pack(self._first)  # for calls of compiled functions

    @property
    def addresses(self) -> dict[int, int]:
        """By instruction the byte offset (see ``simulator.events``) of the lowest active lane of
        its first request."""
        return {int(i): int(self._first[i]) for i in np.flatnonzero(self._first >= 0)}

    def consume(self, events: Events) -> None:
        """Read a batch of events."""
        words = np.ascontiguousarray(events).view(np.uint32).reshape(-1, EVENT_WORDS)
        note_first(words, self._packed)


@compiled
def note_first(words: Words, first: NDArray[np.int64]) -> None:
    """Fill in the addresses that are not known yet, -1."""
    for row in range(len(words)):
        instruction = int64(words[row, INSTRUCTION])
        if int64(words[row, SPACE_WARP]) & 0xFFFF == _GLOBAL and first[instruction] < 0:
            lane = lowest_lane(int64(words[row, MASK]))
            first[instruction] = int64(words[row, ADDRESSES + lane])
