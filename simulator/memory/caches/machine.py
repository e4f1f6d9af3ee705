"""The parameters of the cache model, read from a device's facts.

Where a GPU has no fact of its own, the value measured on an NVIDIA H200 stands in: a hypothesis,
which is one reason why all results are bounded. Where nothing is known about the groups of SMs,
no request is merged with another SM's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.device.model import Device
from simulator.memory.caches.placement import Layout

LINE_BYTES = 128
SMS_PER_TPC = 2
_FIRST_WINDOW = (300, 375, 44, 475, 575, 46, 600, 1050, 10)
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
    first_window: tuple[int, ...]  # from, to, percent of the sectors; again and again
    tpc_distance: tuple[int, ...]  # by pair of SMs in a group, as the next
    tpc_late: tuple[int, ...]
    l1_latency: int
    l2_latency: int
    l2_spread: int
    dram_latency: int
    dram_spread: int
    launch_block: float
    launch_warp: float
    relaunch: int

    def first_windows(self) -> NDArray[np.int64]:
        """Windows of first reads, each as likely as the others."""
        rows = np.array(self.first_window or (0, 0, 100)).reshape(-1, 3)
        found = [np.linspace(low, high, max(1, 2 * share)) for low, high, share in rows]
        return np.concatenate(found).astype(np.int64)

    def by_tpc(self, known: tuple[int, ...]) -> NDArray[np.int64]:
        """What is known of the pairs of SMs of a group, for every SM."""
        group = self.layout.group_of_sm()
        seen = np.zeros(len(group), np.int64)
        for number in np.unique(group):
            seen[group == number] = np.arange(int((group == number).sum()))
        row = np.array(known or (0,), np.int64)
        return np.asarray(row[seen // SMS_PER_TPC % len(row)])


def _number(device: Device, key: str, default: int) -> int:
    fact = device.facts.get(key)
    return default if fact is None or isinstance(fact.value, tuple) else round(fact.value)


def _exact(device: Device, key: str, default: float) -> float:
    fact = device.facts.get(key)
    return default if fact is None or isinstance(fact.value, tuple) else float(fact.value)


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
    return Machine(
        layout=layout,
        l1_bytes=max(l1, 8192),
        l2_bytes=l2,
        dirty_bytes=_number(device, "l2_dirty_capacity_bytes", l2 * 7 // 10),
        merge_most=_number(device, "l2_merge_requests", 4) if known else 1,
        merge_window=_number(device, "l2_merge_window_cycles", 60),
        first_window=_row(device, "l2_first_window_cycles", _FIRST_WINDOW),
        tpc_distance=_row(device, "l2_tpc_distance_cycles", ()) if known else (),
        tpc_late=_row(device, "sm_start_by_tpc_cycles", ()) if known else (),
        l1_latency=_number(device, "l1_hit_latency_cycles", 40),
        l2_latency=_number(device, "l2_hit_latency_cycles", 280),
        l2_spread=_number(device, "l2_latency_spread_cycles", 35),
        dram_latency=_number(device, "dram_latency_cycles", 657),
        dram_spread=_number(device, "dram_latency_spread_cycles", 160),
        launch_block=_exact(device, "timing_launch_block_cycles", 1.2),
        launch_warp=_exact(device, "timing_launch_warp_cycles", 3.5),
        relaunch=_number(device, "timing_relaunch_cycles", 270),
    )
