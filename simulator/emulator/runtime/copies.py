"""Copies from global to shared memory, and the matrices of LDSM and STSM."""

from __future__ import annotations

import numpy as np

from simulator.emulator import layout
from simulator.emulator.runtime.raw import load16, load32, load64, store16, store32
from simulator.emulator.runtime.requests import global_request, shared_request, width_bytes
from simulator.emulator.runtime.state import EVENT_ADDRESSES, row_address
from simulator.jit import Int

LANES = layout.LANES


def async_copy(
    w: Int, x: Int, far: Int, i: Int, lanes: Int, fetch: Int, row: Int, offset: Int, low: Int,
    high: Int, code: Int,
) -> None:  # fmt: skip
    """LDGSTS: global to shared, complete at once; lanes without ``fetch`` write zeros."""
    mask = np.int64(np.uint32(lanes))
    if mask == 0:
        return
    width = width_bytes(code)
    target, mask = shared_request(w, x, i, mask, row, offset, 0, width)
    reading = mask & np.int64(np.uint32(fetch))
    source, reading = global_request(w, x, i, reading, low, high, far, width)
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
    needed = np.int64(np.uint32(lanes)) & ((1 << (8 * matrices)) - 1)
    event, mask = shared_request(w, x, i, needed, row, offset, shift, 16)
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
    needed = np.int64(np.uint32(lanes)) & ((1 << (8 * matrices)) - 1)
    event, mask = shared_request(w, x, i, needed, row, offset, shift, 16)
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
