"""A launch through the caches of a machine, with L2 empty and with L2 as the launch left it.

Where a launch costs more than ``DETAILED_COST``, less of it is simulated and the counts scaled. If
its buffers fit into L2, some of the groups of SMs with their share of the blocks; where one group
costs more than that, also fewer blocks after its first ones. What the other blocks load is still
taken into account for DRAM, sector by sector. If they do not fit, all SMs with the launch's first
blocks, and the later ones like the later half of these. Of long loops only the first part may have
been recorded (``Parts``): then L2 is smaller by as much.

On a GPU the reads of L2 of one small launch are a few percent more or less each time, of some a
tenth: what is predicted is the mean of several tries.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from math import ceil

import numpy as np
from numpy.typing import NDArray

from simulator.device.structure import LINE_BYTES, SECTOR_BYTES
from simulator.jit.placing import placed
from simulator.memory.caches import state as st
from simulator.memory.caches.footprint import mark_footprint
from simulator.memory.caches.l1 import COUNTS, empty_l1, make_l1
from simulator.memory.caches.lru import make_entries
from simulator.memory.caches.machine import Machine
from simulator.memory.caches.placement import first_wave
from simulator.memory.caches.scaling import Parts, scale
from simulator.memory.caches.simulate import run_launch
from simulator.memory.caches.streams import LOCAL_SHIFT, Streams
from simulator.memory.caches.work import Shape, make_work

Ints = NDArray[np.int64]

COALESCER_ENTRIES = 1 << 13
FLIGHTS = 1 << 15
COMING = 1 << 8
IN_BOTH = 0xFF  # all sectors of a line, in both partitions
# What is simulated in detail at most, in items, and what it costs to go on with a batch.
DETAILED_COST, BATCH_COST = 16_000_000, 6
# A small launch is tried several times, until so many items were simulated.
TRIED_ITEMS, MOST_TRIES = 600_000, 8


@dataclass(frozen=True)
class CacheCounts:
    """What the caches counted; ``share`` of the launch was simulated in detail.

    ``cold`` and ``warm`` map ``state.TOTALS`` to sectors of the whole launch.
    """

    cold: Mapping[str, float]
    warm: Mapping[str, float]
    share: float


def predict(
    streams: Streams,
    machine: Machine,
    shape: Shape,
    parts: Parts | None = None,
    most_tries: int = MOST_TRIES,
) -> CacheCounts:
    """Simulate a launch; see :class:`CacheCounts`. ``parts`` of it are in the streams; a small one
    is tried ``most_tries`` times."""
    parts = parts or Parts()
    shared = shape.blocks_per_sm > 1 and len(streams.template) > machine.layout.sm_count
    work = make_work(streams, shape, machine.jitter, shared)
    cost = _cost(streams, work)
    mapped = _is_mapped(streams, machine, shape, cost)
    machine = machine.shrunk(parts.loads)
    groups, most = _chosen_groups(cost, len(streams.template), machine, mapped)
    first, rest, share = _seat_blocks(streams, machine, shape, groups, most, mapped)
    if mapped:  # the groups of SMs that are left out have their part of them
        machine = replace(machine, unfinished_lines=ceil(machine.unfinished_lines * share))
    limits = _limits(machine, shape, streams, mapped)
    tries = min(most_tries, _tries(streams)) if mapped else 1
    states = [_state(machine, shape, streams, first, mapped) for _ in range(2 if mapped else 1)]
    runs = [
        partial(_try_often, work, state, limits, shape, first, rest, tries, sectors)
        for state, sectors in zip((states * 2)[:2], (0, IN_BOTH), strict=True)
    ]
    with ThreadPoolExecutor(len(states)) as pool:  # one at a time where the warm one comes after
        found = list(pool.map(lambda run: run(), runs))
    cold, warm = (scale(ended, halfway, share, parts, mapped) for ended, halfway in found)
    if mapped and min(share, parts.loads) < 1.0:
        brought = cold["dram_read_sectors"]
        if share < 1.0:
            brought = mark_footprint(streams, states[0].map, limits) / parts.loads
        cold |= _with_dram_reads(cold, min(brought, shape.global_bytes / SECTOR_BYTES))
    if mapped:
        warm = _all_hits(warm)
    return CacheCounts(cold, warm, share * parts.loads)


def _cost(streams: Streams, work: st.Work) -> int:
    """What it takes to simulate all blocks."""
    length = np.diff(streams.rounds[streams.first_round[:-1]], append=len(streams.base))
    units = len(work.busy) // len(length)
    batches = work.batches.reshape(-1, units).sum(1)
    return int((length + BATCH_COST * batches)[streams.template].sum())


def _is_mapped(streams: Streams, machine: Machine, shape: Shape, cost: int) -> bool:
    """Whether all stays in L2. Local memory counts, unless the blocks that run at once, none of
    which could be left out, are too much to simulate (kilobytes of spills a thread)."""
    total = len(streams.template)
    at_once = min(1.0, machine.layout.sm_count * shape.blocks_per_sm / total) * cost
    local = _local_bytes(streams, machine, shape) if at_once <= DETAILED_COST else 0
    return machine.holds(shape.global_bytes + local)


def _chosen_groups(cost: int, total: int, machine: Machine, mapped: bool) -> tuple[set[int], int]:
    """The groups of SMs to simulate of ``total`` blocks that take ``cost``, and how many blocks if
    that is too much for one of them."""
    groups = sorted(set(machine.layout.groups))
    if cost <= DETAILED_COST:
        return set(groups), total
    if not mapped or len(groups) == 1:
        return set(groups), total * DETAILED_COST // cost
    wanted = len(groups) * DETAILED_COST // cost
    if wanted == 0:
        return {groups[len(groups) // 2]}, total * DETAILED_COST // cost
    return {groups[(2 * n + 1) * len(groups) // (2 * wanted)] for n in range(wanted)}, total


def _seat_blocks(
    streams: Streams, machine: Machine, shape: Shape, groups: set[int], most: int, mapped: bool
) -> tuple[Ints, Ints, float]:
    """Blocks that start at each place, those that follow, and the share of all blocks.

    ``most`` blocks are wanted at most, but all that start in the groups, and as many again if they
    are to tell what later ones do to a full L2.
    """
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
        count = min(round(len(rest) * part), max(0, most - int(taken.sum())))
        rest = rest[np.linspace(0, len(rest) - 1, count).astype(np.int64)]
    elif not mapped:
        rest = rest[: max(most - len(sms), len(sms))]
    elif most < total:
        rest = rest[: max(0, most - len(sms))]
    return first, rest, (int(taken.sum()) + len(rest)) / total


def _local_stride(streams: Streams, shape: Shape) -> int:
    """Bytes of local memory a block, 0 when the launch touches none."""
    return shape.local_bytes if bool((streams.shift == LOCAL_SHIFT).any()) else 0


def _local_bytes(streams: Streams, machine: Machine, shape: Shape) -> int:
    """Bytes of local memory of all blocks that run at once."""
    blocks = min(machine.layout.sm_count * shape.blocks_per_sm, len(streams.template))
    return blocks * _local_stride(streams, shape)


def _state(machine: Machine, shape: Shape, streams: Streams, first: Ints, mapped: bool) -> st.State:
    sms, places = machine.layout.sm_count, machine.layout.sm_count * shape.blocks_per_sm
    groups = len(set(machine.layout.groups))
    parts, lines = machine.l2_parts, _lines(machine, shape, streams)
    sets, of_part = _sets(machine), _sets(machine) * machine.l2_ways
    kept = lines if mapped else 1
    where = np.repeat(np.arange(parts, dtype=np.int32) * of_part, 1 if mapped else lines)
    entries = COALESCER_ENTRIES if machine.merge_most > 1 else 1

    def zeros(count: int) -> Ints:
        return np.zeros(count, np.int64)

    state = st.State(
        l1=make_l1(sms),
        l1_counts=np.zeros((sms, int(COUNTS)), np.int64),
        l2=make_entries(parts * sets, machine.l2_ways),
        clock=zeros(2),
        where=where,
        dirty=np.zeros(parts * of_part, np.uint8),
        written=np.zeros(parts * of_part * 4, np.uint8),
        map=np.zeros(kept, np.uint8),
        map_written=np.zeros(kept * 4, np.uint8),
        unfinished=np.zeros(lines, np.uint8),
        queue=zeros(max(1, machine.unfinished_lines)),
        windows=machine.miss_windows(),
        asked=np.full((groups, entries, 8), -1, np.int64),
        flight=np.full((FLIGHTS, 2), -1, np.int64),
        coming=np.full((sms, COMING, 2), -1, np.int64),
        group=machine.layout.group_of_sm(),
        side=machine.sides(),
        distance=machine.distances(),
        late=machine.lateness(first.reshape(sms, -1).max(1) >= 0),
        sm_until=zeros(sms),
        sm_serves=zeros(sms),
        left=zeros(places),
        block=zeros(places),
        waits=zeros(places),
        slots=np.zeros((places * shape.units, st.UNIT_COLUMNS), np.int64),
        shifted=np.zeros((places, len(streams.shifts)), np.int64),
        heap=zeros(2 * places * shape.units + 1),
    )
    return placed(state)


def _sets(machine: Machine) -> int:
    """Sets of each partition of L2."""
    return machine.l2_bytes // machine.l2_parts // LINE_BYTES // machine.l2_ways


def _global_lines(shape: Shape) -> int:
    return shape.global_end // LINE_BYTES + 2


def _lines(machine: Machine, shape: Shape, streams: Streams) -> int:
    """Lines of global memory and of all local memory."""
    places = machine.layout.sm_count * shape.blocks_per_sm
    return _global_lines(shape) + places * _local_stride(streams, shape) // LINE_BYTES


def _limits(machine: Machine, shape: Shape, streams: Streams, mapped: bool) -> st.Limits:
    return st.Limits(
        l1_lines=machine.l1_bytes // LINE_BYTES,
        l2_sets=_sets(machine),
        l2_parts=machine.l2_parts,
        l2_far=machine.l2_far,
        l2_ways=machine.l2_ways,
        dirty_ways=max(1, round(machine.l2_ways * machine.dirty_bytes / machine.l2_bytes)),
        unfinished_lines=machine.unfinished_lines,
        mapped=int(mapped),
        global_lines=_global_lines(shape),
        lines=_lines(machine, shape, streams),
        merge_most=machine.merge_most,
        merge_lead=machine.merge_lead,
        merge_turn=machine.merge_turn,
        refresh_period=machine.refresh[0],
        refresh_busy=machine.refresh[1],
        refresh_parts=machine.refresh[2],
        refresh_phase=0,
        seed=0,
        l1_latency=machine.l1_latency,
        l2_latency=machine.l2_latency,
        l2_spread=machine.l2_spread,
        request_gap=machine.request_gap,
        launch_block=round(256 * machine.launch_block),
        launch_warp=round(256 * machine.launch_warp),
        relaunch=machine.relaunch,
        local_stride=_local_stride(streams, shape),
        units=shape.units,
        warps=shape.warps,
    )


def _tries(streams: Streams) -> int:
    """How often a launch is tried: a few reads in all are more or less by chance."""
    length = np.diff(streams.rounds[streams.first_round[:-1]], append=len(streams.base))
    return int(np.clip(TRIED_ITEMS // max(1, int(length[streams.template].sum())), 1, MOST_TRIES))


def _try_often(
    work: st.Work, state: st.State, limits: st.Limits, shape: Shape, first: Ints, rest: Ints,
    tries: int, sectors: int,
) -> tuple[Ints, Ints]:  # fmt: skip
    """Means of several launches, each at another time of DRAM's refresh and with other jitter.

    Where everything fits into L2, it has ``sectors`` of every line before each.
    """
    found = []
    for number in range(tries):
        if limits.mapped:
            state.map[:], state.map_written[:], state.unfinished[:] = sectors, 0, 0
            state.clock[st.QUEUED] = 0
        now = limits._replace(seed=number, refresh_phase=number * limits.refresh_period // tries)
        found.append(_run(work, state, now, shape, first, rest))
    totals, halfway = np.rint(np.mean(found, axis=0)).astype(np.int64)
    return totals, halfway


def _run(
    work: st.Work, state: st.State, limits: st.Limits, shape: Shape, first: Ints, rest: Ints
) -> tuple[Ints, Ints]:  # fmt: skip
    """One launch: L1 starts empty, L2 as the state has it. The totals, and what they were when half
    of the blocks that follow others had come."""
    empty_l1(state.l1, state.l1_counts)
    for entries in (state.asked, state.flight, state.coming):
        entries[:] = -1
    state.sm_until[:] = 0
    state.sm_serves[:] = -1
    state.waits[:] = 0
    state.slots[:] = 0
    totals, halfway = (np.zeros(len(st.TOTALS), np.int64) for _ in range(2))
    run_launch(work, state, limits, shape.blocks_per_sm, first, rest, totals, halfway)
    return totals, halfway


def _with_dram_reads(counts: Mapping[str, float], sectors: float) -> dict[str, float]:
    """Reads when DRAM delivers so many sectors, and with each miss as many as it was seen to."""
    missed = counts["l2_read_sectors"] - counts["l2_read_hits"]
    missed *= sectors / max(counts["dram_read_sectors"], 1.0)
    return {
        "dram_read_sectors": sectors,
        "l2_read_hits": max(0.0, counts["l2_read_sectors"] - missed),
    }


def _all_hits(cold: Mapping[str, float]) -> dict[str, float]:
    """The launch again when everything is in L2: no more than that changes."""
    warm = dict(cold)
    warm["l2_read_hits"] = cold["l2_read_sectors"]
    warm["l2_atomic_hits"] = cold["l2_atomic_sectors"]
    warm["dram_read_sectors"] = warm["dram_fill_sectors"] = warm["dram_write_sectors"] = 0.0
    return warm
