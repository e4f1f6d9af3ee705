"""How the SMs that touch the same lines meet in L2.

Lines that all SMs touch may lie in few slices, which are then busier than the rest. Reads of one
line that come at nearly the same time from SMs of a group are served together. And what all SMs
touch together is no more than the buffers hold: where it would be, some find their lines fetched.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.device.structure import LINE_BYTES, SECTOR_BYTES
from simulator.timing.request_lines import LOCAL_LINES
from simulator.timing.slices import slices_of

Lines = NDArray[np.int64]
Shares = NDArray[np.float32]
_HASH = np.uint64(0x9E3779B97F4A7C15)


class Merging(NamedTuple):
    """Reads of a group of SMs that one read of L2 serves at most, the number of groups, and the
    cycles within which they must come."""

    requests: float
    groups: float
    window: float


class Slices(NamedTuple):
    """Slices of L2; groups of four lines, one after the other, in different ones (``slices_of``);
    the part of the slices that lines keep busy which lie in more than ``few``."""

    number: int
    groups: int
    few: int
    evenness: float


def crowd_of(
    lines: Lines, kind: NDArray[np.int32], touched: NDArray[np.bool_], is_atomic: NDArray[np.bool_],
    again: NDArray[np.float64], shared: Shares, slices: Slices,
) -> Shares:  # fmt: skip
    """For each line how many times busier than the mean the busiest slice is that the lines of its
    instruction use, as far as all SMs share them (``shared``, 0 to 1).

    ``kind`` is the number of the line's instruction, ``touched`` bool[instruction, line] all lines
    that it touches, ``is_atomic`` bool[instruction]: the mean is that of all slices for an atomic
    and of what loads get at most for the others. ``again`` float[instruction]: how much longer
    atomics take, as they come back to their sectors too soon (``repeats_of``).
    """
    if len(lines) == 0:
        return np.empty(0, np.float32)
    place = slices_of(lines, slices.number, slices.groups)
    counts = np.stack([np.bincount(place[row], minlength=slices.number) for row in touched])
    busiest = counts.max(axis=1) / np.maximum(counts.mean(axis=1), 1e-9)
    spread = (counts > 0).sum(axis=1) > slices.few
    atomic = np.where(spread, busiest / slices.evenness, busiest) * again
    load = np.where(spread, busiest, busiest * slices.evenness)
    beyond = np.where(is_atomic, atomic, np.maximum(1.0, load)) - 1.0
    found: Shares = (1.0 + shared * beyond[kind]).astype(np.float32)
    return found


def repeats_of(sectors: NDArray[np.int64], lines: Lines, slices: Slices, passes: float) -> float:
    """How much longer atomics take whose next pass over a sector waits for that before: ``passes``
    of other sectors could have been done meanwhile. ``sectors`` of each line are touched."""
    used = len(np.unique(slices_of(lines, slices.number, slices.groups)))
    return max(1.0, passes * used / max(1, int(sectors.sum())))


def merged_of(
    merging: Merging, ordered: NDArray[np.bool_], apart: NDArray[np.float64], share: Shares
) -> NDArray[np.float32]:
    """For each line how many reads L2 serves together: those of a group of SMs that fall in the
    window of one. ``ordered``: the SMs that share the line come to it in the same round of loads;
    ``apart``: cycles that they are apart at most."""
    others = np.maximum(1.0 / share / merging.groups - 1.0, 0.0)  # of its group, for each SM
    together = np.minimum(1.0, merging.window / np.maximum(apart, 1.0))
    merged = np.minimum(1.0 + others * together, merging.requests)
    found: Shares = np.where(ordered, merged, 1.0).astype(np.float32)
    return found


def part_fetched(
    lines: Lines, sectors: NDArray[np.int64], share: Shares, spans: NDArray[np.int64], sms: int,
    capacity: float,
) -> tuple[Shares, Shares]:  # fmt: skip
    """For each line what part of the sectors that all SMs touch its buffer holds, at most 1: below
    that, several SMs touch the same (``spans`` int64[buffers, 2] first byte and end). And what part
    comes from DRAM: L2 does not hold more than its ``capacity`` of a larger buffer."""
    if len(lines) == 0 or len(spans) == 0:
        return np.ones(len(lines), np.float32), np.ones(len(lines), np.float32)
    order = np.argsort(spans[:, 0])
    first, end = spans[order, 0], spans[order, 1]
    buffer = np.searchsorted(first, lines * LINE_BYTES, side="right") - 1
    inside = (buffer >= 0) & (lines < LOCAL_LINES)
    buffer = np.where(inside, buffer, 0)
    touched = np.where(inside, share * sectors * float(SECTOR_BYTES * sms), 0.0)
    asked = np.bincount(buffer, touched, minlength=len(first))
    size = np.maximum(end - first, 1)
    held = np.where(inside, np.minimum(1.0, size / np.maximum(asked, 1.0))[buffer], 1.0)
    missed = np.where(inside, np.maximum(0.0, 1.0 - capacity / size)[buffer], 1.0)
    return held.astype(np.float32), np.maximum(held, missed).astype(np.float32)


def by_chance(lines: Lines, part: Shares) -> NDArray[np.bool_]:
    """That part of the lines, chosen by a hash."""
    chance = ((lines.astype(np.uint64) * _HASH) >> np.uint64(40)).astype(np.float64) / (1 << 24)
    found: NDArray[np.bool_] = chance < part
    return found
