"""Runtime of the instructions across lanes."""

from __future__ import annotations

import numpy as np

from simulator.emulator import layout as at
from simulator.emulator.runtime.raw import count_ones, load32, store32
from simulator.emulator.runtime.state import row_address
from simulator.jit import Int, inlined, step

LANES = at.LANES
_COPY = at.ROW_TEMP + 5


@step
def first_set(mask: Int) -> Int:
    """Index of the lowest set bit of a non-zero mask."""
    return count_ones(np.uint32(~mask & (mask - 1)))


def first_lane(w: Int, x: Int, lanes: Int, row: Int) -> Int:
    """The row's value in the lowest of ``lanes``; 0 when there is none."""
    mask = np.int64(np.uint32(lanes))
    if mask == 0:
        return np.int32(0)
    return np.int32(load32(row_address(w, row), first_set(mask)))


def write_row(w: Int, x: Int, lanes: Int, row: Int, value: Int) -> None:
    """The same value into ``lanes`` of a row."""
    target = row_address(w, row)
    mask = np.uint32(lanes)
    for lane in range(LANES):
        if mask >> np.uint32(lane) & np.uint32(1):
            store32(target, lane, np.uint32(value))


def copy_row(w: Int, x: Int, lanes: Int, target: Int, source: Int) -> None:
    """``lanes`` of a row into another."""
    to, origin = row_address(w, target), row_address(w, source)
    mask = np.uint32(lanes)
    for lane in range(LANES):
        if mask >> np.uint32(lane) & np.uint32(1):
            store32(to, lane, load32(origin, lane))


def differs(w: Int, x: Int, lanes: Int, predicate: Int, row: Int, value: Int) -> None:
    """Per lane: whether a row holds another value."""
    source, target = row_address(w, row), row_address(w, predicate)
    mask = np.uint32(lanes)
    for lane in range(LANES):
        if mask >> np.uint32(lane) & np.uint32(1):
            other = load32(source, lane) != np.uint32(value)
            store32(target, lane, np.uint32(-np.int64(other)))


@inlined
def _partner(lane: Int, by: Int, control: Int, mode: Int) -> Int:
    """The lane to take the value from, plus 32 when that is the lane itself, out of range."""
    segment, clamp = control >> 8 & 31, control & 31
    low = lane & segment
    high = low | (clamp & ~segment)
    other: Int = lane ^ by
    if mode == 0:
        other = low | (by & ~segment)
    elif mode == 1:
        other = lane - by
    elif mode == 2:
        other = lane + by
    good = other >= high if mode == 1 else other <= high
    return other if good else lane | 32


def shuffle(
    w: Int, x: Int, lanes: Int, predicate: Int, target: Int, data: Int, lane_row: Int,
    clamp_row: Int, mode: Int,
) -> None:  # fmt: skip
    """SHFL: segments and clamps as PTX's shfl.sync; a lane out of range keeps its own value."""
    mask = np.uint32(lanes)
    copy, source, partners = row_address(w, _COPY), row_address(w, data), row_address(w, _COPY + 1)
    selectors, clamps = row_address(w, lane_row), row_address(w, clamp_row)
    for lane in range(LANES):
        by, control = np.int32(load32(selectors, lane)) & 31, np.int32(load32(clamps, lane))
        store32(partners, lane, np.uint32(_partner(lane, by, control, mode)))
    for lane in range(LANES):
        store32(copy, lane, load32(source, np.int64(load32(partners, lane)) & 31))
    out = row_address(w, target)
    for lane in range(LANES):
        on = mask >> np.uint32(lane) & np.uint32(1)
        store32(out, lane, load32(copy, lane) if on else load32(out, lane))
    if predicate >= 0:
        row = row_address(w, predicate)
        for lane in range(LANES):
            good = np.uint32(np.int64(load32(partners, lane) >> np.uint32(5)) - 1)
            on = mask >> np.uint32(lane) & np.uint32(1)
            store32(row, lane, good if on else load32(row, lane))


def match(w: Int, x: Int, lanes: Int, predicate: Int, target: Int, data: Int, flags: Int) -> None:
    """MATCH.ANY / MATCH.ALL on 32- or 64-bit values."""
    mask = np.int64(np.uint32(lanes))
    low = row_address(w, data)
    high = row_address(w, data + 1) if flags & 2 else low
    copy_low, copy_high = row_address(w, _COPY), row_address(w, _COPY + 1)
    for lane in range(LANES):
        store32(copy_low, lane, load32(low, lane))
        store32(copy_high, lane, load32(high, lane))
    rest = mask
    while rest:
        first = first_set(rest)
        same = mask & _equal_lanes(copy_low, copy_high, load32(copy_low, first),
                                   load32(copy_high, first))  # fmt: skip
        rest &= ~same
        everywhere = same == mask
        value: Int = same
        if flags & 1:
            value = mask if everywhere else 0
            if predicate >= 0:
                _write_lanes(row_address(w, predicate), same, np.uint32(-np.int64(everywhere)))
        _write_lanes(row_address(w, target), same, np.uint32(value))


@step
def _equal_lanes(low_row: Int, high_row: Int, low: Int, high: Int) -> Int:
    """The lanes that hold a 64-bit value."""
    same = np.uint32(0)
    for lane in range(LANES):
        equal = (load32(low_row, lane) == low) & (load32(high_row, lane) == high)
        same |= np.uint32(equal) << np.uint32(lane)
    return np.int64(np.uint32(same))


@step
def _write_lanes(row: Int, lanes: Int, value: Int) -> None:
    while lanes:
        store32(row, first_set(lanes), value)
        lanes &= lanes - 1


def redux(w: Int, x: Int, lanes: Int, data: Int, code: Int, signed: Int) -> Int:
    """REDUX: sum, min, max, and, or, xor over the lanes."""
    mask = np.int64(np.uint32(lanes))
    source = row_address(w, data)
    total: Int = np.int64(0)
    first = True
    for lane in range(LANES):
        if mask >> lane & 1:
            bits = load32(source, lane)
            value = np.int64(np.int32(bits)) if signed else np.int64(bits)
            if first:
                total, first = value, False
            elif code == 0:
                total += value
            elif code == 1:
                total = min(total, value)
            elif code == 2:
                total = max(total, value)
            elif code == 3:
                total &= value
            elif code == 4:
                total |= value
            else:
                total ^= value
    return np.int32(np.uint32(total & 0xFFFFFFFF))
