"""Blocks that are not simulated: an SM goes on with them at the pace of its last ones."""

from __future__ import annotations

import numpy as np

from simulator.timing.state import (
    DRAM_ASKED,
    DRAM_BUSY,
    ISSUED,
    L2_ASKED,
    L2_BUSY,
    LAST_END,
    PORT_BUSY,
    STARTED,
    STORE_BUSY,
    TAG_BUSY,
    WARP_CYCLES,
    Sm,
)

_COUNTS = (PORT_BUSY, TAG_BUSY, L2_BUSY, DRAM_BUSY, STORE_BUSY, L2_ASKED, DRAM_ASKED)


def pace(sm: Sm, resident: int) -> float:
    """Cycles from one block's start to the next one's, in the later half of the SM's waves of
    ``resident`` blocks. Starts know nothing of the launch's end, where the last blocks have the SM
    to themselves."""
    started = np.sort(sm.blocks[:, STARTED])
    waves = max(1, (len(started) // resident - 1) // 2)
    return float(started[-1] - started[-1 - waves * resident]) / (waves * resident)


def go_on(sm: Sm, blocks: int, resident: int) -> None:
    """Have an SM that ran the first of its ``blocks`` run all of them: its time grows by its pace,
    its counts with their number."""
    done = len(sm.blocks)
    if done == blocks:
        return
    more, part = round((blocks - done) * pace(sm, resident)), blocks / done
    sm.clock[LAST_END] += more
    sm.clock[WARP_CYCLES] += more * len(sm.slots)  # places are never empty for long
    sm.clock[ISSUED] = round(sm.clock[ISSUED] * part)
    sm.flows[list(_COUNTS)] *= part
    for counts in (sm.pipe_cycles, sm.stalls):
        counts[:] = np.rint(counts * part).astype(counts.dtype)
