"""The rules for loads and stores again: slow, plain, and written without looking at speed.

Lanes are a dict from active lane to byte address.
"""

from __future__ import annotations

from collections import defaultdict

Lanes = dict[int, int]


def make_lanes(offsets: list[int], mask: int) -> Lanes:
    """The active lanes of a request."""
    return {lane: offsets[lane] for lane in range(32) if mask >> lane & 1}


def words_of(address: int, width: int) -> set[int]:
    """The 32-bit words an access touches."""
    return {byte // 4 for byte in range(address, address + width)}


def degree(lanes: Lanes, width: int) -> int:
    """Most distinct words in any of the 32 banks."""
    banks: dict[int, set[int]] = defaultdict(set)
    for address in lanes.values():
        for word in words_of(address, width):
            banks[word % 32].add(word)
    return max((len(words) for words in banks.values()), default=0)


def split(lanes: Lanes, size: int) -> list[Lanes]:
    """Groups of ``size`` neighbouring lanes, empty ones included."""
    groups: list[Lanes] = [{} for _ in range(32 // size)]
    for lane, address in lanes.items():
        groups[lane // size][lane] = address
    return groups


def is_paired(lanes: Lanes) -> bool:
    """Whether lanes agree with their neighbour, or all with the lane two away."""
    return any(
        all(lanes.get(lane ^ distance, address) == address for lane, address in lanes.items())
        for distance in (1, 2)
    )


def phase_size(width: int) -> int:
    """Lanes in one phase."""
    return {8: 16, 16: 8}.get(width, 32)


def hardware(lanes: Lanes, width: int, is_load: bool) -> tuple[int, int]:
    """Hardware wavefronts and bank conflicts."""
    size = phase_size(width)
    if is_load and width > 4 and is_paired(lanes):
        size *= 2
    groups = split(lanes, size)
    wavefronts = sum(degree(group, width) for group in groups)
    return wavefronts, wavefronts - sum(1 for group in groups if group)


def page_part(lanes: Lanes, width: int, may_merge: bool) -> int:
    """Page wavefronts of the lanes that can become one wavefront together."""
    if may_merge and degree(lanes, width) == 1:
        return 1
    return sum(degree(group, width) for group in split(lanes, phase_size(width)))


def page(lanes: Lanes, width: int, is_load: bool) -> int:
    """Source-page wavefronts."""
    if not is_load or width <= 4:
        return hardware(lanes, width, False)[0]
    if width == 8:
        return page_part(lanes, 8, is_paired(lanes))
    low, high = split(lanes, 16)
    low_merges = is_paired(low) if len(high) == 16 else 31 not in lanes
    return page_part(low, 16, low_merges) + page_part(high, 16, is_paired(high))


def ideal(lanes: Lanes, width: int, wavefronts: int) -> int:
    """Source-page ideal wavefronts."""
    return min(wavefronts, max(1, -(-len(lanes) * width // 128)))


def global_page(lanes: Lanes, width: int) -> tuple[int, int, int]:
    """Sectors, ideal sectors and tags."""
    touched = {byte for address in lanes.values() for byte in range(address, address + width)}
    sectors = len({byte // 32 for byte in touched})
    return sectors, min(sectors, -(-len(lanes) * width // 32)), len({b // 128 for b in touched})
