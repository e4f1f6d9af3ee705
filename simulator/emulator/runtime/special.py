"""The special-function unit, whole rows at a time.

Results are computed in float64 and rounded once. The hardware's tables differ from that by the
documented error of each function (CUDA C++ Programming Guide, intrinsic functions), so MUFU values
are bounded, not exact. Functions are straight-line arithmetic (runtime.elementary), so that the
compiler works on several lanes at once.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.emulator import layout as at
from simulator.emulator.runtime import elementary
from simulator.emulator.runtime.raw import (
    bits_to_double,
    bits_to_float,
    double_to_bits,
    float_to_bits,
    load32,
    quotient,
    store32,
)  # fmt: skip
from simulator.emulator.runtime.state import row_address
from simulator.jit import Float, Int, inlined, step

NAN = np.uint32(0x7FFFFFFF)
INFINITY = np.uint32(0x7F800000)
_SIGN = np.uint32(0x80000000)
RESULTS = at.ROW_TEMP + 1


@inlined
def flush(bits: Int) -> Int:
    """A denormal as zero of its sign: MUFU reads and writes no denormals."""
    return bits & _SIGN if bits & INFINITY == 0 else bits


@inlined
def operand(rows: Int, lane: Int, keep: Int, flip: Int) -> Int:
    """The bits of a lane's operand: ``keep`` and ``flip`` apply ``|x|`` and ``-``."""
    return np.uint32((load32(rows, lane) & np.uint32(keep)) ^ np.uint32(flip))


@inlined
def value_of(bits: Int) -> Float:
    """A float32 operand, denormals as zero, as float64."""
    return np.float64(bits_to_float(np.uint32(flush(bits))))


@inlined
def put(out: Int, lane: Int, value: Float) -> None:
    """A result rounded to float32."""
    short = np.float32(value)
    bits = np.uint32(flush(float_to_bits(short)))
    store32(out, lane, NAN if short != short else bits)


@step
def reciprocals(rows: Int, out: Int, keep: Int, flip: Int) -> None:
    for lane in range(at.LANES):
        v = value_of(operand(rows, lane, keep, flip))
        put(out, lane, quotient(1.0, v))


@step
def roots(rows: Int, out: Int, keep: Int, flip: Int, inverse: Int) -> None:
    """Square roots, or their reciprocals."""
    for lane in range(at.LANES):
        v = value_of(operand(rows, lane, keep, flip))
        root = math.sqrt(v)
        put(out, lane, quotient(1.0, root) if inverse else root)


@step
def logarithms(rows: Int, out: Int, keep: Int, flip: Int) -> None:
    for lane in range(at.LANES):
        put(out, lane, elementary.log2(value_of(operand(rows, lane, keep, flip))))


@step
def exponentials(rows: Int, out: Int, keep: Int, flip: Int) -> None:
    for lane in range(at.LANES):
        put(out, lane, elementary.exp2(value_of(operand(rows, lane, keep, flip))))


@step
def waves(rows: Int, out: Int, keep: Int, flip: Int, ahead: Float) -> None:
    """Sines of angles in turns; cosines with ``ahead`` a quarter."""
    for lane in range(at.LANES):
        put(out, lane, elementary.sine(value_of(operand(rows, lane, keep, flip)), ahead))


@step
def tangents(rows: Int, out: Int, keep: Int, flip: Int) -> None:
    """Hyperbolic tangents, which keep denormals."""
    for lane in range(at.LANES):
        v = np.float64(bits_to_float(operand(rows, lane, keep, flip)))
        bits = float_to_bits(np.float32(elementary.tanh(v)))
        store32(out, lane, NAN if v != v else bits)


@step
def high_words(rows: Int, out: Int, keep: Int, flip: Int, root: Int) -> None:
    """RCP64H, RSQ64H: the high word of a float64 in, the high word of the estimate out."""
    for lane in range(at.LANES):
        bits = operand(rows, lane, keep, flip)
        if bits & np.uint32(0x7FF00000) == 0:
            bits &= _SIGN
        v = bits_to_double(np.int64(bits) << 32)
        if root and v != 0.0:
            v = math.sqrt(v)
        result = quotient(1.0, v)
        found = np.uint32(double_to_bits(result) >> 32 & 0xFFFFFFFF)
        if found & np.uint32(0x7FF00000) == 0:
            found &= _SIGN
        store32(out, lane, NAN if result != result else found)


def mufu(w: Int, x: Int, lanes: Int, target: Int, source: Int, code: Int, flags: Int) -> None:
    """MUFU; ``flags``: 1 |a|, 2 -a."""
    rows, out = row_address(w, source), row_address(w, RESULTS)
    keep = np.uint32(0x7FFFFFFF if flags & 1 else 0xFFFFFFFF)
    flip = np.uint32(0x80000000 if flags & 2 else 0)
    if code == 0:
        reciprocals(rows, out, keep, flip)
    elif code <= 2:
        roots(rows, out, keep, flip, code == 1)
    elif code == 3:
        logarithms(rows, out, keep, flip)
    elif code == 4:
        exponentials(rows, out, keep, flip)
    elif code <= 6:
        waves(rows, out, keep, flip, 0.25 if code == 6 else 0.0)
    elif code == 7:
        tangents(rows, out, keep, flip)
    else:
        high_words(rows, out, keep, flip, code == 9)
    results = row_address(w, target)
    for lane in range(at.LANES):
        on = np.uint32(lanes) >> np.uint32(lane) & np.uint32(1)
        store32(results, lane, load32(out, lane) if on else load32(results, lane))
