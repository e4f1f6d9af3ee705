"""Where a block runs: its registers, its shared and local memory, and what code needs to know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.emulator import layout
from simulator.events import LANES

Dim3 = tuple[int, int, int]


def aligned(words: int, dtype: Any) -> NDArray[Any]:
    """Zeros on a 128-byte boundary."""
    size = np.dtype(dtype).itemsize
    raw = np.zeros(words * size + 128, dtype=np.uint8)
    start = -raw.ctypes.data % 128
    return raw[start : start + words * size].view(dtype)


@dataclass(frozen=True)
class Size:
    """How large places are: registers a thread, threads, first and last byte of shared memory,
    bytes of local memory a thread."""

    registers: int
    grid: Dim3
    block: Dim3
    shared_span: tuple[int, int]
    local_bytes: int

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def warps(self) -> int:
        """Warps of a block."""
        return -(-self.threads // LANES)

    @property
    def stride(self) -> int:
        """Words of a warp's state."""
        return layout.warp_words(self.registers)


class Place:
    """Memory of one resident block; ``common`` gives the entries that all places share."""

    def __init__(self, size: Size, common: Mapping[int, int]) -> None:
        self.state = aligned(size.stride * size.warps, np.int32)
        self._shared = aligned(size.shared_span[1] // 4 + 32, np.uint32)
        self._local = aligned(max(1, size.local_bytes // 4 * LANES * size.warps), np.uint32)
        self._arrivals = np.zeros(16, dtype=np.uint32)
        self.context = x = aligned(layout.CONTEXT_WORDS, np.int64)
        for index, value in common.items():
            x[index] = value
        x[layout.X_SHARED] = self._shared.ctypes.data
        x[layout.X_LOCAL] = self._local.ctypes.data
        x[layout.X_ARRIVALS] = self._arrivals.ctypes.data
        x[layout.X_SHARED_FIRST], x[layout.X_SHARED_BYTES] = size.shared_span
        x[layout.X_LOCAL_BYTES] = size.local_bytes
        x[layout.X_LOCAL_WARP_WORDS] = size.local_bytes // 4 * LANES
        x[layout.X_BLOCK_DIM : layout.X_BLOCK_DIM + 3] = size.block
        x[layout.X_GRID_DIM : layout.X_GRID_DIM + 3] = size.grid
        _write_thread_indices(self.state.reshape(size.warps, size.stride), size.block)


def _write_thread_indices(states: NDArray[np.int32], block: Dim3) -> None:
    """The rows that no block changes: threadIdx and the lane."""
    for warp, state in enumerate(states):
        rows = state[layout.HEADER_WORDS :].reshape(-1, LANES)
        thread = np.arange(LANES) + warp * LANES
        rows[layout.ROW_TID] = thread % block[0]
        rows[layout.ROW_TID + 1] = thread // block[0] % block[1]
        rows[layout.ROW_TID + 2] = thread // (block[0] * block[1])
        rows[layout.ROW_LANE] = np.arange(LANES)
