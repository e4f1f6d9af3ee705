"""The parameters of the cache model, read from a device's facts.

Where a GPU has no fact of its own, one of its kind or an NVIDIA H200 lends it (``device.lending``):
a hypothesis, which is one reason why all results are bounded. Where nothing is known about the
groups of SMs, no request is merged with another SM's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from simulator.device.lending import find_numbers, several
from simulator.device.model import Device
from simulator.device.structure import LINE_BYTES, SMS_PER_TPC
from simulator.memory.caches.placement import Layout
from simulator.memory.caches.work import Jitter

_FINE = 8  # different times of the lines in one part of memory


@dataclass(frozen=True)
class Machine:
    """Sizes in bytes, times in cycles, shares in percent where they say so."""

    layout: Layout
    l1_bytes: int
    l2_bytes: int
    l2_ways: int
    l2_parts: int  # partitions of L2: 1 or 2
    part_sides: tuple[int, ...]  # the partition that each part of the chip is at, if known
    l2_far: int
    dirty_bytes: int
    unfinished_lines: int  # of sectors stored in part that wait for other words; 0: any number
    merge_most: int
    merge_lead: int
    merge_turn: int
    miss_window: tuple[int, ...]  # from, to, percent of the lines; again and again
    refresh: tuple[int, ...]  # of DRAM: period, cycles of each part, parts
    tpc_distance: tuple[int, ...]  # by pair of SMs in a group
    split_distance: tuple[int, ...]  # the same in the group that is launched in two parts
    sm_late: tuple[int, ...]  # by SM of a group, if all of it begins
    split_late: tuple[int, ...]
    l1_latency: int
    l2_latency: int
    l2_spread: int
    request_gap: int  # between two lines that an SM asks for
    launch_block: float
    launch_warp: float
    relaunch: int
    jitter: Jitter

    def miss_windows(self) -> NDArray[np.int64]:
        """Cycles from a coalescer to DRAM and back, int64[2, part, line]: what lies behind the
        reader's partition of L2 and behind the other one, a row for a part of memory, each as
        likely as the others, and in it what its lines take."""
        near, *others = np.array(self.miss_window or (0, 0, 100)).reshape(-1, 3)
        if self.l2_parts == 2 and others:
            return np.array([_lines(near), _lines(others[0])])[:, None]
        rows = [_lines(row) for row in (near, *others) for _ in range(row[2])]
        return np.array([rows, rows])

    def sides(self) -> NDArray[np.int64]:
        """The partition of L2 that each group of SMs is at."""
        groups = np.array(self.layout.groups)
        found = np.arange(groups.max() + 1) % self.l2_parts
        if self.part_sides:
            found[groups] = self.part_sides
        return found

    def holds(self, buffers: int) -> bool:
        """Whether so many bytes stay in L2, whoever reads them and if all are stored to."""
        return buffers <= min(self.l2_bytes // self.l2_parts, self.dirty_bytes)

    def distances(self) -> NDArray[np.int64]:
        """Cycles from L2 and back, beside the mean, of every SM."""
        return self._by_place(self.tpc_distance, self.split_distance, SMS_PER_TPC)

    def shrunk(self, part: float) -> Machine:
        """The machine with a part of its L2, for as small a part of what blocks touch."""
        if part == 1.0:
            return self
        return replace(
            self,
            l2_bytes=int(self.l2_bytes * part),
            dirty_bytes=int(self.dirty_bytes * part),
            unfinished_lines=ceil(self.unfinished_lines * part),
        )

    def lateness(self, begins: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Cycles by which every SM is late if those that ``begins`` says begin."""
        group = self.layout.group_of_sm()
        share = np.bincount(group, begins) / np.bincount(group)
        return np.rint(self._by_place(self.sm_late, self.split_late, 1) * share[group]).astype(
            np.int64
        )

    def _by_place(
        self, known: tuple[int, ...], split: tuple[int, ...], sms: int
    ) -> NDArray[np.int64]:
        """What is known by the place of ``sms`` SMs each in their group, for every SM."""
        group = self.layout.group_of_sm()
        found = np.zeros(len(group), np.int64)
        for number in np.unique(group):
            parted = self.layout.returns and number == self.layout.groups[0]
            row = np.array((split if parted else known) or (0,), np.int64)
            places = np.arange(int((group == number).sum())) // sms
            found[group == number] = row[places % len(row)]
        return found


def _lines(row: NDArray[np.int64]) -> NDArray[np.int64]:
    """What the lines of one part of memory take, from what is least to what is most."""
    return np.linspace(row[0], row[1], _FINE).astype(np.int64)


def _own(device: Device, key: str) -> tuple[int, ...]:
    """The numbers of a fact that nobody lends; none if it is not known."""
    return _whole(device, key) if key in device.facts else ()


def _whole(device: Device, key: str) -> tuple[int, ...]:
    return tuple(round(value) for value in several(device, key))


def layout_of(device: Device) -> Layout:
    """The groups of SMs in launch order; one SM a group where they are not known."""
    sizes = _own(device, "sm_part_sizes")
    if sum(sizes) != device.sm_count:
        count = device.sm_count
        return Layout((1,) * count, tuple(range(count)), returns=())
    groups = _own(device, "sm_part_groups") or tuple(range(len(sizes)))
    is_split = len(set(groups)) < len(groups)
    return Layout(sizes, groups, returns=_whole(device, "sm_part_returns") if is_split else ())


def machine_of(device: Device, carveout_bytes: int) -> Machine:
    """The cache model of a device whose SMs give ``carveout_bytes`` to shared memory."""
    numbers, _ = find_numbers(device)
    layout = layout_of(device)
    known = len(layout.groups) < device.sm_count

    def number(key: str) -> int:
        return round(numbers[key])

    def by_place(key: str) -> tuple[int, ...]:
        return _own(device, key) if known else ()

    parts = 2 if _own(device, "l2_partitions") == (2,) else 1
    part_bytes = _own(device, "l2_partition_bytes") or (device.l2_bytes // parts,)
    l1 = device.l1_bytes - carveout_bytes - number("l1_reserved_bytes")
    return Machine(
        layout=layout,
        l1_bytes=max(l1, LINE_BYTES),  # a GPU of one's own may leave nothing
        l2_bytes=parts * part_bytes[0],
        l2_ways=number("l2_ways"),
        l2_parts=parts,
        part_sides=by_place("sm_part_sides") if parts == 2 else (),
        l2_far=number("dram_far_cycles") if parts == 2 else 0,
        dirty_bytes=number("l2_dirty_capacity_bytes"),
        unfinished_lines=number("l2_unfinished_bytes") // LINE_BYTES,
        merge_most=number("l2_merge_requests") if known else 1,
        merge_lead=number("l2_merge_lead_cycles"),
        merge_turn=number("l2_merge_turn_cycles"),
        miss_window=_whole(device, "l2_miss_window_cycles"),
        refresh=_whole(device, "dram_refresh_cycles"),
        tpc_distance=by_place("l2_tpc_distance_cycles"),
        split_distance=by_place("l2_tpc_distance_split_cycles"),
        sm_late=by_place("sm_start_cycles"),
        split_late=by_place("sm_start_split_cycles"),
        l1_latency=number("l1_hit_latency_cycles"),
        l2_latency=number("l2_hit_latency_cycles"),
        l2_spread=number("l2_latency_spread_cycles"),
        request_gap=number("l1_request_gap_cycles"),
        launch_block=numbers["timing_launch_block_cycles"],
        launch_warp=numbers["timing_launch_warp_cycles"],
        relaunch=number("timing_relaunch_cycles"),
        jitter=_jitter(device),
    )


def _jitter(device: Device) -> Jitter:
    return Jitter(
        several(device, "sm_work_jitter_warps"),
        several(device, "sm_work_jitter"),
        *several(device, "sm_load_jitter_cycles"),
        *several(device, "sm_shared_work_jitter"),
    )
