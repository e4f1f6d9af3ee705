"""Reading and writing a warp's state (addresses, see emulator.layout)."""

from __future__ import annotations

import numpy as np
from numba import njit

from simulator.emulator import layout
from simulator.emulator.runtime.raw import load32, load64, store32, store64

_ROWS = layout.HEADER_WORDS * 4
_ROW_BYTES = layout.LANES * 4
_ACTIVE_ROW = _ROWS + layout.ROW_ACTIVE * _ROW_BYTES
EVENT_BYTES = 144
EVENT_ADDRESSES = 4  # index of the first address, in 32-bit words
FULL = np.uint32(0xFFFFFFFF)
FAULT_WORDS = 6


@njit(cache=True)  # type: ignore[untyped-decorator]
def row_address(w: int, row: int) -> int:
    """Host address of a row."""
    return w + _ROWS + row * _ROW_BYTES


@njit(cache=True)  # type: ignore[untyped-decorator]
def get(w: int, index: int) -> int:
    """A header scalar as a non-negative integer."""
    return np.int64(load32(w, index))


@njit(cache=True)  # type: ignore[untyped-decorator]
def put(w: int, index: int, value: int) -> None:
    """Write a header scalar."""
    store32(w, index, np.uint32(value))


@njit(cache=True)  # type: ignore[untyped-decorator]
def set_active(w: int, bits: int) -> None:
    """Make ``bits`` the running lanes, as bits and as a row."""
    put(w, layout.ACTIVE, bits)
    row = w + _ACTIVE_ROW
    for lane in range(layout.LANES):
        store32(row, lane, np.uint32(-(bits >> lane & 1)))


@njit(cache=True)  # type: ignore[untyped-decorator]
def fault(w: int, x: int, instruction: int, lane: int, address: int) -> None:
    """Record an access outside every buffer: the first of each instruction, and how many."""
    record = load64(x, layout.X_FAULTS) + instruction * FAULT_WORDS * 8
    count = load64(record, 0)
    if count == 0:
        store64(record, 1, np.int64(get(w, layout.BLOCK)))
        store64(record, 2, np.int64(get(w, layout.WARP)))
        store64(record, 3, np.int64(lane))
        store64(record, 4, np.int64(address))
        store64(x, layout.X_FAULT_COUNT, load64(x, layout.X_FAULT_COUNT) + 1)
    store64(record, 0, count + 1)


@njit(cache=True)  # type: ignore[untyped-decorator]
def event_address(x: int) -> int:
    """Where the next event goes."""
    return load64(x, layout.X_EVENTS) + load64(x, layout.X_EVENT_COUNT) * EVENT_BYTES


@njit(cache=True)  # type: ignore[untyped-decorator]
def commit_event(w: int, x: int, event: int, instruction: int, mask: int, space: int) -> None:
    """Fill the head of an event whose addresses are written, and keep it."""
    store32(event, 0, np.uint32(instruction))
    store32(event, 1, np.uint32(mask))
    store32(event, 2, np.uint32(space | load32(w, layout.WARP) << np.uint32(16)))
    store32(event, 3, load32(w, layout.BLOCK))
    store64(x, layout.X_EVENT_COUNT, load64(x, layout.X_EVENT_COUNT) + 1)
