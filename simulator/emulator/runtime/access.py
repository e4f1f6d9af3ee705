"""Loads and stores of every memory space: address, bounds check, event, data.

Each public function is called by generated code with the warp ``w``, the context ``x``, the
instruction's index, the bits of the executing lanes and row numbers. Lanes whose access falls
outside are recorded as faults and left out; a load gives them zero.
"""

from __future__ import annotations

import numpy as np

from simulator.emulator import layout
from simulator.emulator.runtime.raw import (
    load8,
    load16,
    load32,
    load64,
    store8,
    store16,
    store32,
)  # fmt: skip
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
_RESERVED = layout.X_SHARED_FIRST


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
def load_small(memory: Int, place: Int, code: Int) -> Int:
    """A byte or halfword, extended to 32 bits as the width code says."""
    if code == 0:
        return np.uint32(load8(memory, place))
    if code == 1:
        return np.uint32(np.int8(load8(memory, place)))
    if code == 2:
        return np.uint32(load16(memory, place >> 1))
    return np.uint32(np.int16(load16(memory, place >> 1)))


@step
def gather(memory: Int, event: Int, mask: Int, target: Int, code: Int, asked: Int) -> None:
    """Load linear memory at an event's addresses into rows from ``target``."""
    words = 1 << (code - 4) if code >= 4 else 1
    if code >= 4 and mask == 0xFFFFFFFF:
        for word in range(words):
            row = target + word * LANES * 4
            for lane in range(LANES):
                place = np.int64(load32(event, EVENT_ADDRESSES + lane) >> np.uint32(2))
                store32(row, lane, load32(memory, place + word))
        return
    for lane in range(LANES):
        if asked >> lane & 1:
            place = np.int64(load32(event, EVENT_ADDRESSES + lane))
            on = mask >> lane & 1
            for word in range(words):
                value = np.uint32(0)
                if on:
                    if code >= 4:
                        value = load32(memory, (place >> 2) + word)
                    else:
                        value = load_small(memory, place, code)
                store32(target, word * LANES + lane, value)


@step
def scatter(memory: Int, event: Int, mask: Int, source: Int, code: Int) -> None:
    """Store rows from ``source`` to linear memory at an event's addresses, lane 0 first."""
    words = 1 << (code - 4) if code >= 4 else 1
    for lane in range(LANES):
        if mask >> lane & 1:
            place = np.int64(load32(event, EVENT_ADDRESSES + lane))
            if code >= 4:
                for word in range(words):
                    store32(memory, (place >> 2) + word, load32(source, word * LANES + lane))
            elif code < 2:
                store8(memory, place, np.uint8(load32(source, lane)))
            else:
                store16(memory, place >> 1, np.uint16(load32(source, lane)))


@step
def _open_shared(
    w: Int, x: Int, event: Int, i: Int, mask: Int, row: Int, offset: Int, shift: Int, width: Int
) -> Int:
    first, end = load64(x, _RESERVED), load64(x, layout.X_SHARED_BYTES)
    return short_addresses(w, x, event, i, mask, row, offset, shift, width, first, end)


def shared_load(
    w: Int, x: Int, i: Int, lanes: Int, target: Int, row: Int, offset: Int, shift: Int, code: Int
) -> None:
    """LDS."""
    asked = np.int64(np.uint32(lanes))
    if asked == 0:
        return
    event = event_address(x)
    mask = _open_shared(w, x, event, i, asked, row, offset, shift, width_bytes(code))
    if mask:
        commit_event(w, x, event, i, mask, SHARED)
    gather(load64(x, layout.X_SHARED), event, mask, row_address(w, target), code, asked)


def shared_store(
    w: Int, x: Int, i: Int, lanes: Int, source: Int, row: Int, offset: Int, shift: Int, code: Int
) -> None:
    """STS."""
    mask = np.int64(np.uint32(lanes))
    if mask == 0:
        return
    event = event_address(x)
    mask = _open_shared(w, x, event, i, mask, row, offset, shift, width_bytes(code))
    if mask:
        commit_event(w, x, event, i, mask, SHARED)
        scatter(load64(x, layout.X_SHARED), event, mask, row_address(w, source), code)


@step
def local_base(w: Int, x: Int) -> Int:
    """Host address of a warp's local memory: [word][lane]."""
    return load64(x, layout.X_LOCAL) + np.int64(load32(w, layout.WARP)) * (
        load64(x, layout.X_LOCAL_WARP_WORDS) * 4
    )


@step
def local_gather(memory: Int, event: Int, mask: Int, target: Int, code: Int, asked: Int) -> None:
    """Load local memory at an event's addresses into rows."""
    words = 1 << (code - 4) if code >= 4 else 1
    for lane in range(LANES):
        if asked >> lane & 1:
            on = mask >> lane & 1
            place = np.int64(load32(event, EVENT_ADDRESSES + lane)) if on else 0
            for word in range(words):
                index = ((place >> 2) + word) * LANES + lane
                value = (
                    load32(memory, index)
                    if code >= 4
                    else load_small(memory, index * 4 + (place & 3), code)
                )
                store32(target, word * LANES + lane, value if on else np.uint32(0))


@step
def local_scatter(memory: Int, event: Int, mask: Int, source: Int, code: Int) -> None:
    """Store rows to local memory at an event's addresses."""
    words = 1 << (code - 4) if code >= 4 else 1
    for lane in range(LANES):
        if mask >> lane & 1:
            place = np.int64(load32(event, EVENT_ADDRESSES + lane))
            for word in range(words):
                index = ((place >> 2) + word) * LANES + lane
                value = load32(source, word * LANES + lane)
                if code >= 4:
                    store32(memory, index, value)
                elif code < 2:
                    store8(memory, index * 4 + (place & 3), np.uint8(value))
                else:
                    store16(memory, index * 2 + (place >> 1 & 1), np.uint16(value))


def local_load(
    w: Int, x: Int, i: Int, lanes: Int, target: Int, row: Int, offset: Int, shift: Int, code: Int
) -> None:
    """LDL."""
    asked = np.int64(np.uint32(lanes))
    if asked == 0:
        return
    event = event_address(x)
    end = load64(x, layout.X_LOCAL_BYTES)
    width = width_bytes(code)
    mask = short_addresses(w, x, event, i, asked, row, offset, shift, width, 0, end)
    if mask:
        commit_event(w, x, event, i, mask, LOCAL)
    local_gather(local_base(w, x), event, mask, row_address(w, target), code, asked)


def local_store(
    w: Int, x: Int, i: Int, lanes: Int, source: Int, row: Int, offset: Int, shift: Int, code: Int
) -> None:
    """STL."""
    mask = np.int64(np.uint32(lanes))
    if mask == 0:
        return
    event = event_address(x)
    end = load64(x, layout.X_LOCAL_BYTES)
    width = width_bytes(code)
    mask = short_addresses(w, x, event, i, mask, row, offset, shift, width, 0, end)
    if mask:
        commit_event(w, x, event, i, mask, LOCAL)
        local_scatter(local_base(w, x), event, mask, row_address(w, source), code)


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
def _global_load(
    w: Int, x: Int, offset: Int, i: Int, asked: Int, target: Int, low: Int, high: Int, code: Int
) -> None:
    event = event_address(x)
    mask = long_addresses(w, x, event, i, asked, low, high, offset, width_bytes(code))
    if mask:
        commit_event(w, x, event, i, mask, GLOBAL)
    gather(load64(x, layout.X_GLOBAL), event, mask, row_address(w, target), code, asked)


def load(
    w: Int, x: Int, offset: Int, i: Int, lanes: Int, target: Int, low: Int, high: Int, code: Int
) -> None:
    """LDG."""
    asked = np.int64(np.uint32(lanes))
    if asked:
        _global_load(w, x, offset, i, asked, target, low, high, code)


_COPY = layout.ROW_TEMP + 2


@step
def _copy_rows(w: Int, low: Int, high: Int) -> None:
    """Keep the address rows, which a load may overwrite."""
    for lane in range(LANES):
        store32(row_address(w, _COPY), lane, load32(row_address(w, low), lane))
        store32(row_address(w, _COPY + 1), lane, load32(row_address(w, high), lane))


def generic_load(
    w: Int, x: Int, offset: Int, i: Int, lanes: Int, target: Int, low: Int, high: Int, code: Int
) -> None:
    """LD: lane group by lane group of the spaces it meets."""
    asked = np.int64(np.uint32(lanes))
    _copy_rows(w, low, high)
    low, high, width = _COPY, _COPY + 1, width_bytes(code)
    rows = row_address(w, target)
    shared = generic_lanes(w, asked, low, high, offset, layout.SHARED_WINDOW_HIGH)
    local = generic_lanes(w, asked, low, high, offset, layout.LOCAL_WINDOW_HIGH)
    others = asked & ~(shared | local)
    if shared:
        event = event_address(x)
        mask = _open_shared(w, x, event, i, shared, low, offset, 0, width)
        commit_event(w, x, event, i, mask, SHARED)
        gather(load64(x, layout.X_SHARED), event, mask, rows, code, shared)
    if local:
        event = event_address(x)
        end = load64(x, layout.X_LOCAL_BYTES)
        mask = short_addresses(w, x, event, i, local, low, offset, 0, width, 0, end)
        commit_event(w, x, event, i, mask, LOCAL)
        local_gather(local_base(w, x), event, mask, rows, code, local)
    if others:
        _global_load(w, x, offset, i, others, target, low, high, code)


@step
def _global_store(
    w: Int, x: Int, offset: Int, i: Int, mask: Int, source: Int, low: Int, high: Int, code: Int
) -> None:
    event = event_address(x)
    mask = long_addresses(w, x, event, i, mask, low, high, offset, width_bytes(code))
    if mask:
        commit_event(w, x, event, i, mask, GLOBAL)
        scatter(load64(x, layout.X_GLOBAL), event, mask, row_address(w, source), code)


def store(
    w: Int, x: Int, offset: Int, i: Int, lanes: Int, source: Int, low: Int, high: Int, code: Int
) -> None:
    """STG."""
    mask = np.int64(np.uint32(lanes))
    if mask:
        _global_store(w, x, offset, i, mask, source, low, high, code)


def generic_store(
    w: Int, x: Int, offset: Int, i: Int, lanes: Int, source: Int, low: Int, high: Int, code: Int
) -> None:
    """ST: lane group by lane group of the spaces it meets."""
    asked = np.int64(np.uint32(lanes))
    width, rows = width_bytes(code), row_address(w, source)
    shared = generic_lanes(w, asked, low, high, offset, layout.SHARED_WINDOW_HIGH)
    local = generic_lanes(w, asked, low, high, offset, layout.LOCAL_WINDOW_HIGH)
    others = asked & ~(shared | local)
    if shared:
        event = event_address(x)
        mask = _open_shared(w, x, event, i, shared, low, offset, 0, width)
        commit_event(w, x, event, i, mask, SHARED)
        scatter(load64(x, layout.X_SHARED), event, mask, rows, code)
    if local:
        event = event_address(x)
        end = load64(x, layout.X_LOCAL_BYTES)
        mask = short_addresses(w, x, event, i, local, low, offset, 0, width, 0, end)
        commit_event(w, x, event, i, mask, LOCAL)
        local_scatter(local_base(w, x), event, mask, rows, code)
    if others:
        _global_store(w, x, offset, i, others, source, low, high, code)


def constant_load(
    w: Int, x: Int, lanes: Int, target: Int, bank: Int, row: Int, offset: Int, code: Int
) -> None:
    """LDC: a constant bank at each lane's offset; past its end reads zero."""
    table = load64(x, layout.X_CONSTANTS)
    memory, size = load64(table, 2 * bank), load64(table, 2 * bank + 1)
    source, rows = row_address(w, row), row_address(w, target)
    words = 1 << (code - 4) if code >= 4 else 1
    mask = np.int64(np.uint32(lanes))
    for lane in range(LANES):
        if mask >> lane & 1:
            place = np.int64(np.int32(load32(source, lane))) + offset
            inside = place >= 0 and place + width_bytes(code) <= size
            for word in range(words):
                value = np.uint32(0)
                if inside:
                    if code >= 4:
                        value = load32(memory, (place >> 2) + word)
                    else:
                        value = load_small(memory, place, code)
                store32(rows, word * LANES + lane, value)


def async_copy(
    w: Int, x: Int, far: Int, i: Int, lanes: Int, fetch: Int, row: Int, offset: Int, low: Int,
    high: Int, code: Int,
) -> None:  # fmt: skip
    """LDGSTS: global to shared, complete at once; lanes without ``fetch`` write zeros."""
    mask = np.int64(np.uint32(lanes))
    if mask == 0:
        return
    target = event_address(x)
    width = width_bytes(code)
    mask = _open_shared(w, x, target, i, mask, row, offset, 0, width)
    if mask:
        commit_event(w, x, target, i, mask, SHARED)
    source = event_address(x)
    reading = mask & np.int64(np.uint32(fetch))
    reading = long_addresses(w, x, source, i, reading, low, high, far, width)
    if reading:
        commit_event(w, x, source, i, reading, GLOBAL)
    shared, arena = load64(x, layout.X_SHARED), load64(x, layout.X_GLOBAL)
    for lane in range(LANES):
        if mask >> lane & 1:
            to = np.int64(load32(target, EVENT_ADDRESSES + lane)) >> 2
            origin = np.int64(load32(source, EVENT_ADDRESSES + lane)) >> 2
            for word in range(width >> 2):
                value = load32(arena, origin + word) if reading >> lane & 1 else np.uint32(0)
                store32(shared, to + word, value)


def matrix_load(
    w: Int, x: Int, i: Int, lanes: Int, target: Int, row: Int, offset: Int, shift: Int, flags: Int
) -> None:
    """LDSM: lane 8m+r addresses row r of matrix m; lane t gets 32 bits of row t/4."""
    matrices, transposed = flags & 0xFF, flags >> 8
    event = event_address(x)
    needed = np.int64(np.uint32(lanes)) & ((1 << (8 * matrices)) - 1)
    mask = _open_shared(w, x, event, i, needed, row, offset, shift, 16)
    if mask:
        commit_event(w, x, event, i, mask, SHARED)
    shared, rows = load64(x, layout.X_SHARED), row_address(w, target)
    for matrix in range(matrices):
        for lane in range(LANES):
            value = np.uint32(0)
            if transposed:
                for half in range(2):
                    source = matrix * 8 + 2 * (lane & 3) + half
                    if mask >> source & 1:
                        place = np.int64(load32(event, EVENT_ADDRESSES + source))
                        part = np.uint32(load16(shared, (place >> 1) + (lane >> 2)))
                        value |= part << np.uint32(16 * half)
            else:
                source = matrix * 8 + (lane >> 2)
                if mask >> source & 1:
                    place = np.int64(load32(event, EVENT_ADDRESSES + source))
                    value = load32(shared, (place >> 2) + (lane & 3))
            store32(rows, matrix * LANES + lane, value)


def matrix_store(
    w: Int, x: Int, i: Int, lanes: Int, data: Int, row: Int, offset: Int, shift: Int, flags: Int
) -> None:
    """STSM: the inverse of LDSM."""
    matrices, transposed = flags & 0xFF, flags >> 8
    event = event_address(x)
    needed = np.int64(np.uint32(lanes)) & ((1 << (8 * matrices)) - 1)
    mask = _open_shared(w, x, event, i, needed, row, offset, shift, 16)
    if mask:
        commit_event(w, x, event, i, mask, SHARED)
    shared, rows = load64(x, layout.X_SHARED), row_address(w, data)
    for matrix in range(matrices):
        for lane in range(LANES):
            value = load32(rows, matrix * LANES + lane)
            for half in range(2):
                line = 2 * (lane & 3) + half if transposed else lane >> 2
                column = lane >> 2 if transposed else 2 * (lane & 3) + half
                target = matrix * 8 + line
                if mask >> target & 1:
                    place = np.int64(load32(event, EVENT_ADDRESSES + target))
                    part = np.uint16(value >> np.uint32(16 * half))
                    store16(shared, (place >> 1) + column, part)
