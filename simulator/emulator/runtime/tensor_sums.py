"""How tensor cores add: products and an accumulator, cut off at one place and added exactly.

Every term is a whole number times a power of two, so a sum is one of shifted 32-bit numbers. A
vector holds the eight columns of a row.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.emulator.runtime.fragments import (
    A_EXPONENTS,
    A_SLICE,
    B_EXPONENTS,
    B_SLICE,
    SPECIAL,
    WORDS,
    B,
    C,
    split,
)  # fmt: skip
from simulator.emulator.runtime.raw import load32, store32
from simulator.emulator.runtime.vectors import (
    add,
    add_saturating,
    both,
    choose,
    differ,
    either,
    larger,
    largest_of,
    left,
    less,
    multiply,
    right,
    signed_right,
    smaller,
    splat,
    subtract,
    vload,
    vstore,
    zeros_ahead,
)  # fmt: skip
from simulator.jit import Float, Int, inlined, step

NAN = np.uint32(0x7FFFFFFF)
NAN16 = np.uint32(0x7FFF)
_FINITE = SPECIAL // 2  # exponents of finite terms lie below
# What put_special needs to know, where the decoder's words were.
TOPS, STARTS, START_EXPONENTS = WORDS, WORDS + 8, WORDS + 16


@inlined
def row_of(row: Int) -> Int:
    """Where in A's slices a row starts."""
    return ((row >> 3) << 5) + ((row & 7) << 2)


@inlined
def largest(planes: Int, a: Int, first: Int, last: Int) -> Int:
    """The largest exponents of the products of a row in slices."""
    top = splat(-(1 << 30))
    for part in range(first, last):
        for t in range(4):
            x = splat(np.int32(load32(planes, A_EXPONENTS + a + part * A_SLICE + t)))
            top = larger(top, add(x, vload(planes, B_EXPONENTS + part * B_SLICE + 8 * t)))
    return top


@inlined
def cut(value: Int, by: Int) -> Int:
    """Numbers divided by 2**by, toward zero."""
    sign = signed_right(value, splat(31))
    size = right(subtract(differ(value, sign), sign), smaller(by, splat(31)))
    return subtract(differ(size, sign), sign)


@inlined
def products(planes: Int, a: Int, first: Int, last: Int, top: Int) -> Int:
    """The sums of products, each cut toward zero where ``top`` says.

    Products of 11-bit mantissas take 22 bits and at most five more above the cut, so sixteen of
    them fit 32 bits.
    """
    total = splat(0)
    for part in range(first, last):
        for t in range(4):
            here, there = a + part * A_SLICE + t, part * B_SLICE + 8 * t
            x = splat(np.int32(load32(planes, here)))
            exponent = splat(np.int32(load32(planes, A_EXPONENTS + here)))
            value = multiply(x, vload(planes, B + there))
            exponent = add(exponent, vload(planes, B_EXPONENTS + there))
            total = add(total, cut(value, subtract(top, exponent)))
    return total


@inlined
def sign_and_size(total: Int, start: Int) -> tuple[Int, Int]:
    """Signs (all ones or zero) and 32-bit sizes of total + start, which may take 33 bits."""
    wrapped = add(total, start)
    over = both(differ(total, wrapped), differ(start, wrapped))
    sign = signed_right(differ(wrapped, over), splat(31))
    return sign, subtract(differ(wrapped, sign), sign)


@inlined
def cut_to_float32(size: Int, exponent: Int) -> Int:
    """The bits of size * 2**exponent cut toward zero; past float32's range infinite."""
    ahead = zeros_ahead(size)
    mantissa = right(left(size, smaller(ahead, splat(31))), splat(8))
    exponent = subtract(add(exponent, splat(31)), ahead)
    low = larger(exponent, splat(-126))
    mantissa = right(mantissa, smaller(subtract(low, exponent), splat(31)))
    bits = add(mantissa, left(add(low, splat(126)), splat(23)))
    bits = choose(less(splat(127), exponent), splat(0x7F800000), bits)
    return choose(size, bits, splat(0))


@inlined
def round_to_float16(size: Int, exponent: Int) -> Int:
    """The bits of size * 2**exponent rounded to nearest even."""
    ahead = zeros_ahead(size)
    full = left(size, smaller(ahead, splat(31)))
    full = either(right(full, splat(1)), both(full, splat(1)))  # 31 bits, the last one sticky
    exponent = subtract(add(exponent, splat(31)), ahead)
    low = larger(exponent, splat(-14))
    by = smaller(add(subtract(low, exponent), splat(20)), splat(31))
    mantissa = right(full, by)
    half = left(splat(1), subtract(by, splat(1)))
    rest = both(full, subtract(left(half, splat(1)), splat(1)))
    odd = both(mantissa, splat(1))
    bits = add(mantissa, left(add(low, splat(14)), splat(10)))
    bits = subtract(bits, less(half, add(rest, odd)))
    bits = choose(less(splat(15), exponent), splat(0x7C00), smaller(bits, splat(0x7C00)))
    bits = choose(less(exponent, splat(-25)), splat(0), bits)
    return choose(size, bits, splat(0))


@step
def special_value(mantissa: Int, exponent: Int, one: Int) -> Float:
    """An infinity or a NaN as such; a finite number as its sign or zero."""
    if exponent != SPECIAL:
        return float(min(max(mantissa, -1), 1))
    if abs(mantissa) != one:
        return math.nan
    return math.copysign(math.inf, float(mantissa))


@step
def special_sum(
    planes: Int, a: Int, column: Int, first: Int, last: Int, start: Float, one_a: Int, one_b: Int
) -> Float:
    """The infinity or NaN that a sum with such terms gives; ``one``: the mantissa of 1."""
    total = 0.0 if math.isfinite(start) else start
    for part in range(first, last):
        for t in range(4):
            here, there = a + part * A_SLICE + t, part * B_SLICE + 8 * t + column
            x = np.int64(np.int32(load32(planes, here)))
            y = np.int64(np.int32(load32(planes, B + there)))
            term = special_value(x, np.int32(load32(planes, A_EXPONENTS + here)), one_a)
            term *= special_value(y, np.int32(load32(planes, B_EXPONENTS + there)), one_b)
            if not math.isfinite(term):
                total += term
    return total


@step
def put_special(
    planes: Int, row: Int, first: Int, last: Int, one_a: Int, one_b: Int, narrow: Int
) -> None:
    """Overwrite the results of a row, float16 if ``narrow``, whose terms are not all finite."""
    for column in range(8):
        if np.int32(load32(planes, TOPS + column)) > _FINITE:
            mantissa = np.int64(np.int32(load32(planes, STARTS + column)))
            exponent = np.int64(np.int32(load32(planes, START_EXPONENTS + column)))
            start = special_value(mantissa, exponent, 1 << 23)
            a = row_of(row)
            value = special_sum(planes, a, column, first, last, start, one_a, one_b)
            bits = NAN16 if narrow else NAN
            if value == math.inf:
                bits = np.uint32(0x7C00 if narrow else 0x7F800000)
            elif value == -math.inf:
                bits = np.uint32(0xFC00 if narrow else 0xFF800000)
            store32(planes, C + 8 * row + column, bits)


@inlined
def widened(bits: Int) -> tuple[Int, Int]:
    """(mantissas, exponents) that eight float16 have as float32, where none is a denormal."""
    mantissa, exponent = split(bits, 5, 10)
    sign = signed_right(mantissa, splat(31))
    size = subtract(differ(mantissa, sign), sign)
    by = smaller(subtract(zeros_ahead(size), splat(8)), splat(23))
    denormal = less(size, splat(1 << 10))
    exponent = choose(denormal, subtract(exponent, subtract(by, splat(13))), exponent)
    return left(mantissa, by), exponent


@step
def add_group(
    planes: Int, row: Int, first: Int, last: Int, fraction: Int, keep: Int, from16: Int, to16: Int
) -> None:
    """A row of accumulators plus the products of some slices.

    ``fraction``: fraction bits of the factors; ``keep``: bits kept below the largest exponent;
    ``from16``, ``to16``: whether the row is, and becomes, float16.
    """
    a, place = row_of(row), C + 8 * row
    if from16:
        mantissa, exponent = widened(vload(planes, place))
    else:
        mantissa, exponent = split(vload(planes, place), 8, 23)
    top = larger(largest(planes, a, first, last), exponent)
    start = cut(left(mantissa, splat(keep - 23)), subtract(top, exponent))
    sign, size = sign_and_size(products(planes, a, first, last, top), start)
    if to16:
        bits = round_to_float16(size, subtract(top, splat(keep)))
        bits = either(bits, both(sign, splat(0x8000)))
    else:
        bits = cut_to_float32(size, subtract(top, splat(keep)))
        bits = choose(bits, either(bits, left(sign, splat(31))), bits)
    vstore(planes, place, bits)
    if largest_of(top) > _FINITE:
        vstore(planes, TOPS, top)
        vstore(planes, STARTS, mantissa)
        vstore(planes, START_EXPONENTS, exponent)
        up = keep - 2 * fraction
        put_special(planes, row, first, last, 1 << (fraction + up), 1 << fraction, to16)


@step
def add_integers(planes: Int, row: Int, slices: Int, saturate: Int) -> None:
    """A row of 32-bit accumulators plus the products of all slices; wraps or saturates."""
    a, total = row_of(row), splat(0)
    for part in range(slices):
        for t in range(4):
            x = splat(np.int32(load32(planes, a + part * A_SLICE + t)))
            total = add(total, multiply(x, vload(planes, B + part * B_SLICE + 8 * t)))
    start = vload(planes, C + 8 * row)
    result = add_saturating(total, start) if saturate else add(total, start)
    vstore(planes, C + 8 * row, result)
