"""A launch through the caches of a machine, with L2 empty and with L2 as the launch left it.

Where a launch makes more items than ``DETAILED_ITEMS`` and its buffers fit into L2, only some of
the groups of SMs are simulated, with their share of the blocks, and the counts scaled; what the
other blocks load is still taken into account for DRAM, sector by sector.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.memory.caches import state as st
from simulator.memory.caches.footprint import mark_footprint
from simulator.memory.caches.lru import EMPTY, make_entries
from simulator.memory.caches.machine import LINE_BYTES, Machine
from simulator.memory.caches.placement import first_wave
from simulator.memory.caches.simulate import run_launch
from simulator.memory.caches.streams import LOCAL_SHIFT, Streams, count_batches

Ints = NDArray[np.int64]

L1_WAYS, L2_WAYS = 4, 16
COALESCER_ENTRIES = 1 << 14
FLIGHTS = 1 << 16
REQUEST_GAP = 2
BLOCK_START = 200
DETAILED_ITEMS = 24_000_000


@dataclass(frozen=True)
class Shape:
    """A launch as the caches see it.

    ``blocks_per_sm`` fit an SM; ``global_bytes`` of buffers end at ``global_end``; ``local_bytes``
    a block; ``work`` are the cycles an SM needs for a block at least; ``waits`` has for every
    instruction the first later one that needs its result.
    """

    blocks_per_sm: int
    global_bytes: int
    global_end: int
    local_bytes: int
    work: float
    waits: Ints


@dataclass(frozen=True)
class CacheCounts:
    """What the caches counted; ``share`` of the blocks was simulated in detail.

    ``cold`` and ``warm`` map ``state.TOTALS`` to sectors of the whole launch; ``by_instruction``
    is int64[instruction, 2]: sectors and hits in L1, cold.
    """

    cold: Mapping[str, float]
    warm: Mapping[str, float]
    by_instruction: Ints
    share: float


def predict(streams: Streams, machine: Machine, shape: Shape, instructions: int) -> CacheCounts:
    """Simulate a launch; see :class:`CacheCounts`."""
    mapped = shape.global_bytes <= machine.l2_bytes
    groups = _chosen_groups(streams, machine, mapped)
    first, rest, share = _seat_blocks(streams, machine, shape, groups)
    work = _work(streams, shape)
    state = _state(machine, shape, streams, mapped)
    limits = _limits(machine, shape, streams, mapped)
    counted = np.zeros((instructions, 2), np.int64)
    cold = _run(work, state, limits, shape, first, rest, counted)
    if share < 1.0:
        cold = _scaled(cold, share)
        reads = mark_footprint(streams, state.map, limits)
        cold["dram_read_sectors"] = reads
        cold["l2_read_hits"] = max(0.0, cold["l2_read_sectors"] - reads)
    if mapped:
        warm = _all_hits(cold)
    else:
        warm = _run(work, state, limits, shape, first, rest, np.zeros_like(counted))
    return CacheCounts(cold, warm, np.rint(counted / share).astype(np.int64), share)


def _chosen_groups(streams: Streams, machine: Machine, mapped: bool) -> set[int]:
    groups = sorted(set(machine.layout.groups))
    length = np.diff(streams.rounds[streams.first_round[:-1]], append=len(streams.base))
    items = int(length[streams.template].sum())
    if not mapped or items <= DETAILED_ITEMS or len(groups) == 1:
        return set(groups)
    wanted = max(1, len(groups) * DETAILED_ITEMS // items)
    return {groups[(2 * n + 1) * len(groups) // (2 * wanted)] for n in range(wanted)}


def _seat_blocks(
    streams: Streams, machine: Machine, shape: Shape, groups: set[int]
) -> tuple[Ints, Ints, float]:
    """Blocks that start at each place, those that follow, and the share of all blocks."""
    total, places = len(streams.template), shape.blocks_per_sm
    sms = first_wave(machine.layout, places, total)
    group = machine.layout.group_of_sm()
    first = np.full(machine.layout.sm_count * places, -1, np.int64)
    taken = np.zeros(machine.layout.sm_count, np.int64)
    for block, sm in enumerate(sms):
        if int(group[sm]) in groups:
            first[sm * places + taken[sm]] = block
            taken[sm] += 1
    rest = np.arange(len(sms), total, dtype=np.int64)
    part = int(taken.sum()) / len(sms)
    if part < 1.0:
        rest = rest[np.linspace(0, len(rest) - 1, round(len(rest) * part)).astype(np.int64)]
    return first, rest, (int(taken.sum()) + len(rest)) / total


def _work(streams: Streams, shape: Shape) -> st.Work:
    batches = count_batches(streams, shape.waits)
    between = (shape.work / np.maximum(batches, 1)).astype(np.int64)
    return st.Work(
        streams.base, streams.info, streams.stored, streams.shift, streams.rounds,
        streams.first_round, streams.shifts, streams.template, streams.steps, shape.waits,
        between,
    )  # fmt: skip


def _local_stride(streams: Streams, shape: Shape) -> int:
    """Bytes of local memory a block, 0 when the launch touches none."""
    return shape.local_bytes if bool((streams.shift == LOCAL_SHIFT).any()) else 0


def _state(machine: Machine, shape: Shape, streams: Streams, mapped: bool) -> st.State:
    sms, places = machine.layout.sm_count, machine.layout.sm_count * shape.blocks_per_sm
    groups = len(set(machine.layout.groups))
    ways = machine.l2_bytes // LINE_BYTES // L2_WAYS * L2_WAYS
    lines = shape.global_end // LINE_BYTES + 2
    lines += places * _local_stride(streams, shape) // LINE_BYTES
    kept = lines if mapped else 1

    def asked(value: int) -> Ints:
        return np.full((groups, COALESCER_ENTRIES), value, np.int64)

    def zeros(count: int) -> Ints:
        return np.zeros(count, np.int64)

    return st.State(
        l1=make_entries(sms, machine.l1_bytes // LINE_BYTES // L1_WAYS, L1_WAYS),
        l2=make_entries(1, ways // L2_WAYS, L2_WAYS),
        used=zeros(ways),
        clock=zeros(1),
        dirty=np.zeros(ways, np.uint8),
        written=np.zeros(ways * 4, np.uint8),
        map=np.zeros(kept, np.uint8),
        map_written=np.zeros(kept * 4, np.uint8),
        asked_key=asked(-1),
        asked_at=asked(0),
        window_at=asked(0),
        served_at=asked(0),
        asked_count=asked(0),
        flight_line=zeros(FLIGHTS) - 1,
        flight_until=zeros(FLIGHTS),
        group=machine.layout.group_of_sm(),
        sm_free=zeros(sms),
        slot_block=zeros(places),
        slot_round=zeros(places),
        slot_waits=zeros(places),
        shifted=np.zeros((places, len(streams.shifts)), np.int64),
        heap_time=zeros(2 * places + 1),
        heap_slot=zeros(2 * places + 1),
    )


def _limits(machine: Machine, shape: Shape, streams: Streams, mapped: bool) -> st.Limits:
    resident = min(shape.blocks_per_sm, -(-len(streams.template) // machine.layout.sm_count))
    return st.Limits(
        l1_sets=machine.l1_bytes // LINE_BYTES // L1_WAYS,
        l1_ways=L1_WAYS,
        l2_sets=machine.l2_bytes // LINE_BYTES // L2_WAYS,
        l2_ways=L2_WAYS,
        dirty_ways=max(1, round(L2_WAYS * machine.dirty_bytes / machine.l2_bytes)),
        mapped=int(mapped),
        global_lines=shape.global_end // LINE_BYTES + 2,
        merge_most=machine.merge_most,
        merge_window=machine.merge_window,
        merge_long_window=machine.merge_long_window,
        merge_long_percent=machine.merge_long_percent,
        miss_short_window=machine.miss_short_window,
        miss_short_percent=machine.miss_short_percent,
        miss_window_from=machine.miss_window_from,
        miss_window_to=machine.miss_window_to,
        l1_latency=machine.l1_latency,
        l2_latency=machine.l2_latency,
        l2_spread=machine.l2_spread,
        dram_latency=machine.dram_latency,
        request_gap=REQUEST_GAP,
        start_gap=BLOCK_START,
        lateness=machine.lateness + machine.lateness_each * (resident - 1),
        lateness_share=machine.lateness_share * resident,
        local_stride=_local_stride(streams, shape),
    )


def _run(
    work: st.Work, state: st.State, limits: st.Limits, shape: Shape, first: Ints, rest: Ints,
    by_instruction: Ints,
) -> dict[str, float]:  # fmt: skip
    """One launch: L1 starts empty, L2 as the state has it."""
    state.l1[:] = EMPTY
    state.asked_key[:] = -1
    state.flight_line[:] = -1
    state.sm_free[:] = 0
    totals = np.zeros(len(st.TOTALS), np.int64)
    run_launch(work, state, limits, shape.blocks_per_sm, first, rest, by_instruction, totals)
    return dict(zip(st.TOTALS, totals.astype(float).tolist(), strict=True))


def _scaled(counts: Mapping[str, float], share: float) -> dict[str, float]:
    return {name: value if name == "cycles" else value / share for name, value in counts.items()}


def _all_hits(cold: Mapping[str, float]) -> dict[str, float]:
    """The launch again when everything is in L2: no more than that changes."""
    warm = dict(cold)
    warm["l2_read_hits"] = cold["l2_read_sectors"]
    warm["l2_atomic_hits"] = cold["l2_atomic_sectors"]
    warm["dram_read_sectors"] = warm["dram_fill_sectors"] = warm["dram_write_sectors"] = 0.0
    return warm
