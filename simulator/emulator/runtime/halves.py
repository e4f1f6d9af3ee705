"""Sixteen-bit floats in the runtime: bits to float64, and a float64 rounded to bits."""

from __future__ import annotations

import math

import numpy as np

from simulator.jit import Float, Int, step

NAN16 = 0x7FFF  # what every operation on float16 or bfloat16 makes of a NaN


@step
def decode(bits: Int, exponent_bits: Int, fraction_bits: Int) -> Float:
    """A small float of a sign, an exponent and a fraction as float64, exactly."""
    fraction = bits & ((1 << fraction_bits) - 1)
    exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    if exponent == (1 << exponent_bits) - 1:
        value = math.inf if fraction == 0 else math.nan
    elif exponent == 0:
        value = math.ldexp(float(fraction), 1 - bias - fraction_bits)
    else:
        value = math.ldexp(float(fraction | 1 << fraction_bits), exponent - bias - fraction_bits)
    return -value if bits >> (exponent_bits + fraction_bits) & 1 else value


@step
def encode(value: Float, exponent_bits: Int, fraction_bits: Int) -> Int:
    """A float64 rounded to nearest even; overflow gives infinity, a NaN 0x7fff."""
    if math.isnan(value):
        return NAN16
    sign = 1 << (exponent_bits + fraction_bits) if math.copysign(1.0, value) < 0.0 else 0
    bias = (1 << (exponent_bits - 1)) - 1
    infinity = ((1 << exponent_bits) - 1) << fraction_bits
    magnitude = abs(value)
    if math.isinf(magnitude):
        return sign | infinity
    if magnitude == 0.0:
        return sign
    exponent = max(math.frexp(magnitude)[1] - 1, 1 - bias)
    scaled = np.int64(np.rint(math.ldexp(magnitude, fraction_bits - exponent)))
    bits = scaled + ((exponent + bias - 1) << fraction_bits)
    return sign | (bits if bits < infinity else infinity)


@step
def add_pairs(a: Int, b: Int, brain: bool) -> Int:
    """The sums of two float16 (or bfloat16) in each 32 bits; exact in float64 before rounding."""
    exponent_bits, fraction_bits = (8, 7) if brain else (5, 10)
    result = 0
    for half in range(2):
        x = decode(a >> (16 * half) & 0xFFFF, exponent_bits, fraction_bits)
        y = decode(b >> (16 * half) & 0xFFFF, exponent_bits, fraction_bits)
        result |= encode(_odd_sum(x, y), exponent_bits, fraction_bits) << (16 * half)
    return result


@step
def _odd_sum(a: Float, b: Float) -> Float:
    """a + b moved off a tie where the sum was inexact, so that it can be rounded again."""
    total = a + b
    virtual = total - a
    error = (a - (total - virtual)) + (b - virtual)
    if error > 0.0:
        return np.nextafter(total, np.inf)
    return np.nextafter(total, -np.inf) if error < 0.0 else total
