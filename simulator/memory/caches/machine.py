"""The parameters of the cache model, read from a device's facts.

Where a GPU has no fact of its own, the value measured on an NVIDIA H200 stands in: a hypothesis,
which is one reason why all results are bounded. Where nothing is known about the groups of SMs,
no request is merged with another SM's.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulator.device.model import Device
from simulator.memory.caches.placement import Layout

LINE_BYTES = 128
# Part of L2 that copies in both partitions leave to data that one SM reads; see h200.json.
_SINGLE_SHARE = 2 / 3


@dataclass(frozen=True)
class Machine:
    """Sizes in bytes, times in cycles, shares in percent where they say so."""

    layout: Layout
    l1_bytes: int
    l2_bytes: int
    dirty_bytes: int
    merge_most: int
    merge_window: int
    merge_long_window: int
    merge_long_percent: int
    miss_short_window: int
    miss_short_percent: int
    miss_window_from: int
    miss_window_to: int
    l1_latency: int
    l2_latency: int
    l2_spread: int
    dram_latency: int
    lateness: int
    lateness_each: int  # for each further block of the SM
    lateness_share: int  # of the work between loads of all blocks of an SM, in 1/256


def _number(device: Device, key: str, default: int) -> int:
    fact = device.facts.get(key)
    return default if fact is None or isinstance(fact.value, tuple) else round(fact.value)


def _row(device: Device, key: str, default: tuple[int, ...]) -> tuple[int, ...]:
    fact = device.facts.get(key)
    if fact is None or not isinstance(fact.value, tuple):
        return default
    return tuple(round(value) for value in fact.value)


def layout_of(device: Device) -> Layout:
    """The groups of SMs in launch order; one SM a group where they are not known."""
    sizes = _row(device, "sm_part_sizes", ())
    if sum(sizes) != device.sm_count:
        count = device.sm_count
        return Layout((1,) * count, tuple(range(count)), returns=False)
    groups = _row(device, "sm_part_groups", tuple(range(len(sizes))))
    return Layout(sizes, groups, returns=len(set(groups)) < len(groups))


def machine_of(device: Device, carveout_bytes: int) -> Machine:
    """The cache model of a device whose SMs give ``carveout_bytes`` to shared memory."""
    layout = layout_of(device)
    l1 = device.l1_bytes - carveout_bytes - _number(device, "l1_reserved_bytes", 8192)
    copies = _SINGLE_SHARE if _number(device, "l2_partitions", 1) == 2 else 1.0
    l2 = _number(device, "l2_read_capacity_bytes", int(device.l2_bytes * copies))
    known = len(layout.groups) < device.sm_count
    lateness = _row(device, "request_lateness_cycles", (300, 180, 12))
    window = _row(device, "l2_merge_window_cycles", (100, 450, 15))
    miss = _row(device, "l2_merge_miss_window_cycles", (225, 35, 300, 1340))
    return Machine(
        layout=layout,
        l1_bytes=max(l1, 8192),
        l2_bytes=l2,
        dirty_bytes=_number(device, "l2_dirty_capacity_bytes", l2 * 7 // 10),
        merge_most=_number(device, "l2_merge_requests", 4) if known else 1,
        merge_window=window[0],
        merge_long_window=window[1],
        merge_long_percent=window[2],
        miss_short_window=miss[0],
        miss_short_percent=miss[1],
        miss_window_from=miss[2],
        miss_window_to=miss[3],
        l1_latency=_number(device, "l1_hit_latency_cycles", 40),
        l2_latency=_number(device, "l2_hit_latency_cycles", 280),
        l2_spread=_number(device, "l2_latency_spread_cycles", 60),
        dram_latency=_number(device, "dram_latency_cycles", 657),
        lateness=lateness[0],
        lateness_each=lateness[1],
        lateness_share=lateness[2],
    )
