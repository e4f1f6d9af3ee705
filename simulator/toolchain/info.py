"""Decoder of the ``.nv.info`` attribute sections of a cubin.

An attribute is a format byte, an attribute byte and a value: none, a byte or a half word inside
the same four bytes, or (format 4) a sized block behind them. Attribute numbers and the layout of
the parameter records were read off cubins of kernels with known parameters.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

_SIZED = 4

MAX_THREADS = 0x05
PARAM_CBANK = 0x0A
REQUIRED_THREADS = 0x10
FRAME_SIZE = 0x11
MIN_STACK_SIZE = 0x12
PARAMETER = 0x17
PARAMETER_LARGE = 0x45
REGISTER_COUNT = 0x2F
BARRIER_COUNT = 0x4C
ANNOTATIONS = 0x55  # of single instructions: pairs of a kind and an address

_SIZE_SHIFT = 18  # PARAMETER packs the size above 18 bits of flags


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute: ``value`` of the short formats, ``data`` of the sized one."""

    number: int
    value: int
    data: bytes


def read_attributes(section: bytes) -> Iterator[Attribute]:
    """All attributes of a section in order."""
    position = 0
    while position + 4 <= len(section):
        form, number, value = struct.unpack_from("<BBH", section, position)
        position += 4
        data = b""
        if form == _SIZED:
            data = section[position : position + value]
            position += value
        yield Attribute(number, value, data)


def words(attribute: Attribute) -> tuple[int, ...]:
    """The data of a sized attribute as 32-bit words."""
    return struct.unpack(f"<{len(attribute.data) // 4}I", attribute.data)


def read_parameter(attribute: Attribute) -> tuple[int, int, int]:
    """Position, byte offset and byte size of a kernel parameter."""
    _, position, offset, packed = struct.unpack("<IHHI", attribute.data)
    size = packed & 0xFFFF if attribute.number == PARAMETER_LARGE else packed >> _SIZE_SHIFT
    return position, offset, size
