"""Reading and writing a warp's state (addresses, see emulator.layout)."""

from __future__ import annotations

import numpy as np

from simulator.emulator import layout
from simulator.emulator.runtime.raw import load32, load64, store32, store64
from simulator.jit import Int, step

_ROWS = layout.HEADER_WORDS * 4
_ROW_BYTES = layout.LANES * 4
_ACTIVE_ROW = _ROWS + layout.ROW_ACTIVE * _ROW_BYTES
EVENT_BYTES = 144
EVENT_ADDRESSES = 4  # index of the first address, in 32-bit words
FULL = np.uint32(0xFFFFFFFF)
FAULT_WORDS = 6


@step
def row_address(w: Int, row: Int) -> Int:
    """Host address of a row."""
    return w + _ROWS + row * _ROW_BYTES


@step
def get(w: Int, index: Int) -> Int:
    """A header scalar as a non-negative integer."""
    return np.int64(load32(w, index))


@step
def put(w: Int, index: Int, value: Int) -> None:
    """Write a header scalar."""
    store32(w, index, np.uint32(value))


@step
def set_active(w: Int, bits: Int) -> None:
    """Make ``bits`` the running lanes, as bits and as a row."""
    put(w, layout.ACTIVE, bits)
    row = w + _ACTIVE_ROW
    for lane in range(layout.LANES):
        store32(row, lane, np.uint32(-(bits >> lane & 1)))


@step
def fault(w: Int, x: Int, instruction: Int, lane: Int, address: Int) -> None:
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


@step
def event_address(x: Int) -> Int:
    """Where the next event goes."""
    return load64(x, layout.X_EVENTS) + load64(x, layout.X_EVENT_COUNT) * EVENT_BYTES


@step
def commit_event(w: Int, x: Int, event: Int, instruction: Int, mask: Int, space: Int) -> None:
    """Fill the head of an event whose addresses are written, and keep it."""
    store32(event, 0, np.uint32(instruction))
    store32(event, 1, np.uint32(mask))
    store32(event, 2, np.uint32(space | load32(w, layout.WARP) << np.uint32(16)))
    store32(event, 3, load32(w, layout.BLOCK))
    store64(x, layout.X_EVENT_COUNT, load64(x, layout.X_EVENT_COUNT) + 1)
