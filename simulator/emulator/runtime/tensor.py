"""Matrix products of a warp: HMMA, IMMA, DMMA, and the transposition MOVM.

Lane 4g + t holds, as PTX documents for mma.sync: of A rows g and g + 8, of B column g, of the
accumulators columns 2t and 2t + 1. A register holds neighbouring k.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.emulator import layout as at
from simulator.emulator.runtime.halves import decode, encode
from simulator.emulator.runtime.raw import (
    bits_to_double,
    bits_to_float,
    double_to_bits,
    float_to_bits,
    load32,
    store32,
)  # fmt: skip
from simulator.emulator.runtime.state import row_address
from simulator.jit import Float, Int, allocating

LANES = at.LANES
_NO_EXPONENT = -10000
F16, BF16, TF32, S8, U8 = range(5)
NAN = np.uint32(0x7FFFFFFF)


@allocating
def word(w: Int, row: Int, register: Int, lane: Int) -> Int:
    """A register of a fragment; row -1 stands for zeros."""
    if row < 0:
        return np.int64(0)
    return np.int64(load32(row_address(w, row + register), lane))


@allocating
def element(bits: Int, index: Int, kind: Int) -> Float:
    """One element of a register, exactly; int8 too."""
    if kind == F16:
        return decode(bits >> (16 * index) & 0xFFFF, 5, 10)
    if kind == BF16:
        return decode(bits >> (16 * index) & 0xFFFF, 8, 7)
    if kind == TF32:
        return decode(bits >> 13, 8, 10)
    byte = bits >> (8 * index) & 0xFF
    return float(byte - 256 if kind == S8 and byte > 127 else byte)


@allocating
def fragments(
    w: Int, a: Int, b: Int, kind_a: Int, kind_b: Int, k: Int, rows: Int, columns: Int
) -> None:
    """Fill A (float64[16, k]) and B (float64[k, 8]) from a warp's registers."""
    per = 4 if kind_a >= S8 else 1 if kind_a == TF32 else 2
    for lane in range(LANES):
        g, t = lane >> 2, lane & 3
        for part in range(k // (4 * per)):
            for index in range(per):
                place = part * 4 * per + t * per + index
                for half in range(2):
                    bits = word(w, a, 2 * part + half, lane)
                    rows[g + 8 * half, place] = element(bits, index, kind_a)
                columns[place, g] = element(word(w, b, part, lane), index, kind_b)


@allocating
def exponent_of(value: Float) -> Int:
    """floor(log2 |value|) of a finite number other than zero."""
    return math.frexp(value)[1] - 1


@allocating
def field_exponent(value: Float, least: Int) -> Int:
    """The exponent a format gives a number: ``least`` for its denormals, none for zero."""
    return _NO_EXPONENT if value == 0.0 else max(exponent_of(value), least)


@allocating
def special_sum(terms: Int, count: Int) -> Float:
    """0.0 when all terms are finite, else the infinity or NaN that is their sum."""
    total = 0.0
    for n in range(count):
        if not math.isfinite(terms[n]):
            total += terms[n]
    return total


@allocating
def aligned_sum(terms: Int, exponents: Int, count: Int, bits: Int) -> Float:
    """The sum of terms cut off ``bits`` below the largest exponent; exact in float64."""
    special = special_sum(terms, count)
    if special != 0.0:
        return special
    top = _NO_EXPONENT
    for n in range(count):
        if terms[n] != 0.0:
            top = max(top, exponents[n])
    if top == _NO_EXPONENT:
        return 0.0
    total = np.int64(0)
    for n in range(count):
        total += np.int64(math.trunc(math.ldexp(terms[n], bits - top)))
    return math.ldexp(float(total), top - bits)


@allocating
def cut_to_float32(value: Float) -> Float:
    """A float64 toward zero to float32's precision; past the range it is infinite."""
    if value == 0.0 or not math.isfinite(value):
        return value
    last = max(exponent_of(value), -126) - 23
    cut = math.ldexp(float(math.trunc(math.ldexp(value, -last))), last)
    return math.copysign(math.inf, cut) if abs(cut) >= 2.0**128 else cut


@allocating
def dot(
    rows: Int, columns: Int, row: Int, column: Int, k: Int, group: Int, bits: Int, start: Float,
    least: Int, half: Int,
) -> Float:  # fmt: skip
    """An accumulator plus k products, ``group`` at a time; ``least`` exponent of the factors.

    Sums are cut to float32; a last one that becomes a float16 (``half``) is left to its rounding.

    A denormal factor counts with the least exponent, as if it were larger than it is.
    """
    terms = np.empty(group + 1, dtype=np.float64)
    exponents = np.empty(group + 1, dtype=np.int64)
    total = start
    for first in range(0, k, group):
        terms[group] = total
        exponents[group] = field_exponent(total, -126)
        for n in range(group):
            x, y = rows[row, first + n], columns[first + n, column]
            terms[n] = x * y
            exponents[n] = field_exponent(x, least) + field_exponent(y, least)
        total = aligned_sum(terms, exponents, group + 1, bits)
        if not half or first + group < k:
            total = cut_to_float32(total)
    return total


@allocating
def place_of(lane: Int, index: Int) -> Int:
    """Row * 8 + column of accumulator ``index`` (0 to 3) of a lane."""
    return ((lane >> 2) + 8 * (index >> 1)) * 8 + 2 * (lane & 3) + (index & 1)


def mma_float(
    w: Int, x: Int, target: Int, a: Int, b: Int, c: Int, kind: Int, k: Int, group: Int, bits: Int,
    half: Int,
) -> None:  # fmt: skip
    """HMMA of 16 x 8 x k; ``half``: float16 accumulators, two a register."""
    rows, columns = np.zeros((16, 16)), np.zeros((16, 8))
    fragments(w, a, b, kind, kind, k, rows, columns)
    least = -14 if kind == F16 else -126
    for lane in range(LANES):
        for register in range(2 if half else 4):
            source = word(w, c, register, lane)
            result = np.uint32(0)
            for part in range(2 if half else 1):
                place = place_of(lane, 2 * register + part if half else register)
                if half:
                    start = decode(source >> (16 * part) & 0xFFFF, 5, 10)
                else:
                    start = np.float64(bits_to_float(np.uint32(source)))
                value = dot(
                    rows, columns, place >> 3, place & 7, k, group, bits, start, least, half
                )
                if half:
                    result |= np.uint32(encode(value, 5, 10) << (16 * part))
                else:
                    result = NAN if math.isnan(value) else float_to_bits(np.float32(value))
            store32(row_address(w, target + register), lane, result)


def mma_integer(
    w: Int, x: Int, target: Int, a: Int, b: Int, c: Int, kind_a: Int, kind_b: Int, k: Int,
    saturate: Int,
) -> None:  # fmt: skip
    """IMMA of 16 x 8 x k on bytes, with 32-bit sums that wrap or saturate."""
    rows, columns = np.zeros((16, 32)), np.zeros((32, 8))
    fragments(w, a, b, kind_a, kind_b, k, rows, columns)
    for lane in range(LANES):
        for register in range(4):
            place = place_of(lane, register)
            total = np.int64(np.int32(np.uint32(word(w, c, register, lane))))
            for n in range(k):
                total += np.int64(rows[place >> 3, n] * columns[n, place & 7])
            if saturate:
                total = min(max(total, np.int64(-0x80000000)), np.int64(0x7FFFFFFF))
            store32(row_address(w, target + register), lane, np.uint32(total & 0xFFFFFFFF))


@allocating
def _double(w: Int, row: Int, lane: Int) -> Float:
    if row < 0:
        return 0.0
    low, high = word(w, row, 0, lane), word(w, row, 1, lane)
    return bits_to_double(low | high << 32)


@allocating
def fused(a: Float, b: Float, c: Float) -> Float:
    """a * b + c rounded once, by an exact product and sum."""
    product = a * b
    if not math.isfinite(product) or not math.isfinite(c):
        return product + c
    split = 134217729.0
    high_a = a * split - (a * split - a)
    high_b = b * split - (b * split - b)
    low_a, low_b = a - high_a, b - high_b
    error = ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b
    total = product + c
    virtual = total - product
    rest = (product - (total - virtual)) + (c - virtual)
    return total + (rest + error)


def mma_double(w: Int, x: Int, target: Int, a: Int, b: Int, c: Int) -> None:
    """DMMA of 8 x 8 x 4: every sum is a chain of fused multiply-adds over k."""
    rows, columns = np.zeros((8, 4)), np.zeros((4, 8))
    for lane in range(LANES):
        rows[lane >> 2, lane & 3] = _double(w, a, lane)
        columns[lane & 3, lane >> 2] = _double(w, b, lane)
    for lane in range(LANES):
        for index in range(2):
            row = -1 if c < 0 else c + 2 * index
            total = _double(w, row, lane)
            for n in range(4):
                total = fused(rows[lane >> 2, n], columns[n, 2 * (lane & 3) + index], total)
            bits = double_to_bits(total)
            place = row_address(w, target + 2 * index)
            store32(place, lane, np.uint32(bits & 0xFFFFFFFF))
            store32(place, LANES + lane, np.uint32(bits >> 32 & 0xFFFFFFFF))


def move_matrix(w: Int, x: Int, target: Int, source: Int) -> None:
    """MOVM.16.MT88: an 8 x 8 matrix of 16-bit elements, one row every four lanes, transposed."""
    matrix = np.zeros((8, 8), dtype=np.int64)
    for lane in range(LANES):
        bits = word(w, source, 0, lane)
        for index in range(2):
            matrix[lane >> 2, 2 * (lane & 3) + index] = bits >> (16 * index) & 0xFFFF
    for lane in range(LANES):
        column, row = lane >> 2, 2 * (lane & 3)
        bits = matrix[row, column] | matrix[row + 1, column] << 16
        store32(row_address(w, target), lane, np.uint32(bits))
