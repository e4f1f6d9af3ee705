"""Elementary functions in float64 without branches, good to about 1e-15.

Arguments are float32 numbers as float64; results are to be rounded to float32. Series are those of
Taylor on small intervals.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.emulator.runtime.raw import bits_to_double, double_to_bits, quotient
from simulator.jit import Float, inlined

# Added to a float64 of moderate size, it leaves the nearest whole number in the last bits.
_WHOLE = 6755399441055744.0
_WHOLE_BITS = 0x4338000000000000
_FRACTION = (1 << 52) - 1
_LOG_2 = math.log(2.0)
_PER_LOG_2 = 2.0 / math.log(2.0)
_ROOT_2 = math.sqrt(2.0)


@inlined
def _grown(t: Float) -> Float:
    """e**t - 1 for |t| <= 0.35, without cancellation."""
    total = 1.0 / 6227020800
    for divisor in (479001600, 39916800, 3628800, 362880, 40320, 5040, 720, 120, 24, 6, 2, 1):
        total = total * t + 1.0 / divisor
    return total * t


@inlined
def exp2(v: Float) -> Float:
    """2**v; beyond the range of float32 some number that rounds as it does."""
    v = min(max(v, -1000.0), 1000.0) if v == v else v
    shifted = v + _WHOLE
    scale = bits_to_double((double_to_bits(shifted) + 1023) << 52)
    return scale + scale * _grown((v - (shifted - _WHOLE)) * _LOG_2)


@inlined
def tanh(v: Float) -> Float:
    """The hyperbolic tangent by e**(2|v|) - 1."""
    size = min(abs(v), 30.0)
    turns = size * _PER_LOG_2
    shifted = turns + _WHOLE
    scale = bits_to_double((double_to_bits(shifted) + 1023) << 52)
    rest = 2.0 * size - (shifted - _WHOLE) * _LOG_2
    grown = scale * _grown(rest) + (scale - 1.0)
    return math.copysign(quotient(grown, grown + 2.0), v)


@inlined
def log2(v: Float) -> Float:
    """The logarithm of a normal number, a zero or an infinity; a NaN for negative ones."""
    bits = double_to_bits(v)
    mantissa = bits_to_double((bits & _FRACTION) | 1023 << 52)
    exponent = bits_to_double((bits >> 52 & 2047) + _WHOLE_BITS) - (_WHOLE + 1023.0)
    large = mantissa > _ROOT_2
    mantissa = 0.5 * mantissa if large else mantissa
    exponent = exponent + 1.0 if large else exponent
    s = quotient(mantissa - 1.0, mantissa + 1.0)
    square = s * s
    total = 1.0 / 21
    for divisor in (19, 17, 15, 13, 11, 9, 7, 5, 3, 1):
        total = total * square + 1.0 / divisor
    found = exponent + s * total * _PER_LOG_2
    found = v if v == math.inf else found
    found = -math.inf if v == 0.0 else found
    return found if v >= 0.0 else math.nan


@inlined
def sine(v: Float, ahead: Float) -> Float:
    """The sine of an angle in turns, of a cosine's ``ahead`` a quarter turn."""
    part = abs(v) - np.floor(abs(v))
    quarter = np.floor(4.0 * part + 0.5)
    angle = (part - 0.25 * quarter) * (2.0 * math.pi)
    square = angle * angle
    odd = 1.0 / 355687428096000
    for divisor in (-1307674368000, 6227020800, -39916800, 362880, -5040, 120, -6, 1):
        odd = odd * square + 1.0 / divisor
    even = -1.0 / 6402373705728000
    for divisor in (20922789888000, -87178291200, 479001600, -3628800, 40320, -720, 24, -2, 1):
        even = even * square + 1.0 / divisor
    place = quarter + 4.0 * ahead
    place = place - 4.0 * np.floor(0.25 * place)
    found = even if place == 1.0 or place == 3.0 else odd * angle
    found = 0.0 - found if place >= 2.0 else found
    if ahead == 0.0:
        found = math.copysign(1.0, v) * found
    return found if abs(v) < math.inf else math.nan
