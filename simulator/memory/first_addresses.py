"""Where each instruction first went: what tells how addresses move from block to block."""

from __future__ import annotations

import numpy as np

from simulator.events import Events
from simulator.isa.kernel import Kernel, Space


class FirstAddresses:
    """An event sink that keeps the first global address of every instruction.

    ``addresses`` maps an instruction to the byte offset (see ``simulator.events``) of the lowest
    active lane of its first request.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._unseen = np.ones(len(kernel.instructions), dtype=bool)
        self.addresses: dict[int, int] = {}

    def consume(self, events: Events) -> None:
        """Read a batch of events."""
        instructions = events["instruction"]
        new = (events["space"] == Space.GLOBAL.value) & self._unseen[instructions]
        for row in np.flatnonzero(new):
            instruction = int(instructions[row])
            if self._unseen[instruction]:
                self._unseen[instruction] = False
                mask = int(events["lane_mask"][row])
                lane = (mask & -mask).bit_length() - 1
                self.addresses[instruction] = int(events["addresses"][row, lane])
