"""Where a line is kept: its entry in the map, and the partition of L2 that it is at home in."""

from __future__ import annotations

from simulator.jit import constant, inlined, int64
from simulator.memory.caches.lru import chunk_hash
from simulator.memory.caches.state import Limits

LOCAL_LINES = constant(1 << 29)  # items.LOCAL_BASE in lines


@inlined
def map_index(limits: Limits, line: int) -> int:
    """The entry of a line in the map: global lines first, then local ones."""
    return line if line < LOCAL_LINES else line - LOCAL_LINES + limits.global_lines


@inlined
def home_of(limits: Limits, line: int) -> int:
    """The partition that a line is at home in."""
    if limits.l2_parts == 1:
        return 0
    return int64(chunk_hash(line) >> 31)
