"""What asynchronous copies past L1 ask of L2, as counted on an NVIDIA H200."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.events import EVENT, Events
from simulator.isa.kernel import AccessKind, Instruction, Kernel, MemoryAccess, Space
from simulator.memory.caches.sector_recorder import SectorRecorder

LANES = np.arange(32)


def _kernel() -> Kernel:
    access = MemoryAccess(Space.GLOBAL, AccessKind.ASYNC_COPY_BYPASS, 16)
    copy = Instruction(0, 0, "LDGSTS", (), (), None, "LDGSTS", access=access)
    return Kernel("copy", 90, (copy,), 32, 0, 0, 0, (), 0x210, b"")


def _copy(lanes: int, target: int) -> Events:
    """The two records of a copy by the lanes of a mask: shared targets, then sources."""
    rows = np.zeros(2, EVENT)
    rows["lane_mask"] = lanes
    rows["space"] = [Space.SHARED.value, Space.GLOBAL.value]
    rows["addresses"][0], rows["addresses"][1] = target + 16 * LANES, 16 * LANES
    return rows


@pytest.mark.parametrize(
    ("lanes", "target", "masks"),
    [
        (0x00FF, 0, [15]),
        (0x00FF, 16, [15, 7, 8]),
        (0x000F, 16, [3, 3]),
        (0x003C, 16, [6, 6]),
        (0x00F0, 16, [12, 4, 8]),
        (0x00C0, 16, [8, 8]),
        (0x0003, 16, [1, 1]),
    ],
)
def test_requests_of_a_copy(lanes: int, target: int, masks: list[int]) -> None:
    recorder = SectorRecorder(_kernel(), 0)
    recorder.consume(_copy(lanes, target))
    items = recorder.items()
    starts = (items.base // 32).tolist()
    found = [int(i & 15) << start for i, start in zip(items.info, starts, strict=True)]
    assert sorted(found) == sorted(masks)
