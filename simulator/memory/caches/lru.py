"""Entries and sets of a cache of 128-byte lines with four 32-byte sectors each.

An entry is ``line * 16 + valid``, a bit of ``valid`` a sector. Lines spread evenly over the sets
whatever the step between them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.device.structure import LINE_BYTES, SIDE_BYTES
from simulator.jit import Int, constant, inlined

Entries = NDArray[np.int64]

# Of some thousand odd numbers, one that spreads 1,024 lines over 368, 432 or 448 sets with 4 at
# most in each, for every step from one line to 1 MiB.
_TURN = constant(2256677467)
_MIX = constant(2654435769)
_LOW = constant(0xFFFFFFFF)
EMPTY = constant(-16)
VALID_BITS = constant(4)
# Lines that belong to one partition of L2 and one half of DRAM.
CHUNK_BITS = constant((SIDE_BYTES // LINE_BYTES).bit_length() - 1)
ENTRY, USED = constant(0), constant(1)  # columns: both in one of the processor's cache lines


def make_entries(sets: int, ways: int) -> Entries:
    """An empty cache: int64[sets * ways, 2], what each way holds and when it was used last."""
    found = np.zeros((sets * ways, 2), np.int64)
    found[:, ENTRY] = EMPTY
    return found


@inlined
def set_of(line: int, sets: int) -> int:
    """The set of a line: lines in a row fill all sets in turn, every row turned otherwise."""
    row = line // sets
    place = line - row * sets + ((((row * _TURN) & _LOW) * sets) >> 32)
    return place - sets if place >= sets else place


@inlined
def slot_of(key: int, slots: int) -> int:
    """The slot of a key in a table that holds one key a slot."""
    return (((key * _MIX) & _LOW) * slots) >> 32


@inlined
def scattered(value: Int) -> Int:
    """32 bits by chance."""
    mixed = (value * _MIX) & _LOW
    return ((mixed ^ (mixed >> 13)) * _MIX) & _LOW


@inlined
def chunk_hash(line: int) -> Int:
    """32 bits by chance for the 4 KiB that a line lies in."""
    return scattered((line >> CHUNK_BITS) + 5)
