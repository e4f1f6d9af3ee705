"""Calls runtime functions on a warp of its own, without a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.emulator import layout
from simulator.emulator.runtime.symbols import register_symbol

FIRST = layout.ROW_REGISTER  # the row of R0
RESULT = FIRST + 16


def call(name: str, rows: Any, *arguments: int) -> Any:
    """Call a function with R0... set to ``rows`` (uint32[n][32]); returns R16 to R19."""
    words = layout.warp_words(32)
    raw = np.zeros(4 * words + 128, np.uint8)
    start = -raw.ctypes.data % 128  # rows lie on the boundary of a vector
    warp = raw[start : start + 4 * words].view(np.uint32)
    state = warp[layout.HEADER_WORDS :].reshape(-1, 32)
    state[FIRST : FIRST + len(rows)] = rows
    register_symbol(name).native((warp.ctypes.data, 0, *arguments))
    return state[RESULT : RESULT + 4].copy()
