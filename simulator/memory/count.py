"""Counting one request by itself: the functions behind ``sm.count_shared`` and ``count_global``.

Offsets are bytes, one a lane, from an address aligned to 128 bytes. The rules were measured on an
NVIDIA H200; see the modules they stand in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.errors import ArgumentError
from simulator.memory.atomics import count_atomic, count_cas, count_popc_inc
from simulator.memory.global_memory import count_global as count_global_sectors
from simulator.memory.lanes import FULL, Addresses
from simulator.memory.shared import count_load_store
from simulator.memory.vector import LANES

WIDTHS = (1, 2, 4, 8, 16)
WIDTHS_OF: dict[str, tuple[int, ...]] = {"atomic": (4, 8), "cas": (4, 8), "popc_inc": (4,)}
SHARED_OPERATIONS = ("load", "store", "atomic", "cas", "popc_inc")
GLOBAL_OPERATIONS = ("load", "store", "atomic")

Offsets = Sequence[int] | NDArray[Any]


@dataclass(frozen=True, slots=True)
class SharedCount:
    """Counts of one shared request.

    ``wavefronts``, ``bank_conflicts`` and ``phases`` are as the hardware counters have them
    (conflicts are the wavefronts beyond one a phase, per pass); ``page_wavefronts`` and
    ``wavefronts_ideal`` are what Nsight Compute's source page shows.
    """

    wavefronts: int
    bank_conflicts: int
    phases: int
    page_wavefronts: int
    wavefronts_ideal: int


@dataclass(frozen=True, slots=True)
class GlobalCount:
    """Counts of one global request as Nsight Compute's source page has them.

    ``sectors`` are distinct 32-byte sectors, ``tags`` distinct 128-byte lines.
    """

    requests: int
    sectors: int
    sectors_ideal: int
    tags: int


def count_shared(
    offsets: Offsets, width_bytes: int = 4, op: str = "load", lane_mask: int = FULL
) -> SharedCount:
    """Wavefronts and bank conflicts of one shared-memory request.

    ``offsets`` are up to 32 byte offsets (missing lanes are inactive), multiples of
    ``width_bytes`` (1, 2, 4, 8 or 16 bytes a lane). ``op`` is "load", "store", "atomic" (ADD, MAX,
    AND, INC, EXCH; with or without a result), "cas" (compare-and-swap) or "popc_inc" (a reduction
    that adds the constant 1 to 4 bytes, which the compiler turns into ATOMS.POPC.INC); atomics
    take 4 or 8 bytes. Bit i of ``lane_mask`` makes lane i active; without an active lane all
    counts are 0. Raises ArgumentError.
    """
    _check_operation(op, SHARED_OPERATIONS)
    _check_width(width_bytes, op)
    addresses, mask = _make_request(offsets, width_bytes, lane_mask)
    if mask == 0:
        return SharedCount(0, 0, 0, 0, 0)
    return SharedCount(*_apply_shared_rule(addresses, mask, width_bytes, op))


def count_global(
    offsets: Offsets, width_bytes: int = 4, op: str = "load", lane_mask: int = FULL
) -> GlobalCount:
    """Sectors and tags of one global-memory request.

    Arguments as in ``count_shared``; ``op`` is "load", "store" or "atomic", which the source page
    counts alike. Raises ArgumentError.
    """
    _check_operation(op, GLOBAL_OPERATIONS)
    _check_width(width_bytes, "load")
    addresses, mask = _make_request(offsets, width_bytes, lane_mask)
    if mask == 0:
        return GlobalCount(0, 0, 0, 0)
    sectors, ideal, tags, _ = count_global_sectors(addresses, mask, width_bytes)
    return GlobalCount(1, sectors, ideal, tags)


def _apply_shared_rule(
    addresses: Addresses, mask: int, width: int, op: str
) -> tuple[int, int, int, int, int]:
    if op == "atomic":
        return count_atomic(addresses, mask, width)
    if op == "cas":
        return count_cas(addresses, mask, width)
    if op == "popc_inc":
        return count_popc_inc(addresses, mask, width)
    return count_load_store(addresses, mask, width, op == "load")


def _check_operation(op: str, known: tuple[str, ...]) -> None:
    if op not in known:
        raise ArgumentError(f"unknown operation {op!r}; use one of {', '.join(known)}")


def _check_width(width: int, op: str) -> None:
    allowed = WIDTHS_OF.get(op, WIDTHS)
    if width not in allowed:
        widths = ", ".join(str(allowed_width) for allowed_width in allowed)
        raise ArgumentError(f"width of {width!r} bytes for {op!r}; a lane can access {widths}")


def _make_request(offsets: Offsets, width: int, lane_mask: int) -> tuple[Addresses, int]:
    """The 32 addresses and the mask of lanes that are active and have an offset."""
    if not 0 <= lane_mask <= FULL:
        raise ArgumentError(f"lane mask {lane_mask:#x} does not fit in 32 bits; bit i is lane i")
    given: NDArray[Any] = np.asarray(offsets)
    if given.ndim != 1 or len(given) > LANES:
        raise ArgumentError(
            f"offsets of shape {given.shape}; give one row of at most {LANES}, one a lane"
        )
    if given.size and not np.issubdtype(given.dtype, np.integer):
        raise ArgumentError(f"offsets of type {given.dtype}; give byte offsets as integers")
    mask = int(lane_mask) & ((1 << len(given)) - 1)
    active = [lane for lane in range(len(given)) if mask >> lane & 1]
    _check_offsets(given, active, width)
    addresses = np.zeros(LANES, np.uint32)
    addresses[active] = given[active]
    return addresses, mask


def _check_offsets(offsets: NDArray[Any], active: list[int], width: int) -> None:
    for lane in active:
        offset = int(offsets[lane])
        if not 0 <= offset <= FULL:
            raise ArgumentError(
                f"lane {lane} has offset {offset}; offsets are from 0 to {FULL} bytes"
            )
        if offset % width:
            raise ArgumentError(
                f"lane {lane} has offset {offset}, which is not a multiple of the {width} bytes "
                "it accesses; align it or use a smaller width"
            )
