"""Fragments of a matrix product as planes of whole numbers, decoded once an instruction.

Lane 4g + t holds, as PTX documents for mma.sync: of A rows g and g + 8, of B column g, of the
accumulators columns 2t and 2t + 1. A register holds neighbouring k: one, two or four.

A float is ``mantissa * 2**(exponent - fraction bits)``. A denormal has the least exponent of its
format, zero has ``NOTHING``, an infinity or a NaN ``SPECIAL``; so the sum of two factors' exponents
says at once what a product is.

Sums do not depend on the order of their terms, so k is kept in the order of registers: *slice* s
holds the four k that one element of a register has in lanes t = 0 to 3. Columns come as 0, 2, 4, 6,
1, 3, 5, 7: as registers hold the accumulators.
"""

from __future__ import annotations

import numpy as np

from simulator.emulator import layout as at
from simulator.emulator.runtime.codes import BF16, F16, S8, TF32
from simulator.emulator.runtime.raw import load32, store32
from simulator.emulator.runtime.state import row_address
from simulator.emulator.runtime.vectors import (
    both,
    choose,
    differ,
    either,
    larger,
    left,
    less,
    right,
    signed_right,
    splat,
    subtract,
    vload,
    vstore,
)  # fmt: skip
from simulator.jit import Int, inlined, step

LANES = at.LANES
NOTHING = -20000
SPECIAL = 60000
# Words of the scratch memory. A: [slice][row][t]; B: [slice][t][column]; C: [row][column].
A_SLICE, B_SLICE = 64, 32
A_EXPONENTS, B, B_EXPONENTS, C, WORDS = 512, 1024, 1280, 1536, 1664


@step
def word(w: Int, row: Int, register: Int, lane: Int) -> Int:
    """A register of a fragment; row -1 stands for zeros."""
    if row < 0:
        return np.uint32(0)
    return load32(row_address(w, row + register), lane)


@inlined
def split(bits: Int, exponent_bits: Int, fraction_bits: Int) -> tuple[Int, Int]:
    """(signed mantissas, exponents) of eight floats of sign, exponent and fraction."""
    last = (1 << exponent_bits) - 1
    field = both(right(bits, splat(fraction_bits)), splat(last))
    mantissa = both(bits, splat((1 << fraction_bits) - 1))
    some = less(splat(0), field)
    mantissa = either(mantissa, both(some, splat(1 << fraction_bits)))
    exponent = subtract(larger(field, splat(1)), splat(last >> 1))
    exponent = choose(less(field, splat(last)), exponent, splat(SPECIAL))
    exponent = choose(mantissa, exponent, splat(NOTHING))
    sign = signed_right(left(bits, splat(31 - exponent_bits - fraction_bits)), splat(31))
    return subtract(differ(mantissa, sign), sign), exponent


@inlined
def split_element(words: Int, index: Int, kind: Int) -> tuple[Int, Int]:
    """(mantissas, exponents) of element ``index`` of eight registers."""
    if kind == F16:
        return split(both(right(words, splat(16 * index)), splat(0xFFFF)), 5, 10)
    if kind == BF16:
        return split(both(right(words, splat(16 * index)), splat(0xFFFF)), 8, 7)
    if kind == TF32:
        return split(right(words, splat(13)), 8, 10)
    top = left(words, splat(24 - 8 * index))
    if kind == S8:
        return signed_right(top, splat(24)), splat(0)
    return right(top, splat(24)), splat(0)


@step
def put_rows(w: Int, planes: Int, a: Int, kind: Int, parts: Int, per: Int, up: Int) -> None:
    """Fill A's planes from a warp's registers; mantissas are shifted ``up``."""
    for part in range(2 * parts):
        row, half = row_address(w, a + part), (part & 1) * LANES
        for first in range(0, LANES, 8):
            words = splat(0) if a < 0 else vload(row, first)
            for index in range(per):
                place = ((part >> 1) * per + index) * A_SLICE + half + first
                mantissa, exponent = split_element(words, index, kind)
                vstore(planes, place, left(mantissa, splat(up)))
                vstore(planes, A_EXPONENTS + place, exponent)


@step
def put_columns(w: Int, planes: Int, b: Int, kind: Int, parts: Int, per: Int) -> None:
    """Fill B's planes from a warp's registers."""
    for part in range(parts):
        for lane in range(LANES):
            g = lane >> 2
            place = WORDS + 8 * (lane & 3) + (g >> 1) + 4 * (g & 1)
            store32(planes, place, word(w, b, part, lane))
        for first in range(0, LANES, 8):
            words = vload(planes, WORDS + first)
            for index in range(per):
                place = (part * per + index) * B_SLICE + first
                mantissa, exponent = split_element(words, index, kind)
                vstore(planes, B + place, mantissa)
                vstore(planes, B_EXPONENTS + place, exponent)


@step
def get_accumulators(w: Int, planes: Int, c: Int, half: Int) -> None:
    """Fill the plane of C (16 x 8, bits) from registers of one float32 or two float16 each."""
    for register in range(2 if half else 4):
        for lane in range(LANES):
            bits = word(w, c, register, lane)
            if half:
                place = C + 8 * (8 * register + (lane >> 2)) + (lane & 3)
                store32(planes, place, bits & np.uint32(0xFFFF))
                store32(planes, place + 4, bits >> np.uint32(16))
            else:
                store32(planes, place_of(register, lane), bits)


@step
def place_of(register: Int, lane: Int) -> Int:
    """Where in the scratch memory a 32-bit accumulator is."""
    return C + 8 * (8 * (register >> 1) + (lane >> 2)) + 4 * (register & 1) + (lane & 3)


@step
def put_results(w: Int, planes: Int, target: Int, half: Int) -> None:
    """Write the plane of C back to registers."""
    for register in range(2 if half else 4):
        row = row_address(w, target + register)
        for lane in range(LANES):
            if half:
                place = C + 8 * (8 * register + (lane >> 2)) + (lane & 3)
                high = load32(planes, place + 4) << np.uint32(16)
                store32(row, lane, np.uint32(load32(planes, place) | high))
            else:
                store32(row, lane, load32(planes, place_of(register, lane)))
