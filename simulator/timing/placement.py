"""Which blocks the SM that decides gets, and how many at a time."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.device.model import Device
from simulator.emulator.launch import Launch
from simulator.occupancy import BlockResources, find_occupancy
from simulator.sampling import class_of, sample_blocks


@dataclass(frozen=True)
class Placement:
    """The blocks of one SM: ``blocks`` in order, ``resident`` at a time; ``sms`` SMs are busy."""

    blocks: NDArray[np.int64]
    resident: int
    sms: int
    l1_bytes: int


def place_blocks(device: Device, launch: Launch, registers: float | None = None) -> Placement:
    """The blocks of the busiest SM: dealt out in turn.

    When every block has an SM of its own, the one that executes most decides. ``registers`` a
    thread, if given, replace the kernel's own for the number of resident blocks.
    """
    kernel = launch.program.kernel
    total = launch.grid[0] * launch.grid[1] * launch.grid[2]
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    shared = launch.shared_span[1] - launch.shared_span[0]
    taken = kernel.registers if registers is None else int(registers)
    found = find_occupancy(device, BlockResources(threads, taken, shared, kernel.barriers))
    sms = min(total, device.sm_count)
    if total <= device.sm_count:
        blocks = np.array([longest_block(launch)], np.int64)
    else:
        rest = total % device.sm_count
        first = (rest if rest else sms) // 2
        blocks = np.arange(first, total, device.sm_count, dtype=np.int64)
    return Placement(blocks, found.blocks_per_sm, sms, found.l1_bytes)


def longest_block(launch: Launch) -> int:
    """The block that executes most, among one of each kind (first, between, last on each axis)."""
    kinds: dict[Hashable, int] = {}
    for block in sample_blocks(launch.grid).tolist():
        kinds.setdefault(class_of(block, launch.grid), block)
    work = {b: int(launch.run(np.array([b])).executed.sum()) for b in kinds.values()}
    return max(work, key=lambda block: work[block])
