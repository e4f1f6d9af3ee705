"""Addresses of a request: written into its event, and checked.

Lanes whose access falls outside or is misaligned are recorded as faults and left out.
"""

from __future__ import annotations

import numpy as np

from simulator.emulator import layout
from simulator.emulator.runtime.raw import load32, load64, store32
from simulator.emulator.runtime.state import (
    EVENT_ADDRESSES,
    commit_event,
    event_address,
    fault,
    row_address,
)  # fmt: skip
from simulator.events import GLOBAL_BASE
from simulator.jit import Int, step

LANES = layout.LANES
SHARED, GLOBAL, LOCAL = 0, 1, 2
_BASE = np.int64(GLOBAL_BASE)


@step
def width_bytes(code: Int) -> Int:
    """Bytes a lane of a width code."""
    if code >= 4:
        return 4 << (code - 4)
    return 1 << (code >> 1)


@step
def short_addresses(
    w: Int, x: Int, event: Int, instruction: Int, mask: Int, row: Int, offset: Int, shift: Int,
    width: Int, first: Int, end: Int,
) -> Int:  # fmt: skip
    """Write 32-bit addresses into an event; returns the lanes that are in [first, end)."""
    source = row_address(w, row)
    add = np.uint32(offset)
    for lane in range(LANES):
        store32(event, EVENT_ADDRESSES + lane, (load32(source, lane) << np.uint32(shift)) + add)
    low, high = np.uint32(first), np.uint32(end - width)
    align = np.uint32(width - 1)
    bad = np.uint32(0)
    for lane in range(LANES):
        address = load32(event, EVENT_ADDRESSES + lane)
        active = np.uint32(0) - (np.uint32(mask) >> np.uint32(lane) & np.uint32(1))
        wrong = np.uint32(address < low) | np.uint32(address > high) | (address & align)
        bad |= wrong & active
    if bad == 0 and end >= width:
        return mask
    return _drop_short(w, x, event, instruction, mask, width, first, end)


@step
def _drop_short(
    w: Int, x: Int, event: Int, instruction: Int, mask: Int, width: Int, first: Int, end: Int
) -> Int:
    for lane in range(LANES):
        if mask >> lane & 1:
            address = np.int64(load32(event, EVENT_ADDRESSES + lane))
            if address < first or address + width > end or address & (width - 1):
                fault(w, x, instruction, lane, address)
                mask &= ~(1 << lane)
    return mask


@step
def long_addresses(
    w: Int, x: Int, event: Int, instruction: Int, mask: Int, low: Int, high: Int, offset: Int,
    width: Int,
) -> Int:  # fmt: skip
    """Write arena offsets of 64-bit addresses into an event; returns the lanes in a buffer."""
    lows, highs = row_address(w, low), row_address(w, high)
    base = offset - _BASE
    buffers = load64(x, layout.X_BUFFERS)
    last = load64(x, layout.X_LAST_BUFFER)
    known = np.int64(load32(last, instruction))
    first, end = load64(buffers, 2 * known), load64(buffers, 2 * known + 1) - width
    align = np.int64(width - 1)
    bad = np.int64(0)
    for lane in range(LANES):
        place = (np.int64(load32(highs, lane)) << 32 | np.int64(load32(lows, lane))) + base
        active = -(np.int64(mask) >> lane & 1)
        wrong = np.int64(place < first) | np.int64(place > end) | (place & align)
        bad |= wrong & active
        store32(event, EVENT_ADDRESSES + lane, np.uint32(place))
    if bad == 0:
        return mask
    return _find_buffers(w, x, instruction, mask, lows, highs, base, width)


@step
def _find_buffers(
    w: Int, x: Int, instruction: Int, mask: Int, lows: Int, highs: Int, base: Int, width: Int
) -> Int:
    for lane in range(LANES):
        if mask >> lane & 1:
            place = (np.int64(load32(highs, lane)) << 32 | np.int64(load32(lows, lane))) + base
            index = buffer_of(x, place, width)
            if index < 0:
                fault(w, x, instruction, lane, place + _BASE)
                mask &= ~(1 << lane)
            else:
                store32(load64(x, layout.X_LAST_BUFFER), instruction, np.uint32(index))
    return mask


@step
def buffer_of(x: Int, place: Int, width: Int) -> Int:
    """The buffer that holds ``width`` aligned bytes at an arena offset, or -1."""
    buffers = load64(x, layout.X_BUFFERS)
    for index in range(load64(x, layout.X_BUFFER_COUNT)):
        if load64(buffers, 2 * index) <= place and place + width <= load64(buffers, 2 * index + 1):
            return -1 if place & (width - 1) else index
    return -1


@step
def generic_lanes(w: Int, mask: Int, low: Int, high: Int, offset: Int, window: Int) -> Int:
    """Lanes of a generic access whose address lies in the window with this high word."""
    lows, highs = row_address(w, low), row_address(w, high)
    found = 0
    for lane in range(LANES):
        place = (np.int64(load32(highs, lane)) << 32 | np.int64(load32(lows, lane))) + offset
        if place >> 32 == window:
            found |= mask & (1 << lane)
    return found


@step
def shared_request(
    w: Int, x: Int, i: Int, lanes: Int, row: Int, offset: Int, shift: Int, width: Int
) -> tuple[Int, Int]:
    """(event, lanes inside) of a request to shared memory; counted unless no lane is."""
    event = event_address(x)
    first, end = load64(x, layout.X_SHARED_FIRST), load64(x, layout.X_SHARED_BYTES)
    mask = short_addresses(w, x, event, i, lanes, row, offset, shift, width, first, end)
    if mask:
        commit_event(w, x, event, i, mask, SHARED)
    return event, mask


@step
def local_request(
    w: Int, x: Int, i: Int, lanes: Int, row: Int, offset: Int, shift: Int, width: Int
) -> tuple[Int, Int]:
    """The same for local memory."""
    event = event_address(x)
    end = load64(x, layout.X_LOCAL_BYTES)
    mask = short_addresses(w, x, event, i, lanes, row, offset, shift, width, 0, end)
    if mask:
        commit_event(w, x, event, i, mask, LOCAL)
    return event, mask


@step
def global_request(
    w: Int, x: Int, i: Int, lanes: Int, low: Int, high: Int, offset: Int, width: Int
) -> tuple[Int, Int]:
    """The same for global memory, whose addresses lie in two rows."""
    event = event_address(x)
    mask = long_addresses(w, x, event, i, lanes, low, high, offset, width)
    if mask:
        commit_event(w, x, event, i, mask, GLOBAL)
    return event, mask
