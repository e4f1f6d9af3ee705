"""Control codes: the scheduling bits in each 128-bit instruction of sm_70 and later.

21 bits from bit 105: stall count (4), yield (1, active low), write and read scoreboard (3 each,
7 = none), wait mask (6), operand reuse (4).
"""

from __future__ import annotations

from functools import lru_cache

from simulator.isa.kernel import INSTRUCTION_BYTES, Control

_FIRST_BIT = 105
_FIELD_MASK = 0x1FFFFF
_NO_SCOREBOARD = 7


def decode_control(encoding: bytes) -> Control:
    """Control code of one instruction from its 16 bytes, little-endian."""
    if len(encoding) != INSTRUCTION_BYTES:
        raise ValueError(f"an instruction has {INSTRUCTION_BYTES} bytes, not {len(encoding)}")
    return _decode(int.from_bytes(encoding, "little") >> _FIRST_BIT & _FIELD_MASK)


@lru_cache(maxsize=1 << 14)
def _decode(bits: int) -> Control:
    return Control(
        stall_count=bits & 0xF,
        yield_flag=not bits >> 4 & 1,
        write_scoreboard=_scoreboard(bits >> 5 & 7),
        read_scoreboard=_scoreboard(bits >> 8 & 7),
        wait_mask=bits >> 11 & 0x3F,
        reuse_mask=bits >> 17 & 0xF,
    )


def _scoreboard(number: int) -> int | None:
    return None if number == _NO_SCOREBOARD else number
