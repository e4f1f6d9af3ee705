"""Loads and stores of every memory space: address, bounds check, event, data.

Each public function is called by generated code with the warp ``w``, the context ``x``, the
instruction's index, the bits of the executing lanes and row numbers. Lanes whose access falls
outside are recorded as faults and left out; a load gives them zero.
"""

from __future__ import annotations

import numpy as np

from simulator.emulator import layout
from simulator.emulator.runtime.moving import (
    gather,
    load_small,
    local_base,
    local_gather,
    local_scatter,
    scatter,
)  # fmt: skip
from simulator.emulator.runtime.raw import load32, load64, store32
from simulator.emulator.runtime.requests import (
    generic_lanes,
    global_request,
    local_request,
    shared_request,
    width_bytes,
)  # fmt: skip
from simulator.emulator.runtime.state import row_address
from simulator.jit import Int, step

LANES = layout.LANES
_COPY = layout.ROW_TEMP + 2


@step
def _shared_load(
    w: Int, x: Int, i: Int, asked: Int, target: Int, row: Int, offset: Int, shift: Int, code: Int
) -> None:
    event, mask = shared_request(w, x, i, asked, row, offset, shift, width_bytes(code))
    gather(load64(x, layout.X_SHARED), event, mask, row_address(w, target), code, asked)


@step
def _shared_store(
    w: Int, x: Int, i: Int, asked: Int, source: Int, row: Int, offset: Int, shift: Int, code: Int
) -> None:
    event, mask = shared_request(w, x, i, asked, row, offset, shift, width_bytes(code))
    scatter(load64(x, layout.X_SHARED), event, mask, row_address(w, source), code)


def shared_load(
    w: Int, x: Int, i: Int, lanes: Int, target: Int, row: Int, offset: Int, shift: Int, code: Int
) -> None:
    """LDS."""
    asked = np.int64(np.uint32(lanes))
    if asked:
        _shared_load(w, x, i, asked, target, row, offset, shift, code)


def shared_store(
    w: Int, x: Int, i: Int, lanes: Int, source: Int, row: Int, offset: Int, shift: Int, code: Int
) -> None:
    """STS."""
    asked = np.int64(np.uint32(lanes))
    if asked:
        _shared_store(w, x, i, asked, source, row, offset, shift, code)


@step
def _local_load(
    w: Int, x: Int, i: Int, asked: Int, target: Int, row: Int, offset: Int, shift: Int, code: Int
) -> None:
    event, mask = local_request(w, x, i, asked, row, offset, shift, width_bytes(code))
    local_gather(local_base(w, x), event, mask, row_address(w, target), code, asked)


@step
def _local_store(
    w: Int, x: Int, i: Int, asked: Int, source: Int, row: Int, offset: Int, shift: Int, code: Int
) -> None:
    event, mask = local_request(w, x, i, asked, row, offset, shift, width_bytes(code))
    local_scatter(local_base(w, x), event, mask, row_address(w, source), code)


def local_load(
    w: Int, x: Int, i: Int, lanes: Int, target: Int, row: Int, offset: Int, shift: Int, code: Int
) -> None:
    """LDL."""
    asked = np.int64(np.uint32(lanes))
    if asked:
        _local_load(w, x, i, asked, target, row, offset, shift, code)


def local_store(
    w: Int, x: Int, i: Int, lanes: Int, source: Int, row: Int, offset: Int, shift: Int, code: Int
) -> None:
    """STL."""
    asked = np.int64(np.uint32(lanes))
    if asked:
        _local_store(w, x, i, asked, source, row, offset, shift, code)


@step
def _global_load(
    w: Int, x: Int, offset: Int, i: Int, asked: Int, target: Int, low: Int, high: Int, code: Int
) -> None:
    event, mask = global_request(w, x, i, asked, low, high, offset, width_bytes(code))
    gather(load64(x, layout.X_GLOBAL), event, mask, row_address(w, target), code, asked)


@step
def _global_store(
    w: Int, x: Int, offset: Int, i: Int, asked: Int, source: Int, low: Int, high: Int, code: Int
) -> None:
    event, mask = global_request(w, x, i, asked, low, high, offset, width_bytes(code))
    scatter(load64(x, layout.X_GLOBAL), event, mask, row_address(w, source), code)


def load(
    w: Int, x: Int, offset: Int, i: Int, lanes: Int, target: Int, low: Int, high: Int, code: Int
) -> None:
    """LDG."""
    asked = np.int64(np.uint32(lanes))
    if asked:
        _global_load(w, x, offset, i, asked, target, low, high, code)


def store(
    w: Int, x: Int, offset: Int, i: Int, lanes: Int, source: Int, low: Int, high: Int, code: Int
) -> None:
    """STG."""
    asked = np.int64(np.uint32(lanes))
    if asked:
        _global_store(w, x, offset, i, asked, source, low, high, code)


@step
def _copy_rows(w: Int, low: Int, high: Int) -> None:
    """Keep the address rows, which a load may overwrite."""
    for lane in range(LANES):
        store32(row_address(w, _COPY), lane, load32(row_address(w, low), lane))
        store32(row_address(w, _COPY + 1), lane, load32(row_address(w, high), lane))


@step
def _spaces(w: Int, asked: Int, low: Int, high: Int, offset: Int) -> tuple[Int, Int, Int]:
    """Lanes of a generic access by space: shared, local, global."""
    shared = generic_lanes(w, asked, low, high, offset, layout.SHARED_WINDOW_HIGH)
    local = generic_lanes(w, asked, low, high, offset, layout.LOCAL_WINDOW_HIGH)
    return shared, local, asked & ~(shared | local)


def generic_load(
    w: Int, x: Int, offset: Int, i: Int, lanes: Int, target: Int, low: Int, high: Int, code: Int
) -> None:
    """LD: lane group by lane group of the spaces it meets."""
    _copy_rows(w, low, high)
    low, high = _COPY, _COPY + 1
    shared, local, others = _spaces(w, np.int64(np.uint32(lanes)), low, high, offset)
    if shared:
        _shared_load(w, x, i, shared, target, low, offset, 0, code)
    if local:
        _local_load(w, x, i, local, target, low, offset, 0, code)
    if others:
        _global_load(w, x, offset, i, others, target, low, high, code)


def generic_store(
    w: Int, x: Int, offset: Int, i: Int, lanes: Int, source: Int, low: Int, high: Int, code: Int
) -> None:
    """ST: lane group by lane group of the spaces it meets."""
    shared, local, others = _spaces(w, np.int64(np.uint32(lanes)), low, high, offset)
    if shared:
        _shared_store(w, x, i, shared, source, low, offset, 0, code)
    if local:
        _local_store(w, x, i, local, source, low, offset, 0, code)
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
