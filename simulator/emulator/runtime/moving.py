"""Moving data between a warp's rows and memory, at an event's addresses.

Shared and global memory are linear; local memory keeps the same word of all lanes together. Lanes
that ask but are not inside get zero from a load.
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
from simulator.emulator.runtime.state import EVENT_ADDRESSES
from simulator.jit import Int, step

LANES = layout.LANES


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
