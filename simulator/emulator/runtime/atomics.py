"""Atomics: lanes one after the other, lane 0 first."""

from __future__ import annotations

import math

import numpy as np

from simulator.emulator import layout as at
from simulator.emulator.runtime.codes import ATOMIC_CODES, PREDICATE_SPIN
from simulator.emulator.runtime.halves import add_pairs
from simulator.emulator.runtime.raw import (
    bits_to_double,
    bits_to_float,
    double_to_bits,
    float_to_bits,
    load32,
    load64,
    store32,
    store64,
)  # fmt: skip
from simulator.emulator.runtime.requests import generic_lanes, global_request, shared_request
from simulator.emulator.runtime.state import EVENT_ADDRESSES, row_address
from simulator.jit import Float, Int, step

LANES = at.LANES
SPIN = ATOMIC_CODES["SPIN"]
_U32, _S32, _U64, _S64, _F32, _F64, _F16X2, _BF16X2 = range(8)


@step
def integer_result(code: Int, old: Int, value: Int) -> Int:
    """Signed compare; unsigned operands come zero-extended (32 bits) or biased (64 bits)."""
    if code == 0:
        return old + value
    if code == 1:
        return min(old, value)
    if code == 2:
        return max(old, value)
    if code == 5:
        return old & value
    if code == 6:
        return old | value
    if code == 7:
        return old ^ value
    return value


@step
def result32(code: Int, kind: Int, old: Int, value: Int) -> Int:
    """The new 32-bit contents."""
    if code == 3:
        return np.uint32(0) if old >= value else np.uint32(old + np.uint32(1))
    if code == 4:
        if old == 0 or old > value:
            return np.uint32(value)
        return np.uint32(old - np.uint32(1))
    if code == 10:
        return np.uint32(old + np.uint32(1))
    if kind == _F32:
        return _float_result(code, old, value)
    if kind >= _F16X2:
        return np.uint32(add_pairs(np.int64(old), np.int64(value), kind == _BF16X2))
    if kind == _S32:
        return np.uint32(
            integer_result(code, np.int64(np.int32(old)), np.int64(np.int32(value))) & 0xFFFFFFFF
        )
    return np.uint32(integer_result(code, np.int64(old), np.int64(value)) & 0xFFFFFFFF)


@step
def _flushed(bits: Int) -> Float:
    if np.uint32(bits) & np.uint32(0x7F800000) == 0:
        bits = np.uint32(bits) & np.uint32(0x80000000)
    return bits_to_float(np.uint32(bits))


@step
def _float_result(code: Int, old: Int, value: Int) -> Int:
    if code == 8:
        return np.uint32(value)
    total = np.float32(_flushed(old) + _flushed(value))
    if math.isnan(total):
        return np.uint32(0x7FFFFFFF)
    return float_to_bits(np.float32(_flushed(float_to_bits(total))))


@step
def _double_sum(old: Int, value: Int) -> Int:
    """A float64 sum; a NaN stays as it is, signalling too (measured on an NVIDIA H200)."""
    if math.isnan(bits_to_double(value)):
        return value
    if math.isnan(bits_to_double(old)):
        return old
    return double_to_bits(bits_to_double(old) + bits_to_double(value))


@step
def result64(code: Int, kind: Int, old: Int, value: Int) -> Int:
    """The new 64-bit contents."""
    if kind == _F64:
        return _double_sum(old, value)
    if kind == _U64 and code in (1, 2):
        bias = np.int64(-0x8000000000000000)
        return integer_result(code, old ^ bias, value ^ bias) ^ bias
    return integer_result(code, old, value)


@step
def apply32(
    memory: Int, event: Int, mask: Int, rows: Int, first: Int, second: Int, code: Int, kind: Int
) -> None:
    """32-bit atomics of the lanes in ``mask``; ``second`` is CAS's new value."""
    for lane in range(LANES):
        if mask >> lane & 1:
            place = np.int64(load32(event, EVENT_ADDRESSES + lane)) >> 2
            old, value = load32(memory, place), load32(first, lane)
            if code == 9:
                new = load32(second, lane) if old == value else old
            else:
                new = np.uint32(result32(code, kind, old, value))
            store32(memory, place, new)
            store32(rows, lane, old)


@step
def pair(rows: Int, lane: Int) -> Int:
    """A register pair of one lane as 64 bits."""
    return np.int64(load32(rows, lane)) | np.int64(load32(rows, LANES + lane)) << 32


@step
def apply64(
    memory: Int, event: Int, mask: Int, rows: Int, first: Int, second: Int, code: Int, kind: Int
) -> None:
    """64-bit atomics."""
    for lane in range(LANES):
        if mask >> lane & 1:
            place = np.int64(load32(event, EVENT_ADDRESSES + lane)) >> 3
            old, value = load64(memory, place), pair(first, lane)
            if code == 9:
                new = pair(second, lane) if old == value else old
            else:
                new = result64(code, kind, old, value)
            store64(memory, place, new)
            store32(rows, lane, np.uint32(old & 0xFFFFFFFF))
            store32(rows, LANES + lane, np.uint32(old >> 32 & 0xFFFFFFFF))


@step
def spin(
    memory: Int, event: Int, mask: Int, rows: Int, first: Int, second: Int, wide: Int, code: Int
) -> None:
    """ATOMS.CAST.SPIN: a compare-and-swap that only the lowest lane of each bank wins.

    Measured on an NVIDIA H200: phases of 32 lanes (8 bytes: two half-warps of 16 banks of 8
    bytes, where an address already won by the lower half loses). The result, as wide as the
    operands, is 1 for a lane that stored and 0 for one that must try again; or it is a predicate.
    """
    banks: Int = 0
    won: Int = 0
    size = 8 if wide else 4
    for lane in range(LANES):
        if wide and lane == 16:
            banks = 0
        if mask >> lane & 1:
            address = np.int64(load32(event, EVENT_ADDRESSES + lane))
            bank = address // size % (16 if wide else 32)
            free = banks >> bank & 1 == 0
            if wide and lane >= 16 and free:
                for other in range(16):
                    if won >> other & 1 and load32(event, EVENT_ADDRESSES + other) == address:
                        free = False
            banks |= 1 << bank
            done: Int = 0
            if free:
                won |= 1 << lane
                done = _swap(memory, address, lane, first, second, wide)
            store32(rows, lane, np.uint32(-done if code == PREDICATE_SPIN else done))
            if wide and code != PREDICATE_SPIN:
                store32(rows, LANES + lane, np.uint32(0))


@step
def _swap(memory: Int, address: Int, lane: Int, first: Int, second: Int, wide: Int) -> Int:
    if wide:
        if load64(memory, address >> 3) != pair(first, lane):
            return 0
        store64(memory, address >> 3, pair(second, lane))
        return 1
    if load32(memory, address >> 2) != load32(first, lane):
        return 0
    store32(memory, address >> 2, load32(second, lane))
    return 1


@step
def _apply(
    w: Int, memory: Int, event: Int, mask: Int, target: Int, first: Int, second: Int, code: Int,
    kind: Int,
) -> None:  # fmt: skip
    rows, one, two = row_address(w, target), row_address(w, first), row_address(w, second)
    wide = kind in (_U64, _S64, _F64)
    if code in (SPIN, PREDICATE_SPIN):
        spin(memory, event, mask, rows, one, two, np.int64(wide), code)
    elif wide:
        apply64(memory, event, mask, rows, one, two, code, kind)
    else:
        apply32(memory, event, mask, rows, one, two, code, kind)


@step
def _shared(
    w: Int, x: Int, i: Int, mask: Int, target: Int, row: Int, offset: Int, shift: Int, first: Int,
    second: Int, code: Int, kind: Int,
) -> None:  # fmt: skip
    width = 8 if kind in (_U64, _S64, _F64) else 4
    event, mask = shared_request(w, x, i, mask, row, offset, shift, width)
    if mask:
        _apply(w, load64(x, at.X_SHARED), event, mask, target, first, second, code, kind)


def shared_atomic(
    w: Int, x: Int, i: Int, lanes: Int, target: Int, row: Int, offset: Int, shift: Int, first: Int,
    second: Int, code: Int, kind: Int,
) -> None:  # fmt: skip
    """ATOMS."""
    mask = np.int64(np.uint32(lanes))
    if mask:
        _shared(w, x, i, mask, target, row, offset, shift, first, second, code, kind)


@step
def _elsewhere(w: Int, mask: Int, low: Int, high: Int, offset: Int, predicate: Int) -> Int:
    """Lanes outside shared and local memory; the others get a false predicate."""
    shared = generic_lanes(w, mask, low, high, offset, at.SHARED_WINDOW_HIGH)
    local = generic_lanes(w, mask, low, high, offset, at.LOCAL_WINDOW_HIGH)
    row = row_address(w, predicate)
    for lane in range(LANES):
        if mask >> lane & 1:
            done = (shared | local) >> lane & 1 == 0
            store32(row, lane, np.uint32(-np.int64(done)))
    return mask & ~(shared | local)


def atomic(
    w: Int, x: Int, offset: Int, i: Int, lanes: Int, target: Int, low: Int, high: Int, first: Int,
    second: Int, code: Int, kind: Int, generic: Int, predicate: Int,
) -> None:  # fmt: skip
    """ATOMG, RED and generic ATOM.

    With a ``predicate`` row a generic atomic acts on global memory only, and the predicate says
    whether it did: the code after it has another way for shared and local memory.
    """
    mask = np.int64(np.uint32(lanes))
    if mask == 0:
        return
    if generic and predicate >= 0:
        mask = _elsewhere(w, mask, low, high, offset, predicate)
    elif generic:
        shared = generic_lanes(w, mask, low, high, offset, at.SHARED_WINDOW_HIGH)
        if shared:
            _shared(w, x, i, shared, target, low, offset, 0, first, second, code, kind)
        mask &= ~shared
    if mask == 0:
        return
    width = 8 if kind in (_U64, _S64, _F64) else 4
    event, mask = global_request(w, x, i, mask, low, high, offset, width)
    if mask:
        _apply(w, load64(x, at.X_GLOBAL), event, mask, target, first, second, code, kind)
