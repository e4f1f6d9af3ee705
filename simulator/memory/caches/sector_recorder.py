"""An event sink that keeps what blocks ask of the caches."""

from __future__ import annotations

import numpy as np

from simulator.events import Events
from simulator.isa.kernel import Kernel
from simulator.jit import pack
from simulator.memory.caches.items import (
    ENDLESS,
    EVENT_WORDS,
    MOST_ITEMS,
    MOST_WARPS,
    Cap,
    Items,
    empty_items,
    extract,
    lower_kinds,
    resized,
)


class SectorRecorder:
    """An event sink that keeps the items of every block it sees, but of a warp no requests beyond
    ``most`` items (see ``Cap``); ``requests`` says how many."""

    def __init__(self, kernel: Kernel, local_words: int, most: int = ENDLESS) -> None:
        self._kinds = lower_kinds(kernel)
        self._local_words = local_words
        self._requests, self._made = 0, 0
        # A local access touches up to 4 words a lane, each group of 8 lanes a sector.
        self._sectors = np.empty(MOST_ITEMS + 1, np.int64)
        self._bytes = np.empty(MOST_ITEMS + 1, np.uint32)
        self._room = empty_items(0)
        taken, self.requests = np.zeros((MOST_WARPS, 2), np.int64), np.zeros((2, 2), np.int64)
        self._cap = Cap(most, np.full(1, -1, np.int64), taken, self.requests)
        self._make_room(0)

    def _make_room(self, count: int) -> None:
        """Have room for so many items; pages that are not written cost nothing."""
        self._room = resized(self._room, self._made, count)
        arrays = (self._kinds, self._sectors, self._bytes, self._room, self._cap)
        self._packed = tuple(map(pack, arrays))  # for calls of compiled functions

    def consume(self, events: Events) -> None:
        """Keep a batch of ``EVENT`` records."""
        words = np.ascontiguousarray(events).view(np.uint32).reshape(-1, EVENT_WORDS)
        most = self._made + len(words) * MOST_ITEMS
        if len(self._room.base) < most:
            self._make_room(2 * most)
        kinds, sectors, bytes_of, room, cap = self._packed
        self._made = extract(
            words, kinds, self._local_words, sectors, bytes_of, room, self._made, self._requests,
            cap,
        )  # fmt: skip
        self._requests += len(words)

    def restart(self) -> None:
        """Forget all that was seen; the room for it stays, which costs to make."""
        self._requests = self._made = 0
        self._cap.block[:] = -1
        self._cap.taken[:] = 0
        self.requests[:] = 0

    def items(self) -> Items:
        """All items so far; views that later ones do not touch, until a restart."""
        return Items._make(column[: self._made] for column in self._room)
