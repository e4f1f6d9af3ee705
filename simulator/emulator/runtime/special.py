"""The special-function unit.

Results are computed in float64 and rounded once. The hardware's tables differ from that by the
documented error of each function (CUDA C++ Programming Guide, intrinsic functions), so MUFU values
are bounded, not exact.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.emulator import layout as at
from simulator.emulator.runtime.raw import (
    bits_to_double,
    bits_to_float,
    double_to_bits,
    float_to_bits,
    load32,
    store32,
)  # fmt: skip
from simulator.emulator.runtime.state import row_address
from simulator.jit import Float, Int, step

NAN = np.uint32(0x7FFFFFFF)
INFINITY = np.uint32(0x7F800000)


@step
def _flush(bits: Int) -> Int:
    """A denormal as zero of its sign: MUFU reads and writes no denormals."""
    if np.uint32(bits) & INFINITY == 0:
        return np.uint32(bits) & np.uint32(0x80000000)
    return np.uint32(bits)


@step
def _value(code: Int, v: Float) -> Float:
    if code == 0:
        return 1.0 / v if v != 0.0 else math.copysign(math.inf, v)
    if code == 1:
        if v == 0.0:
            return math.copysign(math.inf, v)
        return 1.0 / math.sqrt(v) if v > 0.0 else math.nan
    if code == 2:
        return math.sqrt(v) if v >= 0.0 else math.nan
    if code == 3:
        if v == 0.0:
            return -math.inf
        return math.log2(v) if v > 0.0 else math.nan
    if code == 4:
        return 2.0**v if v < 1024.0 else math.inf
    if code == 7:
        return math.tanh(v)
    if math.isinf(v):
        return math.nan
    part = abs(v) - np.floor(abs(v))  # the angle comes in turns
    turn = math.copysign(2.0 * math.pi * part, v)
    return math.sin(turn) if code == 5 else math.cos(turn)


@step
def mufu32(code: Int, bits: Int) -> Int:
    """One float32 special function on bits; all but TANH read and write no denormals."""
    keep_denormals = code == 7
    if not keep_denormals:
        bits = _flush(bits)
    v = np.float64(bits_to_float(np.uint32(bits)))
    if math.isnan(v):
        return NAN
    result = np.float32(_value(code, v))
    if math.isnan(result):
        return NAN
    out = float_to_bits(result)
    return _flush(out) if not keep_denormals else out


@step
def mufu64h(code: Int, bits: Int) -> Int:
    """RCP64H, RSQ64H: the high word of a float64 in, the high word of the estimate out."""
    v = bits_to_double(np.int64(bits) << 32)
    if math.isnan(v):
        return NAN
    if np.uint32(bits) & np.uint32(0x7FF00000) == 0:
        v = math.copysign(0.0, v)
    if v == 0.0:
        return (np.uint32(bits) & np.uint32(0x80000000)) | np.uint32(0x7FF00000)
    if code == 9 and v < 0.0:
        return np.uint32(0x7FFFFFFF)
    result = 1.0 / v if code == 8 else 1.0 / math.sqrt(v)
    out = np.uint32(double_to_bits(result) >> 32 & 0xFFFFFFFF)
    if out & np.uint32(0x7FF00000) == 0:
        out &= np.uint32(0x80000000)
    return out


def mufu(w: Int, x: Int, lanes: Int, target: Int, source: Int, code: Int, flags: Int) -> None:
    """MUFU; ``flags``: 1 |a|, 2 -a."""
    mask = np.uint32(lanes)
    data, rows = row_address(w, source), row_address(w, target)
    for lane in range(at.LANES):
        if mask >> np.uint32(lane) & np.uint32(1):
            bits = load32(data, lane)
            if flags & 1:
                bits &= np.uint32(0x7FFFFFFF)
            if flags & 2:
                bits ^= np.uint32(0x80000000)
            if code >= 8:
                store32(rows, lane, np.uint32(mufu64h(code, bits)))
            else:
                store32(rows, lane, np.uint32(mufu32(code, bits)))
