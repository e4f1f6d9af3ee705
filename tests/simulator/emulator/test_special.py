"""The special-function unit's arithmetic against the host's functions, on any bit pattern."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from calling import FIRST, RESULT, call
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.emulator.runtime.codes import MUFU_CODES

_EDGES = np.array(
    [0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x80000001, 0x3F800000, 0x00800000,
     0x7F7FFFFF, 0xFF7FFFFF, 0x3E800000, 0xBF000000, 0x42FE0000, 0xC2FC0000, 0x43000000], np.uint32
)  # fmt: skip


def _turn(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of an angle in turns: whole turns are taken off exactly."""
    return lambda v: function(2 * np.pi * np.where(np.isfinite(v), np.fmod(v, 1), np.nan))


REFERENCES: dict[str, Callable[[Any], Any]] = {
    "RCP": lambda v: 1 / v,
    "RSQ": lambda v: 1 / np.sqrt(v),
    "SQRT": np.sqrt,
    "LG2": np.log2,
    "EX2": np.exp2,
    "SIN": _turn(np.sin),
    "COS": _turn(np.cos),
    "TANH": np.tanh,
}


def _flushed(bits: Any) -> Any:
    return np.where(bits & 0x7F800000 == 0, bits & 0x80000000, bits).astype(np.uint32)


def _expected(name: str, bits: Any) -> Any:
    keep = name == "TANH"
    with np.errstate(all="ignore"):
        v = (bits if keep else _flushed(bits)).view(np.float32).astype(np.float64)
        result = REFERENCES[name](v).astype(np.float32).view(np.uint32)
    result = result if keep else _flushed(result)
    return np.where(np.isnan(result.view(np.float32)), np.uint32(0x7FFFFFFF), result)


def _ordered(bits: Any) -> Any:
    """Float bits as whole numbers in the order of the numbers."""
    wide = bits.astype(np.int64)
    return np.where(wide >> 31, -(wide & 0x7FFFFFFF), wide)


@pytest.mark.parametrize("name", REFERENCES)
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), mood=st.sampled_from(["any", "near", "edges"]))
def test_function(name: str, seed: int, mood: str) -> None:
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 1 << 32, 32, dtype=np.uint32)
    if mood == "near":
        bits = rng.uniform(-20, 20, 32).astype(np.float32).view(np.uint32)
    elif mood == "edges":
        bits = rng.choice(_EDGES, 32)
    found = call("smr_mufu", bits[None], -1, RESULT, FIRST, MUFU_CODES[name], 0)[0]
    expected = _expected(name, bits)
    # Near its zeros the host's sine of a rounded angle is not zero itself.
    with np.errstate(all="ignore"):
        slack = np.abs(found.view(np.float32) - expected.view(np.float32)) < 1e-15
    close = np.abs(_ordered(found) - _ordered(expected)) <= 1
    np.testing.assert_array_equal((found == expected) | close | slack, True)


@pytest.mark.parametrize(("flags", "change"), [(1, np.abs), (2, np.negative)])
def test_operand_signs(flags: int, change: Callable[[Any], Any]) -> None:
    values = np.linspace(-4, 4, 32, dtype=np.float32)
    call_bits = call(
        "smr_mufu", values.view(np.uint32)[None], -1, RESULT, FIRST, MUFU_CODES["EX2"], flags
    )[0]
    expected = np.exp2(change(values.astype(np.float64)))
    np.testing.assert_allclose(call_bits.view(np.float32), expected, rtol=2e-7)


def test_only_asked_lanes_are_written() -> None:
    ones = np.full((1, 32), np.float32(1)).view(np.uint32)
    found = call("smr_mufu", ones, 0x0000FFFF, RESULT, FIRST, MUFU_CODES["RCP"], 0)[0]
    np.testing.assert_array_equal(found[:16], 0x3F800000)
    assert not found[16:].any()
