"""The one interface between the emulator and the models: memory events.

The emulator fills a fixed buffer of ``EVENT`` records and hands it to every sink when it is full
and at the end; a sink reads them and keeps its own counts. One record is one memory request of one
warp, with at least one active lane. An instruction that touches two spaces makes two consecutive
records (LDGSTS: shared target first, global source second; a generic access: one a space it hits).
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

LANES = 32
FULL_MASK = 0xFFFFFFFF

# Device addresses the emulator hands out start here; an event holds the 32-bit offset from it.
# A multiple of 2**31, so that every address bit below 31 can be read from the offset alone.
GLOBAL_BASE = 0x7F00_0000_0000

EVENT = np.dtype(
    [
        ("instruction", "<u4"),  # index into Kernel.instructions
        ("lane_mask", "<u4"),  # bit i set: lane i takes part
        ("space", "<u2"),  # isa.kernel.Space value: SHARED, GLOBAL or LOCAL
        ("warp", "<u2"),  # warp index inside its block
        ("block", "<u4"),  # linear block index
        # SHARED: byte offset in the block's shared window (what the bank rule needs);
        # GLOBAL: byte offset from GLOBAL_BASE; LOCAL: byte offset in the thread's local memory.
        # Entries of inactive lanes are undefined.
        ("addresses", "<u4", (LANES,)),
    ]
)

# One basic block run by one warp (or by a part of its lanes), for models that need the order of
# instructions. Its memory requests are the events from ``event`` on, up to the next step's.
STEP = np.dtype(
    [
        ("warp", "<u4"),  # warp index inside its block
        ("block", "<u4"),  # linear block index
        ("basic_block", "<u4"),  # index into the program's basic blocks
        ("lane_mask", "<u4"),  # active lanes at its start
        ("event", "<u4"),  # position in the batch of events that is drained with it
    ]
)

Events = NDArray[Any]
Steps = NDArray[Any]


class EventSink(Protocol):
    """A model that reads events."""

    def consume(self, events: Events) -> None:
        """Read a batch of ``EVENT`` records; the buffer is reused afterwards."""


@runtime_checkable
class StepSink(Protocol):
    """A model that reads steps and their events together."""

    def consume_steps(self, steps: Steps, events: Events) -> None:
        """Read a batch of ``STEP`` records and the ``EVENT`` records they made."""
