"""What a launch stores of sectors without ever storing their other words: DRAM has to bring those
first, once more lines wait for them than L2 keeps (``memory.caches.unfinished``)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simulator.device.structure import LINE_BYTES, SECTOR_BYTES
from simulator.emulator.launch import Launch
from simulator.memory.caches.items import (
    INSTRUCTION_SHIFT,
    KIND_MASK,
    KIND_SHIFT,
    LOCAL_BASE,
    SECTOR_BITS,
    SECTORS_PER_LINE,
    STORE,
    Items,
)
from simulator.memory.caches.sector_recorder import SectorRecorder


def unfinished_of(launch: Launch, block: int, beside: Sequence[int]) -> NDArray[np.float32]:
    """For each instruction what part (0 to 1) of the sectors that it stores to neither its block
    nor those ``beside`` store whole, as ``block`` shows it. Replays it, and those if that
    matters."""
    own = _stores_of(launch, [block])
    row, sectors = _sectors_of(own)
    is_left = ~np.isin(sectors, _whole_sectors(own))
    if is_left.any() and len(beside):
        is_left = ~np.isin(sectors, _whole_sectors(_stores_of(launch, [block, *beside])))
    instruction = (own.info >> INSTRUCTION_SHIFT)[row]
    count = len(launch.program.kernel.instructions)
    left = np.bincount(instruction, is_left, minlength=count)
    return (left / np.maximum(1, np.bincount(instruction, minlength=count))).astype(np.float32)


def _stores_of(launch: Launch, blocks: Sequence[int]) -> Items:
    """What blocks store to global memory."""
    recorder = SectorRecorder(launch.program.kernel, launch.local_bytes // 4)
    launch.run(np.array(blocks, np.int64), lambda: [recorder])
    items = recorder.items()
    is_store = (items.info >> KIND_SHIFT) & KIND_MASK == STORE
    return Items._make(column[is_store & (items.base < LOCAL_BASE)] for column in items)


def _sectors_of(items: Items) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every sector that items touch, and the item that does."""
    bits = np.arange(SECTORS_PER_LINE)
    row, bit = np.nonzero(items.info[:, None] >> bits & 1)
    return row, (items.base >> SECTOR_BITS)[row] + bit


def _whole_sectors(items: Items) -> NDArray[np.int64]:
    """The sectors of which items hold all words between them."""
    row, bit = np.nonzero(items.words[:, None] >> np.arange(LINE_BYTES // 4, dtype=np.uint32) & 1)
    words = np.unique((items.base >> 2)[row] + bit)
    sectors, counts = np.unique(words // (SECTOR_BYTES // 4), return_counts=True)
    whole: NDArray[np.int64] = sectors[counts == SECTOR_BYTES // 4]
    return whole
