"""Matrix products against a slow reference on exact fractions: every format, every bit pattern."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from calling import FIRST, RESULT, call
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.emulator.runtime.codes import BF16, F16, S8, TF32, U8

LANE = np.arange(32)
G, T = LANE >> 2, LANE & 3
A, B, C, D = FIRST, FIRST + 4, FIRST + 6, RESULT
FORMATS = {F16: (5, 10), BF16: (8, 7), TF32: (8, 10)}
SINGLE, HALF = (8, 23), (5, 10)
Value = Fraction | float


# -- the reference ------------------------------------------------------------------------------


def decode(bits: int, format_: tuple[int, int]) -> tuple[Value, int | None]:
    """(value, exponent the format gives it); zero has no exponent."""
    exponent_bits, fraction_bits = format_
    sign = -1 if bits >> (exponent_bits + fraction_bits) & 1 else 1
    field, fraction = (
        bits >> fraction_bits & ((1 << exponent_bits) - 1), bits & ((1 << fraction_bits) - 1)
    )  # fmt: skip
    bias = (1 << (exponent_bits - 1)) - 1
    if field == (1 << exponent_bits) - 1:
        return (math.nan if fraction else sign * math.inf), 0
    if field == 0 and fraction == 0:
        return Fraction(0), None
    exponent = max(field, 1) - bias
    mantissa = Fraction(fraction, 1 << fraction_bits) + (1 if field else 0)
    return sign * mantissa * Fraction(2) ** exponent, exponent


def truncated(value: Fraction, last: int) -> Fraction:
    """A number cut toward zero to whole multiples of 2**last."""
    return math.trunc(value / Fraction(2) ** last) * Fraction(2) ** last


def magnitude(value: Fraction) -> int:
    """floor(log2 |value|)."""
    exponent = abs(value).numerator.bit_length() - abs(value).denominator.bit_length()
    return exponent if abs(value) >= Fraction(2) ** exponent else exponent - 1


def group_sum(terms: Sequence[tuple[Value, int | None]], keep: int) -> Value:
    """Terms cut off ``keep`` bits below the largest exponent and added."""
    special = [float(v) for v, _ in terms if not math.isfinite(v)]
    if special:
        return sum(special)
    exponents = [e for _, e in terms if e is not None]
    if not exponents:
        return Fraction(0)
    return sum((truncated(Fraction(v), max(exponents) - keep) for v, _ in terms), Fraction(0))


def product(x: tuple[Value, int | None], y: tuple[Value, int | None]) -> tuple[Value, int | None]:
    """The product of two factors and its exponent."""
    if not math.isfinite(x[0]) or not math.isfinite(y[0]):
        return float(x[0]) * float(y[0]), 0
    none = x[1] is None or y[1] is None
    return Fraction(x[0]) * Fraction(y[0]), None if none else (x[1] or 0) + (y[1] or 0)


def rounded(value: Value, format_: tuple[int, int], nearest: bool) -> int:
    """The bits of a number in a format: toward zero, or to nearest even."""
    exponent_bits, fraction_bits = format_
    infinity = ((1 << exponent_bits) - 1) << fraction_bits
    if value != value:
        return (1 << (exponent_bits + fraction_bits)) - 1
    sign = 1 << (exponent_bits + fraction_bits) if value < 0 else 0
    if math.isinf(value):
        return sign | infinity
    if value == 0:
        return 0
    bias = (1 << (exponent_bits - 1)) - 1
    exponent = max(magnitude(Fraction(value)), 1 - bias)
    scaled = abs(Fraction(value)) / Fraction(2) ** (exponent - fraction_bits)
    whole = round(scaled) if nearest else math.trunc(scaled)
    bits = whole + ((exponent + bias - 1) << fraction_bits)
    if not nearest and bits == 0:
        return 0
    return sign | min(bits, infinity)


def expected_sum(
    a: Sequence[int], b: Sequence[int], c: int, kind: int, group: int, keep: int, half: bool
) -> int:
    """The bits of one accumulator, by the rule in words of simulator.emulator.semantics.tensor."""
    bits, start = c, HALF if half else SINGLE
    for first in range(0, len(a), group):
        value, _ = decode(bits, start)
        # A float16 accumulator is added as the float32 it equals.
        exponent = None if value == 0 else 0
        if value != 0 and math.isfinite(value):
            exponent = max(magnitude(Fraction(value)), -126)
        terms = [(value, exponent)]
        for x, y in zip(a[first : first + group], b[first : first + group], strict=True):
            terms.append(product(decode(x, FORMATS[kind]), decode(y, FORMATS[kind])))
        total = group_sum(terms, keep)
        last = half and first + group >= len(a)
        bits = rounded(total, HALF if last else SINGLE, nearest=last)
        start = SINGLE
    return bits


# -- fragments ----------------------------------------------------------------------------------


def pack_rows(a: Any, per: int, width: int) -> list[Any]:
    """A's registers from its elements' bits (uint64[16][k])."""
    return [
        sum(a[G + half, first + per * T + n] << np.uint64(width * n) for n in range(per))
        for first in range(0, a.shape[1], 4 * per)
        for half in (0, 8)
    ]


def pack_columns(b: Any, per: int, width: int) -> list[Any]:
    """B's registers from its elements' bits (uint64[k][8])."""
    return [
        sum(b[first + per * T + n, G] << np.uint64(width * n) for n in range(per))
        for first in range(0, b.shape[0], 4 * per)
    ]


def accumulators(c: Any, half: bool) -> list[Any]:
    """Registers of a 16 x 8 matrix of bits."""
    if half:
        return [c[G + n, 2 * T] | c[G + n, 2 * T + 1] << np.uint64(16) for n in (0, 8)]
    return [c[G + 8 * (n >> 1), 2 * T + (n & 1)] for n in range(4)]


def registers(a: list[Any], b: list[Any], c: list[Any]) -> Any:
    """Rows of a warp: A from R0, B from R4, C from R6."""
    rows = np.zeros((10, 32), np.uint32)
    for start, part in ((0, a), (4, b), (6, c)):
        for n, register in enumerate(part):
            rows[start + n] = register.astype(np.uint32)
    return rows


def draw_bits(rng: Any, shape: tuple[int, ...], format_: tuple[int, int], mood: str) -> Any:
    """Bit patterns: any, near one exponent, or with many zeros, denormals, infinities and NaN."""
    exponent_bits, fraction_bits = format_
    bits = rng.integers(0, 1 << (1 + exponent_bits + fraction_bits), shape, dtype=np.uint64)
    field = np.uint64(((1 << exponent_bits) - 1) << fraction_bits)
    if mood == "close":
        near = rng.integers(-6, 7, shape) + (1 << (exponent_bits - 1)) - 1
        bits = bits & ~field | near.astype(np.uint64) << np.uint64(fraction_bits)
    elif mood == "special":
        one = np.uint64(1)
        sign = bits & (one << np.uint64(exponent_bits + fraction_bits))
        choice = rng.integers(0, 12, shape)
        bits = np.where(choice < 3, bits & ~field, bits)
        bits = np.where(choice == 3, sign, bits)
        bits = np.where(choice == 4, sign | field, bits)
        bits = np.where((choice == 5) & (rng.random(shape) < 0.2), bits | field, bits)
    elif mood == "wide":
        ends = np.where(rng.random(shape) < 0.5, np.uint64(1), np.uint64((1 << exponent_bits) - 2))
        bits = bits & ~field | ends << np.uint64(fraction_bits)
    return bits


CASES = [
    pytest.param(F16, 16, 16, 25, False, id="f16 sm_90"),
    pytest.param(F16, 16, 8, 24, False, id="f16 sm_80"),
    pytest.param(F16, 16, 16, 25, True, id="f16 sums sm_90"),
    pytest.param(F16, 16, 8, 24, True, id="f16 sums sm_80"),
    pytest.param(F16, 8, 8, 25, True, id="f16 sums k8"),
    pytest.param(BF16, 16, 16, 25, False, id="bf16 sm_90"),
    pytest.param(BF16, 8, 8, 24, False, id="bf16 k8"),
    pytest.param(TF32, 8, 8, 25, False, id="tf32 sm_90"),
    pytest.param(TF32, 8, 4, 24, False, id="tf32 sm_80"),
    pytest.param(TF32, 4, 4, 25, False, id="tf32 k4"),
]
MOODS = st.sampled_from(["any", "close", "special", "wide"])


@pytest.mark.parametrize(("kind", "k", "group", "keep", "half"), CASES)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), factors=MOODS, starts=MOODS)
def test_float_sums(
    kind: int, k: int, group: int, keep: int, half: bool, seed: int, factors: str, starts: str
) -> None:
    rng, format_ = np.random.default_rng(seed), FORMATS[kind]
    a, b = (draw_bits(rng, shape, format_, factors) for shape in ((16, k), (k, 8)))
    c = draw_bits(rng, (16, 8), HALF if half else SINGLE, starts)
    per, width, shift = (1, 32, 13) if kind == TF32 else (2, 16, 0)
    rows = registers(
        pack_rows(a << np.uint64(shift), per, width),
        pack_columns(b << np.uint64(shift), per, width), accumulators(c, half),
    )  # fmt: skip
    found = call("smr_mma_float", rows, D, A, B, C, kind, k, group, keep, int(half))
    wanted = np.zeros((16, 8), np.uint64)
    for row in range(16):
        for column in range(8):
            wanted[row, column] = expected_sum(
                a[row].tolist(), b[:, column].tolist(), int(c[row, column]), kind, group, keep, half
            )
    kept = accumulators(wanted, half)
    np.testing.assert_array_equal(found[: len(kept)], np.array(kept, dtype=np.uint32))


def test_zero_accumulator_row() -> None:
    """Row -1 stands for zeros: of A, B and C alike."""
    rows = registers([], [], [])
    found = call("smr_mma_float", rows, D, -1, -1, -1, F16, 16, 16, 25, 0)
    assert not found.any()


@pytest.mark.parametrize("kinds", [(S8, S8), (U8, S8), (S8, U8), (U8, U8)])
@pytest.mark.parametrize("saturate", [0, 1])
@pytest.mark.parametrize("k", [16, 32])
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_integer_sums(kinds: tuple[int, int], saturate: int, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(0, 256, shape, dtype=np.uint64) for shape in ((16, k), (k, 8)))
    ends = np.array([0, 0x7FFFFFFF, 0x80000000, 0x7FFF0000, 0x8000FFFF], np.uint64)
    c = rng.choice(ends, (16, 8))
    signed = [m.astype(np.int64) - 256 * ((m > 127) & (kind == S8))
              for m, kind in zip((a, b), kinds, strict=True)]  # fmt: skip
    total = signed[0] @ signed[1] + c.astype(np.uint32).view(np.int32).astype(np.int64)
    if saturate:
        total = np.clip(total, -(1 << 31), (1 << 31) - 1)
    rows = registers(pack_rows(a, 4, 8), pack_columns(b, 4, 8), accumulators(c, False))
    found = call("smr_mma_integer", rows, D, A, B, C, *kinds, k, saturate)
    wanted = accumulators((total & 0xFFFFFFFF).astype(np.uint64), False)
    np.testing.assert_array_equal(found, np.array(wanted, dtype=np.uint32))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), spread=st.sampled_from([1, 60, 900]))
def test_double_sums(seed: int, spread: int) -> None:
    """A chain of fused multiply-adds, each rounded once; overflow and underflow among them."""
    rng = np.random.default_rng(seed)
    a, b, c = (
        rng.uniform(-1, 1, s) * 2.0 ** rng.integers(-spread, spread + 1, s)
        for s in ((8, 4), (4, 8), (8, 8))
    )
    pairs = [a[G, T], b[T, G], c[G, 2 * T], c[G, 2 * T + 1]]
    rows = np.concatenate([p.view(np.uint32).reshape(32, 2).T for p in pairs])
    found = call("smr_mma_double", rows, D, A, A + 2, A + 4)
    halves = found.reshape(2, 2, 32).transpose(0, 2, 1).copy().view(np.float64)[..., 0]
    for lane in range(32):
        for n in range(2):
            total = c[G[lane], 2 * T[lane] + n]
            for k in range(4):
                total = fused(a[G[lane], k], b[k, 2 * T[lane] + n], total)
            assert halves[n, lane] == total


def fused(a: float, b: float, c: float) -> float:
    """a * b + c rounded once."""
    exact = Fraction(a) * Fraction(b) + (Fraction(c) if math.isfinite(c) else 0)
    if not math.isfinite(c):
        return c
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
