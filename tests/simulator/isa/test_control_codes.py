"""Are the scheduling bits taken from the right places?"""

from __future__ import annotations

import pytest

from simulator.isa.control import decode_control
from simulator.isa.kernel import Control

SHIFT = 105


def encode(bits: int) -> bytes:
    noise = (1 << SHIFT) - 1 | 0b11 << 126  # everything outside the 21 bits
    return (bits << SHIFT | noise).to_bytes(16, "little")


@pytest.mark.parametrize(
    ("bits", "expected"),
    [
        (0b0000_000000_111_111_1_0000, Control(0, False, None, None, 0, 0)),
        (0b0000_000000_111_111_0_1111, Control(15, True, None, None, 0, 0)),
        (0b0000_000000_111_010_1_0001, Control(1, False, 2, None, 0, 0)),
        (0b0000_000000_101_111_1_0010, Control(2, False, None, 5, 0, 0)),
        (0b0000_100001_111_111_1_0000, Control(0, False, None, None, 0b100001, 0)),
        (0b1010_000000_111_111_1_0000, Control(0, False, None, None, 0, 0b1010)),
    ],
)
def test_fields(bits: int, expected: Control) -> None:
    assert decode_control(encode(bits)) == expected


def test_an_instruction_has_sixteen_bytes() -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        decode_control(b"\0" * 8)
