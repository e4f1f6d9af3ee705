"""Which blocks the SM that decides gets, and how many at a time."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simulator.device.model import Device
from simulator.emulator.launch import Launch
from simulator.memory.caches.machine import layout_of
from simulator.memory.caches.placement import first_wave
from simulator.occupancy import BlockResources, find_occupancy, warps_of
from simulator.sampling import Shape, class_of, sample_blocks
from simulator.timing.dealing import deal_blocks

# How much more one block executes than another of its kind before blocks count as uneven, and
# warp-instructions of a launch that are counted to know the work of each block.
UNEVEN = 1.05
MOST_COUNTED = 100_000_000


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


def is_uneven(grid: Shape, blocks: NDArray[np.int64], work: NDArray[np.int64]) -> bool:
    """Whether ``blocks`` of one kind on an SM differ in what they execute (``work``, of each), so
    that it matters which SM gets which; not where all of the launch is too much to count."""
    total = grid[0] * grid[1] * grid[2]
    if len(work) < 2 or work.mean() * total > MOST_COUNTED:
        return False
    kinds: dict[Hashable, list[int]] = {}
    for block, executed in zip(blocks.tolist(), work.tolist(), strict=True):
        kinds.setdefault(class_of(block, grid), []).append(executed)
    return any(max(alike) > UNEVEN * min(alike) for alike in kinds.values())


def place_by_work(device: Device, launch: Launch, placement: Placement) -> Placement:
    """The blocks of the SM that ends last, when the first are placed as the device does and each SM
    gets the next block as one ends, if that one has much more to do; else ``placement``. All blocks
    of ``launch`` are run for it."""
    total = launch.grid[0] * launch.grid[1] * launch.grid[2]
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    work = launch.count_work(np.arange(total, dtype=np.int64))
    first = first_wave(layout_of(device), placement.resident, total)
    blocks = deal_blocks(work, placement.sms, placement.resident, warps_of(threads), first)
    much_more = work[blocks].sum() > UNEVEN * work[placement.blocks].sum()
    return replace(placement, blocks=blocks) if much_more else placement


def longest_block(launch: Launch) -> int:
    """The block that executes most, among one of each kind (first, between, last on each axis)."""
    kinds: dict[Hashable, int] = {}
    for block in sample_blocks(launch.grid).tolist():
        kinds.setdefault(class_of(block, launch.grid), block)
    blocks = np.array(list(kinds.values()), np.int64)
    return int(blocks[launch.count_work(blocks).argmax()])
