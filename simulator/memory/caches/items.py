"""From memory events to items: runs of up to four 32-byte sectors that one request touches.

A request of a warp touches some sectors. Cut from the lowest one on into runs of four, they shift
with the addresses as a whole, which is what lets the items of one block stand for another's.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.events import LANES
from simulator.isa.kernel import AccessKind, Instruction, Kernel, Space
from simulator.jit import compiled, constant, inlined, int64, step
from simulator.memory.copy_requests import copy_lanes, has_targets
from simulator.memory.lanes import ALL_BITS
from simulator.memory.vector import lowest_lane, same_lanes

Words = NDArray[np.uint32]

LOAD, STORE, ATOMIC, BYPASS = (constant(n) for n in range(4))
KINDS = {
    AccessKind.LOAD: 0,
    AccessKind.STORE: 1,
    AccessKind.ATOMIC: 2,
    AccessKind.REDUCTION: 2,
    AccessKind.ATOMIC_CAS: 2,
    AccessKind.ASYNC_COPY: 0,
    AccessKind.ASYNC_COPY_BYPASS: 3,
}
SECTOR_BITS = 5
SECTORS_PER_LINE = 4
LINE_BITS = 7
# Local memory has a space of its own behind all global addresses.
LOCAL_BASE = constant(1 << 36)

# Bits of an item's ``info``: sectors touched, kind, whether the item goes on with the request of
# the one before, instruction.
KIND_SHIFT, INSTRUCTION_SHIFT = 4, 8
KIND_MASK, GOES_ON = constant(7), constant(1 << 7)
# An item of four whole sectors.
_WHOLE, _WHOLE_WORDS = constant(15), constant(0xFFFFFFFF)

_INSTRUCTION, _MASK, _SPACE_WARP, _BLOCK, _ADDRESSES = range(5)
EVENT_WORDS = _ADDRESSES + LANES
MOST_ITEMS = 4 * LANES  # of a request
MOST_WARPS, ENDLESS = 32, 1 << 40  # of a block; items of a warp


class Cap(NamedTuple):
    """How much of long loops is kept: a warp's requests until it has made so many items, those of
    loads and copies, and of stores and atomics. What comes after is alike or past affording.

    ``taken`` int64[warps, 2] are the items of each warp of ``block`` (one entry), ``requests``
    int64[2, 2] by kind all and those kept.
    """

    most: int
    block: NDArray[np.int64]
    taken: NDArray[np.int64]
    requests: NDArray[np.int64]


class Items(NamedTuple):
    """Items in the order they were made, one entry an item.

    ``base`` is the lowest byte touched (from the start of device memory; local memory from
    LOCAL_BASE), ``info`` the bits above, ``words`` which words were touched, from that of the
    lowest byte on (of stores: those stored whole), ``request`` numbers the requests.
    """

    base: NDArray[np.int64]
    info: NDArray[np.uint32]
    words: NDArray[np.uint32]
    block: NDArray[np.uint32]
    warp: NDArray[np.uint16]
    request: NDArray[np.int64]


def kind_of(instruction: Instruction) -> int:
    """The kind of an instruction's global or local accesses, -1 if it makes none."""
    access = instruction.access
    if access is None or access.kind not in KINDS or access.space is Space.SHARED:
        copies = (AccessKind.ASYNC_COPY, AccessKind.ASYNC_COPY_BYPASS)
        if access is None or access.kind not in copies:
            return -1
    kind = KINDS[access.kind]
    # Volatile and acquiring loads go past L1.
    return 3 if kind == 0 and instruction.has("STRONG") else kind


@lru_cache(maxsize=2)
def lower_kinds(kernel: Kernel) -> NDArray[np.int64]:
    """int64[instruction, 2]: kind (-1: none) and bytes a lane."""
    return np.array(
        [
            (kind_of(i), i.access.width_bytes if i.access is not None else 0)
            for i in kernel.instructions
        ],
        np.int64,
    ).reshape(-1, 2)


@step
def _insert(sectors: NDArray[np.int64], bytes_of: Words, count: int, sector: int, mask: int) -> int:
    """Put a sector into an ascending row, or add to the bytes it has; the new count."""
    place = count
    while place > 0 and sectors[place - 1] > sector:
        place -= 1
    if place > 0 and sectors[place - 1] == sector:
        bytes_of[place - 1] |= np.uint32(mask)
        return count
    for index in range(count, place, -1):
        sectors[index] = sectors[index - 1]
        bytes_of[index] = bytes_of[index - 1]
    sectors[place] = sector
    bytes_of[place] = np.uint32(mask)
    return count + 1


@step
def _global_sectors(
    words: Words, row: int, lanes: int, width: int, sectors: NDArray[np.int64], bytes_of: Words
) -> int:
    count = 0
    for lane in range(LANES):
        if (lanes >> lane) & 1:
            address = int64(words[row, _ADDRESSES + lane])
            mask = ((1 << width) - 1) << (address & 31)
            count = _insert(sectors, bytes_of, count, address >> SECTOR_BITS, mask & 0xFFFFFFFF)
    return count


@step
def _local_sectors(
    words: Words, row: int, width: int, first: int, sectors: NDArray[np.int64], bytes_of: Words
) -> int:
    """The word at one offset of all lanes is a line; ``first`` is the warp's first sector."""
    count = 0
    lanes = int64(words[row, _MASK])
    addresses = words[row, _ADDRESSES : _ADDRESSES + LANES]
    if width >= 4 and same_lanes(addresses, lowest_lane(lanes), ALL_BITS) & lanes == lanes:
        offset = int64(addresses[lowest_lane(lanes)]) // 4
        return _row_sectors(lanes, width, first + offset * SECTORS_PER_LINE, sectors, bytes_of)
    for word in range(max(1, width // 4)):
        for lane in range(LANES):
            if (lanes >> lane) & 1:
                offset = int64(words[row, _ADDRESSES + lane]) // 4 + word
                sector = first + offset * SECTORS_PER_LINE + lane // 8
                mask = ((1 << min(width, 4)) - 1) << (lane % 8 * 4)
                count = _insert(sectors, bytes_of, count, sector, mask)
    return count


@step
def _row_sectors(
    lanes: int, width: int, first: int, sectors: NDArray[np.int64], bytes_of: Words
) -> int:
    """Sectors of a local access whose lanes are all at one offset, as spills are."""
    count = 0
    for sector in range(max(1, width // 4) * SECTORS_PER_LINE):
        part = (lanes >> 8 * (sector % SECTORS_PER_LINE)) & 0xFF
        if part:
            # Spread the lanes' bits out to four each.
            spread = (part | part << 12) & 0x000F000F
            spread = (spread | spread << 6) & 0x03030303
            spread = (spread | spread << 3) & 0x11111111
            sectors[count] = first + sector
            bytes_of[count] = np.uint32(spread * 15)
            count += 1
    return count


@inlined
def _words(bytes_of: int, whole: int) -> int:
    """The words of a sector of which any byte is in a mask, or all are."""
    two = bytes_of & bytes_of >> 1 if whole else bytes_of | bytes_of >> 1
    four = (two & two >> 2 if whole else two | two >> 2) & 0x11111111
    four = (four | four >> 3) & 0x03030303
    four = (four | four >> 6) & 0x000F000F
    return (four | four >> 12) & 0xFF


@step
def _cut(
    sectors: NDArray[np.int64], bytes_of: Words, count: int, info: int, out: Items, made: int
) -> int:
    """Cut a request's sectors into runs and put them at ``made``; the items after that."""
    place, goes_on = 0, 0
    whole = int64((info >> KIND_SHIFT) & KIND_MASK == STORE)
    while place < count:
        base, mask, touched = sectors[place], 0, 0
        low = (base << SECTOR_BITS) + lowest_lane(int64(bytes_of[place]))
        while place < count and sectors[place] < base + SECTORS_PER_LINE:
            mask |= 1 << (sectors[place] - base)
            touched |= _words(int64(bytes_of[place]), whole) << 8 * (sectors[place] - base)
            place += 1
        out.base[made] = low
        out.info[made] = np.uint32(mask | info | goes_on)
        goes_on = GOES_ON
        out.words[made] = np.uint32(touched >> ((low >> 2) & 7))
        made += 1
    return made


@inlined
def _is_spill(words: Words, row: int, width: int) -> bool:
    """Whether a local access is one of whole words at one offset in all 32 lanes."""
    if int64(words[row, _MASK]) != ALL_BITS or width < 4:
        return False
    addresses = words[row, _ADDRESSES : _ADDRESSES + LANES]
    return same_lanes(addresses, 0, ALL_BITS) == ALL_BITS


@inlined
def _spill_items(
    words: Words, row: int, width: int, first: int, info: int, out: Items, made: int
) -> int:
    """The items of such an access: every word of all lanes is a line; the items after that."""
    line = first + int64(words[row, _ADDRESSES]) // 4 * SECTORS_PER_LINE
    goes_on = 0
    for word in range(width // 4):
        out.base[made] = line + word * SECTORS_PER_LINE << SECTOR_BITS
        out.info[made] = np.uint32(_WHOLE | info | goes_on)
        out.words[made] = np.uint32(_WHOLE_WORDS)
        goes_on = GOES_ON
        made += 1
    return made


@inlined
def _group(kind: int) -> int:
    """0 for loads and copies, 1 for stores and atomics."""
    return int64(kind == STORE) | int64(kind == ATOMIC)


@step
def _is_kept(cap: Cap, block: int, warp: int, kind: int) -> bool:
    """Count a request and say whether its warp may make more items."""
    if cap.block[0] != block:
        cap.block[0] = block
        cap.taken[:] = 0
    group = _group(kind)
    kept = bool(cap.taken[warp, group] < cap.most)
    cap.requests[group, 0] += 1
    cap.requests[group, 1] += int64(kept)
    return kept


@compiled
def extract(
    words: Words, kinds: NDArray[np.int64], local_words: int, sectors: NDArray[np.int64],
    bytes_of: Words, out: Items, made: int, request: int, cap: Cap,
) -> int:  # fmt: skip
    """Put the items of events (uint32[event, EVENT_WORDS]) into ``out``, behind those ``made``
    before; how many there are then.

    ``sectors`` and ``bytes_of`` are scratch rows; requests are numbered from ``request`` on.
    """
    for row in range(len(words)):
        instruction = int64(words[row, _INSTRUCTION])
        space = int64(words[row, _SPACE_WARP]) & 0xFFFF
        kind, width = kinds[instruction, 0], kinds[instruction, 1]
        if space == 0 or kind < 0:
            continue
        warp = int64(words[row, _SPACE_WARP]) >> 16
        if not _is_kept(cap, int64(words[row, _BLOCK]), warp, kind):
            continue
        info = kind << KIND_SHIFT | instruction << INSTRUCTION_SHIFT
        start = made
        left = int64(words[row, _MASK])
        while left and space == 1:
            is_copy = kind == BYPASS and has_targets(words, row, width)
            lanes = copy_lanes(words, row, left) if is_copy else left
            left &= ~lanes
            count = _global_sectors(words, row, lanes, width, sectors, bytes_of)
            made = _cut(sectors, bytes_of, count, info, out, made)
        first = (LOCAL_BASE >> SECTOR_BITS) + warp * local_words * SECTORS_PER_LINE
        if space != 1 and _is_spill(words, row, width):
            made = _spill_items(words, row, width, first, info, out, made)
        elif space != 1:
            count = _local_sectors(words, row, width, first, sectors, bytes_of)
            made = _cut(sectors, bytes_of, count, info, out, made)
        for item in range(start, made):
            out.block[item] = words[row, _BLOCK]
            out.warp[item] = np.uint16(warp)
            out.request[item] = request + row
        cap.taken[warp, _group(kind)] += made - start
    return made


def empty_items(count: int) -> Items:
    """Room for items."""
    return Items(
        np.empty(count, np.int64),
        np.empty(count, np.uint32),
        np.empty(count, np.uint32),
        np.empty(count, np.uint32),
        np.empty(count, np.uint16),
        np.empty(count, np.int64),
    )


def resized(items: Items, count: int, room: int) -> Items:
    """The first ``count`` items with room for ``room``."""
    grown = empty_items(room)
    columns: tuple[NDArray[Any], ...] = grown
    olds: tuple[NDArray[Any], ...] = items
    for column, old in zip(columns, olds, strict=True):
        column[:count] = old[:count]
    return grown
