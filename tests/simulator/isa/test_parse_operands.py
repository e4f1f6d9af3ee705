"""Does each operand form come out as the right fields?"""

from __future__ import annotations

import math

import pytest

from simulator.isa.kernel import PT, RZ, Operand, OperandKind
from simulator.isa.parse import parse_guard, parse_operand, parse_operands, split_operands

K = OperandKind


def fields(operand: Operand) -> dict[str, object]:
    """The fields that differ from those of a bare operand of this kind."""
    bare = Operand(operand.kind, operand.text)
    return {
        name: getattr(operand, name)
        for name in Operand.__dataclass_fields__
        if getattr(operand, name) != getattr(bare, name)
    }


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("R12", K.REGISTER, {"value": 12}),
        ("RZ", K.REGISTER, {"value": RZ}),
        ("R5.reuse", K.REGISTER, {"value": 5, "reuse": True}),
        ("-R8", K.REGISTER, {"value": 8, "negate": True}),
        ("~R8", K.REGISTER, {"value": 8, "invert": True}),
        ("|R7|", K.REGISTER, {"value": 7, "absolute": True}),
        ("-|R7|.reuse", K.REGISTER, {"value": 7, "absolute": True, "negate": True, "reuse": True}),
        ("|R0|.H0_H0", K.REGISTER, {"absolute": True, "modifiers": ("H0_H0",)}),
        ("R3.H1_H1", K.REGISTER, {"value": 3, "modifiers": ("H1_H1",)}),
        ("R3.U16", K.REGISTER, {"value": 3, "modifiers": ("U16",)}),
        ("UR4", K.UNIFORM_REGISTER, {"value": 4}),
        ("-UR4", K.UNIFORM_REGISTER, {"value": 4, "negate": True}),
        ("URZ", K.UNIFORM_REGISTER, {"value": RZ}),
        ("P2", K.PREDICATE, {"value": 2}),
        ("!PT", K.PREDICATE, {"value": PT, "invert": True}),
        ("UP6", K.UNIFORM_PREDICATE, {"value": 6}),
        ("!UPT", K.UNIFORM_PREDICATE, {"value": PT, "invert": True}),
        ("B6", K.BARRIER, {"value": 6}),
        ("SB0", K.SCOREBOARD, {}),
        ("0x1f", K.IMMEDIATE, {"value": 31}),
        ("-0x64", K.IMMEDIATE, {"value": -100}),
        ("0xffffffff", K.IMMEDIATE, {"value": 0xFFFFFFFF}),
        ("1", K.FLOAT, {"value": 1, "number": 1.0}),
        ("-16216", K.FLOAT, {"value": -16216, "number": -16216.0}),
        ("0.5", K.FLOAT, {"number": 0.5}),
        ("-8.11296384146066816958e+31", K.FLOAT, {"number": -(2.0**106)}),
        ("1.175494350822287508e-38", K.FLOAT, {"number": 2.0**-126}),
        ("+INF", K.FLOAT, {"number": math.inf}),
        ("-INF", K.FLOAT, {"number": -math.inf}),
        ("SR_TID.X", K.SPECIAL, {"name": "SR_TID.X"}),
        ("SRZ", K.SPECIAL, {"name": "SRZ"}),
        ("PR", K.OTHER, {"name": "PR"}),
        ("{5,4}", K.OTHER, {"name": "{5,4}"}),
    ],
)
def test_plain_operand(text: str, kind: OperandKind, expected: dict[str, object]) -> None:
    operand = parse_operand(text)
    assert operand.kind is kind
    assert operand.text == text
    assert fields(operand) == expected


def test_nan_is_a_float() -> None:
    assert math.isnan(parse_operand("-QNAN").number)
    assert math.isnan(parse_operand("+QNAN").number)


def register(index: int, *modifiers: str) -> Operand:
    text = ".".join((f"R{index}", *modifiers))
    return Operand(K.REGISTER, text, value=index, modifiers=modifiers)


def uniform(index: int) -> Operand:
    return Operand(K.UNIFORM_REGISTER, f"UR{index}", value=index)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[R2]", {"base": register(2)}),
        ("[R2+0x4]", {"base": register(2), "value": 4}),
        ("[R1+-0x10]", {"base": register(1), "value": -16}),
        ("[R2.64+UR4+0x10]", {"base": register(2, "64"), "uniform": uniform(4), "value": 16}),
        ("[R2.U32+UR4]", {"base": register(2, "U32"), "uniform": uniform(4)}),
        ("[R11.X4+0x400]", {"base": register(11, "X4"), "value": 0x400}),
        ("[UR4]", {"uniform": uniform(4)}),
        ("[0x10]", {"value": 16}),
        (
            "desc[UR6][R2.64+-0x4]",
            {"descriptor": uniform(6), "base": register(2, "64"), "value": -4},
        ),
    ],
)
def test_memory_operand(text: str, expected: dict[str, object]) -> None:
    operand = parse_operand(text)
    assert operand.kind is K.MEMORY
    assert fields(operand) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("c[0x0][0x28]", {"value": 0x28}),
        ("c[0x3][0x160]", {"bank": 3, "value": 0x160}),
        ("-c[0x0][0x160]", {"value": 0x160, "negate": True}),
        ("|c[0x0][0x164]|", {"value": 0x164, "absolute": True}),
        ("c[0x0][R4+0x10]", {"base": register(4), "value": 16}),
        ("c[0x2][UR4+0xc]", {"bank": 2, "base": uniform(4), "value": 12}),
        ("c[0x4][UR4]", {"bank": 4, "base": uniform(4)}),
        ("cx[UR4][0x8]", {"uniform": uniform(4), "value": 8}),
        ("cx[UR4][R2+0x8]", {"uniform": uniform(4), "base": register(2), "value": 8}),
        ("c[0x0][0x160].H0_H0", {"value": 0x160, "modifiers": ("H0_H0",)}),
    ],
)
def test_constant_operand(text: str, expected: dict[str, object]) -> None:
    operand = parse_operand(text)
    assert operand.kind is K.CONSTANT
    assert fields(operand) == expected


@pytest.mark.parametrize("text", ["[R2+R4]", "[nonsense]", "gdesc[UR4]", "tmem[UR4]", "R", "c[R1]"])
def test_unknown_form_is_kept_as_text(text: str) -> None:
    assert parse_operand(text).kind is K.OTHER
    assert parse_operand(text).name == text


def test_operands_are_split_outside_brackets() -> None:
    assert split_operands("R0,desc[UR4][R2.64+0x4],PT") == ("R0", "desc[UR4][R2.64+0x4]", "PT")
    assert split_operands("{1,0},R2") == ("{1,0}", "R2")
    assert split_operands("") == ()


def test_two_addresses_without_a_comma_are_two_operands() -> None:
    assert split_operands("[R17+0x8][R2.64],P0") == ("[R17+0x8]", "[R2.64]", "P0")
    assert split_operands("[R17],desc[UR6][R2.64]") == ("[R17]", "desc[UR6][R2.64]")


def test_padding_is_dropped() -> None:
    _, limit, _ = parse_operands("|R8|,+INF ,PT")
    assert limit.text == "+INF"


def test_guard() -> None:
    assert fields(parse_guard("@!UP3")) == {"value": 3, "invert": True}
    assert parse_guard("@P0").kind is K.PREDICATE
