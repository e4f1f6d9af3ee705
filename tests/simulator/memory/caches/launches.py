"""Small launches for the cache tests, without an emulator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.device import load_device
from simulator.events import EVENT, FULL_MASK, Events
from simulator.isa.kernel import AccessKind, Instruction, Kernel, MemoryAccess, Space
from simulator.memory.caches.between import Code
from simulator.memory.caches.machine import Machine, machine_of
from simulator.memory.caches.placement import Layout
from simulator.memory.caches.predict import CacheCounts, predict
from simulator.memory.caches.sector_recorder import SectorRecorder
from simulator.memory.caches.streams import Stream, own_streams, split_blocks
from simulator.memory.caches.work import Shape

LOAD, STORE, ATOMIC, NARROW_STORE, LOCAL_LOAD, LOCAL_STORE = range(6)
_ACCESSES = (
    MemoryAccess(Space.GLOBAL, AccessKind.LOAD, 4),
    MemoryAccess(Space.GLOBAL, AccessKind.STORE, 4),
    MemoryAccess(Space.GLOBAL, AccessKind.REDUCTION, 4),
    MemoryAccess(Space.GLOBAL, AccessKind.STORE, 1),
    MemoryAccess(Space.LOCAL, AccessKind.LOAD, 4),
    MemoryAccess(Space.LOCAL, AccessKind.STORE, 4),
)
LANES = np.arange(32)
LOCAL_WORDS = 16


def make_kernel() -> Kernel:
    """One instruction for each of the operations above."""
    instructions = tuple(
        Instruction(index, 16 * index, "MEM", (), (), None, "MEM", access=access)
        for index, access in enumerate(_ACCESSES)
    )
    return Kernel("caches", 90, instructions, 32, 0, 0, 0, (), 0x210, b"")


def event(operation: int, addresses: NDArray[np.int64], block: int = 0, warp: int = 0) -> Events:
    """One record."""
    row = np.zeros(1, EVENT)
    row["instruction"], row["lane_mask"] = operation, FULL_MASK
    row["space"] = _ACCESSES[operation].space.value
    row["warp"], row["block"], row["addresses"] = warp, block, addresses
    return row


def record(events: Sequence[Events]) -> dict[int, Stream]:
    """The streams of blocks; events come block by block."""
    recorder = SectorRecorder(make_kernel(), LOCAL_WORDS)
    recorder.consume(np.concatenate(events))
    return split_blocks(recorder.items())


PAIRS = Layout((2, 2), (0, 1), returns=())


def make_machine(layout: Layout = PAIRS, **changes: Any) -> Machine:
    """Two groups of two SMs, an L1 of 4 KiB, an L2 of 64 KiB; nothing varies."""
    numbers: dict[str, Any] = {
        "l1_bytes": 4096, "l2_bytes": 1 << 16, "dirty_bytes": 1 << 15, "unfinished_lines": 0,
        "merge_most": 4, "merge_lead": 220, "merge_turn": 15, "miss_window": (430, 430, 100),
        "refresh": (0, 0, 0), "tpc_distance": (), "split_distance": (), "sm_late": (),
        "split_late": (), "l1_latency": 40, "l2_latency": 280, "l2_spread": 0, "launch_block": 1.0,
        "launch_warp": 1.0, "relaunch": 200, "l2_parts": 1, "l2_far": 0, "part_sides": (),
        "l2_ways": 16, "request_gap": 2,
        "jitter": machine_of(load_device("h200"), 0).jitter,
    }  # fmt: skip
    return Machine(layout=layout, **{**numbers, **changes})


def run(
    blocks: Mapping[int, Stream], total: int, machine: Machine, global_bytes: int = 1 << 15,
    barriers: bool = True, ahead: bool = False, tries: int = 1,
) -> CacheCounts:  # fmt: skip
    """Predict a launch of ``total`` blocks of three warps, two an SM."""
    waits = np.full(6, 1 << 40)
    shape = Shape(
        2, global_bytes, 1 << 22, 128 * LOCAL_WORDS, 3, 1000.0, 300.0, waits, np.full(6, ahead),
        barriers, Code(np.arange(7), ()),
    )  # fmt: skip
    return predict(own_streams(blocks, total), machine, shape, most_tries=tries)
