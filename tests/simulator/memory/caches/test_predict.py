"""A launch through the caches: what must hold whatever it does, and small cases by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from launches import (
    ATOMIC,
    LANES,
    LOAD,
    LOCAL_LOAD,
    LOCAL_STORE,
    NARROW_STORE,
    STORE,
    event,
    make_machine,
    record,
    run,
)  # fmt: skip

from simulator.events import Events
from simulator.memory.caches.placement import Layout

_OPERATIONS = st.sampled_from([LOAD, STORE, ATOMIC, NARROW_STORE])
_REQUESTS = st.lists(
    st.tuples(_OPERATIONS, st.integers(0, 255), st.sampled_from([4, 8, 32, 128])), max_size=12
)
_LAUNCHES = st.lists(_REQUESTS, min_size=1, max_size=12)


def _events(launch: list[list[tuple[int, int, int]]]) -> list[Events]:
    return [
        event(operation, start * 128 + LANES * step, block, warp % 3)
        for block, requests in enumerate(launch)
        for warp, (operation, start, step) in enumerate(requests)
    ] or [event(LOAD, LANES * 4)]


def _sectors(events: list[Events], *operations: int) -> list[set[int]]:
    found = []
    for row in events:
        if int(row["instruction"][0]) in operations:
            found.append(set((row["addresses"][0].astype(int) // 32).tolist()))
    return found


@settings(deadline=None, max_examples=60)
@given(_LAUNCHES, st.booleans(), st.booleans())
def test_sectors_are_conserved(
    launch: list[list[tuple[int, int, int]]], fits: bool, barriers: bool
) -> None:
    events = _events(launch)
    machine = make_machine()
    counts = run(record(events), len(launch), machine, 1 << 15 if fits else 1 << 21, barriers)
    for totals in (counts.cold, counts.warm):
        asked = sum(map(len, _sectors(events, LOAD)))
        assert totals["load_sectors"] == asked
        assert totals["load_hits"] + totals["reads_asked"] == asked
        assert totals["l2_read_sectors"] <= totals["reads_asked"] <= 4 * totals["l2_read_sectors"]
        stored = sum(map(len, _sectors(events, STORE, NARROW_STORE)))
        assert totals["store_sectors"] == totals["l2_write_sectors"] == stored
        assert totals["l2_atomic_sectors"] == sum(map(len, _sectors(events, ATOMIC)))
        hits = totals["l2_read_hits"] + totals["l2_atomic_hits"]
        missed = totals["l2_read_sectors"] + totals["l2_atomic_sectors"] - hits
        assert missed <= totals["dram_read_sectors"] <= 2 * missed  # 64 bytes at a time


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 200), min_size=1, max_size=40))
def test_cold_dram_reads_are_the_sectors_loaded(lines: list[int]) -> None:
    events = [event(LOAD, line * 128 + LANES * 4, block) for block, line in enumerate(lines)]
    counts = run(record(events), len(lines), make_machine())
    assert counts.cold["dram_read_sectors"] == 4 * len(set(lines))
    assert counts.warm["dram_read_sectors"] == 0


def test_a_small_l2_that_is_simulated_agrees_with_one_that_holds_everything() -> None:
    events = [event(LOAD, n % 7 * 128 + LANES * 4, n) for n in range(40)]
    held = run(record(events), 40, make_machine())
    simulated = run(record(events), 40, make_machine(), 1 << 21)
    assert held.cold == simulated.cold
    assert simulated.warm["dram_read_sectors"] == 0


def test_a_footprint_beyond_l2_comes_from_dram_again() -> None:
    lines = [*range(1024)] * 2  # 128 KiB, twice, through 64 KiB
    events = [event(LOAD, line * 128 + LANES * 4) for line in lines]
    counts = run(record(events), 1, make_machine(), 1 << 21)
    assert counts.cold["dram_read_sectors"] == 4 * len(lines)
    assert counts.warm["dram_read_sectors"] == 4 * len(lines)


def test_loads_of_one_group_of_sms_reach_l2_as_one() -> None:
    """Blocks 0 and 1 run on the SMs of one group, 2 and 3 on those of the other."""
    events = [event(LOAD, LANES * 4, block) for block in range(4)]
    assert run(record(events), 4, make_machine()).cold["l2_read_sectors"] == 8
    alone = run(record(events), 4, make_machine(merge_most=1)).cold
    assert alone["l2_read_sectors"] == alone["reads_asked"] == 16


# Four SMs of one group, the second pair 200 cycles behind the first.
_LATE: dict[str, Any] = {
    "layout": Layout((4,), (0,), returns=()),
    "sm_late": (0, 0, 200, 200),
}


def test_a_read_is_joined_while_it_is_on_its_way() -> None:
    """As two SMs of an NVIDIA H200 showed it: to DRAM for some hundred cycles, to L2 for a few."""
    events = [event(LOAD, LANES * 4, block) for block in range(4)]
    for window, cold in ((300, 4), (150, 8)):
        counts = run(record(events), 4, make_machine(**_LATE, miss_window=(window, window, 100)))
        assert counts.cold["l2_read_sectors"] == cold
        assert counts.warm["l2_read_sectors"] == 8  # 60 cycles: the second pair is too late
    near = make_machine(**{**_LATE, "sm_late": (0, 0, 40, 40)})
    assert run(record(events), 4, near).warm["l2_read_sectors"] == 4


def test_a_line_is_joined_no_longer_because_others_read_it_before() -> None:
    """The second load finds L1 full of other lines and its line in L2."""
    others = [64 * (block + 1) + n for block in range(4) for n in range(64)]
    events = [
        event(LOAD, line * 128 + LANES * 4, block)
        for block in range(4)
        for line in (0, *others[64 * block : 64 * block + 64], 0)
    ]
    counts = run(record(events), 4, make_machine(**_LATE), 1 << 15)
    # Two pairs of SMs, whose second loads may have drifted apart, but none joins the other pair's.
    assert 4 * (2 + 4 * 64 + 2) <= counts.warm["l2_read_sectors"] <= 4 * (2 + 4 * 64 + 4)


def test_a_nearer_sm_joins_a_read_that_was_dealt_with_before_its_request() -> None:
    """It asks a cycle later but its request is there earlier."""
    events = [event(LOAD, LANES * 4, block) for block in (0, 2)]
    machine = make_machine(
        layout=Layout((4,), (0,), returns=()), tpc_distance=(20, -20), sm_late=(0, 0, 1, 1)
    )
    for counts in (run(record(events), 4, machine).cold, run(record(events), 4, machine).warm):
        assert counts["reads_asked"] == 8
        assert counts["l2_read_sectors"] == 4


def test_an_older_block_is_not_kept_by_a_younger_ones_work() -> None:
    """Blocks 0 and 1 load the same lines; 0 shares its SM with block 2, which works 1,000 cycles in
    a row: to wait for their end, block 0 would be late for the reads of block 1."""
    events = [event(LOAD, 128 * line + LANES * 4, block) for block in (0, 1) for line in range(8)]
    events.append(event(LOAD, 128 * 64 + LANES * 4, 2))
    machine = make_machine(layout=Layout((2,), (0,), returns=()))
    assert run(record(events), 3, machine).cold["l2_read_sectors"] == 4 * (8 + 1)


def test_the_last_items_of_a_block_are_waited_for() -> None:
    """Sixteen lines, after which others get their turn, and nothing behind them."""
    for lines in (15, 16, 17, 32):
        counts = run(record([event(LOAD, LANES % lines * 128)]), 1, make_machine())
        assert counts.warm["cycles"] >= 280


def test_a_launch_is_tried_at_several_times_of_refresh() -> None:
    """A read waits for 4,000 of 8,000 cycles: means of tries that start evenly over them."""
    events = [event(LOAD, LANES * 4)]
    machine = make_machine(refresh=(8000, 4000, 1))
    free = run(record(events), 1, make_machine()).cold["cycles"]
    waits = [run(record(events), 1, machine, tries=n).cold["cycles"] - free for n in (1, 8)]
    assert waits[0] > 3000
    assert 700 < waits[1] < 1300  # a quarter of 4,000
    counts = [run(record(events), 1, machine, tries=n).cold for n in (1, 8)]
    assert counts[0]["load_sectors"] == counts[1]["load_sectors"] == 4


def test_where_fewer_sms_begin_they_are_less_late() -> None:
    machine = make_machine(**_LATE)
    assert machine.lateness(np.array([True] * 4)).tolist() == [0, 0, 200, 200]
    assert machine.lateness(np.array([True, False, True, False])).tolist() == [0, 0, 100, 100]


def test_dram_delivers_both_sectors_of_64_bytes() -> None:
    """The other one is in L2 then."""
    events = [event(LOAD, LANES * 0 + 32 * part) for part in (0, 1)]
    counts = run(record(events), 1, make_machine()).cold
    assert counts["dram_read_sectors"] == 2
    assert (counts["l2_read_sectors"], counts["l2_read_hits"]) == (2, 1)
    apart = [event(LOAD, LANES * 0 + 64 * part) for part in (0, 1)]
    assert run(record(apart), 1, make_machine()).cold["dram_read_sectors"] == 4


def test_parts_of_a_request_in_one_line_are_read_as_one() -> None:
    """Five sectors from the second of a line on: two lines, each of them one read for two SMs."""
    events = [event(LOAD, 32 + LANES * 5, block) for block in range(4)]
    counts = run(record(events), 4, make_machine())
    assert counts.warm["reads_asked"] == 4 * 5
    assert counts.warm["l2_read_sectors"] == 2 * 5


def test_work_goes_on_before_what_was_fetched_ahead() -> None:
    """It takes the longer of work and load instead of both."""
    events = [event(LOAD, line * 128 + LANES * 4) for line in range(20)]
    blocking = run(record(events), 1, make_machine()).warm["cycles"]
    ahead = run(record(events), 1, make_machine(), ahead=True).warm["cycles"]
    assert 0 < ahead < blocking - 19 * 40


def test_a_request_for_other_sectors_takes_the_line_over() -> None:
    """Two warps ask for the halves of a line; a late SM finds the second where it asks for one."""
    halves = [LANES % 16 * 4, 64 + LANES % 16 * 4]
    events = [event(LOAD, halves[warp], block, warp) for block in (0, 2) for warp in (0, 1)]
    machine = make_machine(**{**_LATE, "sm_late": (0, 0, 40, 40)})
    asked = run(record(events), 4, machine).cold
    assert asked["reads_asked"] == 8
    whole = [event(LOAD, LANES * 4, block) for block in (0, 2)]
    assert run(record(whole), 4, machine).cold["l2_read_sectors"] == 4
    assert asked["l2_read_sectors"] > 4


def test_sms_far_from_l2_take_longer() -> None:
    events = [event(LOAD, line * 128 + LANES * 4) for line in range(20)]
    near = run(record(events), 1, make_machine(l2_bytes=1 << 17)).warm["cycles"]
    far = run(record(events), 1, make_machine(l2_bytes=1 << 17, tpc_distance=(10,))).warm["cycles"]
    assert far - near == 20 * 10


def test_reads_of_a_part_of_dram_that_is_refreshed_wait_for_its_end() -> None:
    """Without they come after 430 and 220 cycles."""
    events = [event(LOAD, LANES * 4)]
    free = run(record(events), 1, make_machine())
    short = run(record(events), 1, make_machine(refresh=(10_000, 600, 1)))
    assert short.cold["cycles"] == free.cold["cycles"]
    held = run(record(events), 1, make_machine(refresh=(10_000, 1000, 1)))
    assert held.cold["cycles"] > free.cold["cycles"] + 250
    assert held.warm["cycles"] == free.warm["cycles"]


def test_lines_of_4_kib_are_near_or_far_together() -> None:
    """Eight lines at once are there when the farthest is: all of one part of memory, or not."""
    machine = make_machine(miss_window=(300, 300, 50, 500, 500, 50))
    cycles = [
        run(record([event(LOAD, first * 4096 + LANES % 8 * 128)]), 1, machine).cold["cycles"]
        for first in range(24)
    ]
    apart = [
        run(record([event(LOAD, first * 32768 + LANES % 8 * 4096)]), 1, machine).cold["cycles"]
        for first in range(4)
    ]
    assert max(cycles) - min(cycles) == 200
    assert cycles.count(min(cycles)) >= 6
    assert min(apart) > min(cycles) + 150


def test_a_refresh_comes_again_and_again_and_parts_take_turns() -> None:
    """Reads one by one come late in one part's turn, or in another's, but not in all."""
    events = [event(LOAD, line * 128 + LANES * 4) for line in range(20)]
    free = run(record(events), 1, make_machine(l2_bytes=1 << 17)).cold["cycles"]
    for parts in (1, 3):
        machine = make_machine(l2_bytes=1 << 17, refresh=(4_000, 800, parts))
        assert free < run(record(events), 1, machine).cold["cycles"] < free + 20 * 800 / 2


def test_warps_without_barriers_do_not_wait_for_each_other() -> None:
    """One warp makes a chain of loads, the others a single one."""
    events = [event(LOAD, n * 128 + LANES * 4) for n in range(20)]
    events += [event(LOAD, (40 + n) * 128 + LANES * 4, warp=1) for n in range(20)]
    together = run(record(events), 1, make_machine()).cold["cycles"]
    apart = run(record(events), 1, make_machine(), barriers=False).cold["cycles"]
    assert together > 0
    assert apart > 0
    assert apart != together


def test_what_was_stored_in_full_is_read_from_l1() -> None:
    whole = [event(STORE, LANES * 4), event(LOAD, LANES * 4)]
    assert run(record(whole), 1, make_machine()).cold["load_hits"] == 4
    bytes_only = [event(NARROW_STORE, LANES * 4), event(LOAD, LANES * 4)]
    counts = run(record(bytes_only), 1, make_machine()).cold
    assert counts["load_hits"] == 0
    assert counts["dram_read_sectors"] == 4


def test_words_that_several_stores_left_are_read_from_l1() -> None:
    """As of a row that starts between two sectors, whose warps each store a part of one."""
    halves = [event(STORE, LANES * 8), event(STORE, LANES * 8 + 4)]
    load = event(LOAD, LANES * 4)
    assert run(record([*halves, load]), 1, make_machine()).cold["load_hits"] == 4
    assert run(record([halves[0], load]), 1, make_machine()).cold["load_hits"] == 0
    assert (
        run(record([halves[0], event(LOAD, LANES * 8)]), 1, make_machine()).cold["load_hits"] == 8
    )


def test_dirty_lines_beyond_the_limit_go_to_dram() -> None:
    events = [event(STORE, line * 128 + LANES * 4) for line in range(1024)]
    counts = run(record(events), 1, make_machine(), 1 << 21)
    kept = 4 * 1024 - counts.cold["dram_write_sectors"]
    assert 0.8 * 1024 <= kept <= 1024  # 32 KiB are 1,024 sectors; sets fill unevenly
    assert counts.cold["dram_fill_sectors"] == 0


def test_sectors_stored_in_part_are_filled_from_dram_when_they_leave() -> None:
    events = [event(STORE, line * 1024 + LANES * 32) for line in range(1024)]
    counts = run(record(events), 1, make_machine(), 1 << 21).cold
    assert counts["dram_fill_sectors"] == counts["dram_write_sectors"] > 0


def test_stores_that_complete_a_sector_need_no_fill() -> None:
    events = [
        event(STORE, line * 1024 + LANES * 32 + 4 * word)
        for line in range(1024)
        for word in range(8)
    ]
    assert run(record(events), 1, make_machine(), 1 << 21).cold["dram_fill_sectors"] == 0


def test_local_memory_of_two_blocks_is_apart() -> None:
    zero = np.zeros(32, np.int64)
    events = [
        event(operation, zero, block)
        for block in range(8)
        for operation in (LOCAL_STORE, LOCAL_LOAD)
    ]
    counts = run(record(events), 8, make_machine()).cold
    assert counts["local_store_sectors"] == counts["local_load_hits"] == 8 * 4
    assert counts["dram_read_sectors"] == 0
