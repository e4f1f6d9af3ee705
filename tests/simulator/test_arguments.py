"""Do argument texts become the arrays and scalars they say, and do errors lead to the fix?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simulator.arguments import parse_arguments, parse_dim3, parse_size
from simulator.errors import ArgumentError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i32=1024", np.int32(1024)),
        ("u32=0xFFFFFFFF", np.uint32(2**32 - 1)),
        ("i64=-1", np.int64(-1)),
        ("u8=255", np.uint8(255)),
        ("i8=-128", np.int8(-128)),
        ("f32=1.5e3", np.float32(1500)),
        ("f64=-inf", np.float64(-np.inf)),
        (" f16 = 0.5 ", np.float16(0.5)),
    ],
)
def test_scalars(text: str, expected: np.generic) -> None:
    (value,) = parse_arguments([text])
    assert value == expected
    assert value.dtype == expected.dtype


def test_buffers() -> None:
    zeros, ones, counted, filled = parse_arguments(
        ["f32[2,3]=zeros", "i16[4]=ones", "u32[2,2]=arange", "f16[3]=-2.5"]
    )
    np.testing.assert_array_equal(zeros, np.zeros((2, 3), np.float32))
    np.testing.assert_array_equal(ones, np.ones(4, np.int16))
    np.testing.assert_array_equal(counted, np.array([[0, 1], [2, 3]], np.uint32))
    np.testing.assert_array_equal(filled, np.full(3, -2.5, np.float16))
    assert (zeros.dtype, ones.dtype, filled.dtype) == (np.float32, np.int16, np.float16)


@pytest.mark.parametrize(("name", "period"), [("u8", 256), ("i8", 128), ("f16", 2048)])
def test_arange_starts_again_where_the_type_ends(name: str, period: int) -> None:
    (array,) = parse_arguments([f"{name}[5000]=arange"])
    np.testing.assert_array_equal(array.astype(np.int64), np.arange(5000) % period)


@pytest.mark.parametrize("name", ["f16", "f32", "f64"])
def test_random_floats_are_uniform_around_zero(name: str) -> None:
    (array,) = parse_arguments([f"{name}[100,100]=random"])
    values = array.astype(np.float64)
    assert -1 <= values.min() < -0.99
    assert 0.99 < values.max() <= 1
    assert abs(values.mean()) < 0.02


def test_random_follows_seed_and_position() -> None:
    texts = ["i32[64]=random", "i32[64]=random"]
    first, second = parse_arguments(texts, seed=3)
    again, _ = parse_arguments(texts, seed=3)
    other, _ = parse_arguments(texts, seed=4)
    np.testing.assert_array_equal(first, again)
    assert (first != second).any()
    assert (first != other).any()


def test_npy_file(tmp_path: Path) -> None:
    array = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    np.save(tmp_path / "a.npy", array)
    (loaded,) = parse_arguments([f"f32[2,3]={tmp_path / 'a.npy'}"])
    np.testing.assert_array_equal(loaded, array)
    assert loaded.flags.c_contiguous


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1024", r"cannot be read; write i32=1024"),
        ("i32=", r"cannot be read; write i32=1024"),
        ("int=3", r"unknown type 'int'; use one of i8"),
        ("i32=1.5", r"'1.5' is not an integer"),
        ("f32=abc", r"'abc' is not a number"),
        ("u8=256", r"256 does not fit in uint8 \(0 to 255\)"),
        ("u32=-1", r"-1 does not fit in uint32"),
        ("f32=1e39", r"1e39 is too large for float32"),
        ("f32[4]=rndom", r"unknown content 'rndom'; use random, zeros"),
        ("f32[4,x]=zeros", r"shape \[4,x\] is not made of whole numbers"),
        ("f32[]=zeros", r"shape \[\] is not made of whole numbers"),
        ("f32[4,0]=zeros", r"must be positive"),
        ("i32[4]=2.5", r"'2.5' is not an integer"),
        ("f32[100000,100000]=zeros", r"more than 4,294,967,296 bytes"),
        ("f32[4]=nothere.npy", r"'nothere.npy' does not exist"),
    ],
)
def test_errors_name_the_argument_and_its_position(text: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message) as caught:
        parse_arguments(["i32=1", text])
    assert str(caught.value).startswith(f"2nd --arg {text!r}: ")


@pytest.mark.parametrize(
    ("position", "ordinal"), [(1, "1st"), (3, "3rd"), (4, "4th"), (11, "11th"), (22, "22nd")]
)
def test_positions_are_ordinals(position: int, ordinal: str) -> None:
    with pytest.raises(ArgumentError, match=rf"^{ordinal} --arg"):
        parse_arguments(["i32=1"] * (position - 1) + ["i32"])


def test_npy_file_of_another_kind(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((2, 3), np.float64))
    with pytest.raises(ArgumentError, match=r"holds float64\[2, 3\], not float32\[6\]"):
        parse_arguments([f"f32[6]={tmp_path / 'a.npy'}"])
    (tmp_path / "b.npy").write_text("not an array")
    with pytest.raises(ArgumentError, match=r"no readable \.npy file"):
        parse_arguments([f"f32[6]={tmp_path / 'b.npy'}"])


def test_buffers_together_are_limited() -> None:
    with pytest.raises(ArgumentError, match="2nd --arg"):
        parse_arguments(["u8[1000]=zeros", "u8[4294967000]=zeros"])


@pytest.mark.parametrize(
    ("text", "expected"), [("32", (32, 1, 1)), ("8,4", (8, 4, 1)), ("2x3x4", (2, 3, 4))]
)
def test_dimensions(text: str, expected: tuple[int, int, int]) -> None:
    assert parse_dim3(text, "--grid") == expected


@pytest.mark.parametrize("text", ["", "0", "1,2,3,4", "a", "8,-1", "1,,2"])
def test_bad_dimensions_name_the_option(text: str) -> None:
    with pytest.raises(ArgumentError, match=r"--grid .*for example --grid 32,32"):
        parse_dim3(text, "--grid")


def test_sizes() -> None:
    assert parse_size(None) is None
    assert parse_size("2048") == 2048
    assert parse_size("m=1024, n=512") == {"m": 1024, "n": 512}


@pytest.mark.parametrize("text", ["", "big", "m=", "m=1,2", "m=1=2"])
def test_bad_sizes(text: str) -> None:
    with pytest.raises(ArgumentError, match="--size"):
        parse_size(text)
