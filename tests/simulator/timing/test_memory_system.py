"""Do the parts that all SMs share, and those a launch begins without, cost what they should?"""

from __future__ import annotations

import numpy as np
import pytest
from sources import cycles, cycles_a_trip, idle, program, run_model, two_lines

from simulator.timing.crowding import (
    Merging,
    by_chance,
    crowd_of,
    merged_of,
    part_fetched,
    repeats_of,
)
from simulator.timing.opcodes import pipe_of
from simulator.timing.parameters import load_parameters
from simulator.timing.requests import COST, R_LINES, REQUEST
from simulator.timing.slices import slices_of
from simulator.timing.stalls import CONSTANT_MISS, DRAIN, LONG_SCOREBOARD, NO_INSTRUCTION
from simulator.timing.state import (
    DRAM_BUSY,
    L2_ASKED,
    L2_BUSY,
    LINES_STORED,
    STORE_BUSY,
    STORED_SENT,
)
from simulator.timing.stores import can_join

SMS = 132
H200 = load_parameters("h200")
SLICES = H200.slices


def test_reductions_of_all_sms_to_one_word_take_their_turn() -> None:
    """Every lane adds to the same word: 32 passes a request, one after another in one slice."""
    trip = cycles_a_trip("reduce", 20, 60, p=0, grid=SMS)
    assert trip == pytest.approx(32 * SMS * H200["timing_atomic_slice_part_cycles"], rel=0.05)


def test_a_pass_over_a_whole_sector_is_cheaper_than_eight() -> None:
    whole = cycles_a_trip("reduce", 20, 60, p=1, grid=SMS)
    assert whole == pytest.approx(4 * SMS * H200["timing_atomic_slice_cycles"], rel=0.05)


def test_reductions_of_one_sm_are_not_held_by_the_others() -> None:
    assert cycles_a_trip("reduce", 20, 60, p=1) < cycles_a_trip("reduce", 20, 60, p=1, grid=SMS) / 9


def test_a_copy_past_l1_is_waited_for_as_long_as_l2_takes() -> None:
    trip = cycles_a_trip("copies", 4, 12)
    assert H200["l2_hit_latency_cycles"] < trip < H200["l2_hit_latency_cycles"] + 120
    assert run_model("copies", 8).stalls[:, LONG_SCOREBOARD].sum() > 0


def test_a_copy_that_moves_halves_of_sectors_asks_l2_more_often() -> None:
    """16 bytes on, each line's halves move up, down, or into the next line: three requests that
    bring eight sectors instead of four."""
    straight, moved = (run_model("copies", 4, p=p, grid=SMS).flows[L2_BUSY] for p in (0, 16))
    assert moved == pytest.approx(2 * straight)


def test_a_group_of_copies_is_waited_for_when_another_is_open() -> None:
    """Two stages: each trip waits for the group before the last, which has had a trip's time."""
    one, two = (cycles_a_trip(name, 4, 12) for name in ("copies", "staged_copies"))
    assert one / 2 < two + 20 < one


def test_a_warp_ends_when_its_stores_have_left() -> None:
    assert run_model("stream", 8192, p=2, threads=1024).stalls[:, DRAIN].sum() > 0


def test_code_is_fetched_once_and_only_when_caches_are_cold() -> None:
    cold, warm = (run_model("chain", 4, state=state) for state in ("cold", "warm"))
    fetched = cold.stalls[:, NO_INSTRUCTION].sum()
    assert fetched == pytest.approx(H200["timing_code_first_cycles"], rel=0.1)
    assert warm.stalls[:, NO_INSTRUCTION].sum() <= H200["timing_code_jump_cycles"]  # to L0


def test_a_line_of_constants_is_missed_once() -> None:
    one, many = (run_model("chain", n).stalls[:, CONSTANT_MISS].sum() for n in (4, 40))
    assert one == many > 0


def test_requests_of_loads_and_stores_share_the_ways_to_l2() -> None:
    """What loads bring comes another way: a line costs its request, less than its four sectors."""
    n = 2 * SMS * 1024 * 8
    times = {p: cycles("stream", n, p=p, grid=2 * SMS, threads=1024) for p in (1, 2, 3)}
    assert 1.05 * max(times[1], times[2]) < times[3] < times[2] + 0.5 * times[1]


def test_what_comes_from_dram_and_stores_share_the_slices_of_l2() -> None:
    n = 2 * SMS * 1024 * 8
    stored = run_model("stream", n, p=2, grid=2 * SMS, threads=1024).flows[L2_ASKED]
    options = {"p": 1, "grid": 2 * SMS, "threads": 1024}
    for state, part in (("cold", H200["timing_l2_fill_share"]), ("warm", 0.0)):
        fetched = run_model("stream", n, state=state, **options).flows[L2_ASKED]
        assert fetched == pytest.approx(part * stored, rel=0.01)


def test_dram_sends_two_sectors_at_a_time() -> None:
    near, far = (
        cycles("sectors", 64, p=p, state="cold") - cycles("sectors", 64, p=p, state="warm")
        for p in (1, 2)
    )
    assert near == pytest.approx(far / 2, rel=0.1)


def test_matrix_products_lower_the_clock_where_that_is_known() -> None:
    kernel = program("products").kernel
    assert H200.for_code(kernel).clock_hz == H200["clock_tensor_hz"] < H200.clock_hz
    assert H200.for_code(program("chain").kernel).clock_hz == H200.clock_hz
    other = load_parameters("rtx4090")
    assert other.for_code(kernel).clock_hz == other.clock_hz


def test_a_matrix_product_takes_its_pipe_for_six_cycles() -> None:
    trip = cycles_a_trip("products", 4, 12, threads=1024)
    assert 8 * 16 * 6 <= trip <= 8 * 16 * 6 * 1.3


def test_neighbouring_lines_share_few_slices() -> None:
    """As measured: two lines one slice, a KiB two, 256 lines at most 32, a megabyte all."""
    counts = [len(np.unique(slices_of(np.arange(n), 96, 32))) for n in (2, 8, 256, 8192)]
    assert counts == [1, 2, 32, 96]


def test_strides_do_not_meet() -> None:
    for stride in (8, 16, 32, 64):
        assert len(np.unique(slices_of(np.arange(16) * stride, 96, 32))) == 16


def _crowd(count: int, shared: float, atomic: bool) -> float:
    """How crowded neighbouring lines are that one instruction touches."""
    lines, kind = np.arange(count, dtype=np.int64), np.zeros(count, np.int32)
    touched, is_atomic = np.ones((1, count), np.bool_), np.array([atomic])
    part = np.full(count, shared, np.float32)
    found = crowd_of(lines, kind, touched, is_atomic, np.ones(1), part, SLICES)
    assert (found == found[0]).all()
    return float(found[0])


def test_only_shared_lines_crowd_a_slice() -> None:
    assert _crowd(2, 0.0, atomic=True) == pytest.approx(1.0)
    assert _crowd(2, 1.0, atomic=True) == pytest.approx(96.0)
    assert _crowd(2, 1.0, atomic=False) == pytest.approx(75.0, abs=0.2)


def test_many_lines_crowd_only_atomics() -> None:
    """Loads have the rate that was measured of many lines."""
    assert _crowd(1 << 14, 1.0, atomic=True) == pytest.approx(1 / 0.78, abs=0.1)
    assert _crowd(1 << 14, 1.0, atomic=False) == pytest.approx(1.0, abs=0.1)


def test_lines_that_another_instruction_touched_first_count_too() -> None:
    """An instruction that comes to all lines, but first only to two of them."""
    lines, kind = np.arange(256, dtype=np.int64), np.array([0, 0] + [1] * 254, np.int32)
    atomic, shared = np.zeros(2, np.bool_), np.ones(256, np.float32)
    touched = np.ones((2, 256), np.bool_)
    found = crowd_of(lines, kind, touched, atomic, np.ones(2), shared, SLICES)
    assert found == pytest.approx(np.full(256, found[255]))


def test_reads_are_merged_when_they_come_together_in_order() -> None:
    share = np.full(3, 1 / SMS, np.float32)
    ordered, apart = np.array([True, True, False]), np.array([10.0, 1000.0, 10.0])
    merged = merged_of(Merging(4, 8, 45), ordered, apart, share)
    assert merged[[0, 2]].tolist() == [4, 1]
    assert merged[1] == pytest.approx(1 + (SMS / 8 - 1) * 45 / 1000)


def test_the_more_sms_share_a_line_the_more_of_its_reads_come_together() -> None:
    few, many = (
        merged_of(
            Merging(4, 8, 45), np.array([True]), np.array([500.0]), np.array([part], np.float32)
        )
        for part in (1 / 16, 1 / SMS)
    )
    assert 1 < few[0] < 1.1
    assert 2 < many[0] < 4


def test_sms_touch_no_more_than_the_buffers_hold() -> None:
    lines = np.arange(4096, dtype=np.int64)
    share, sectors = np.ones(4096, np.float32), np.full(4096, 4)
    spans = np.array([[0, 4096 * 128]])
    held, fetched = part_fetched(lines, sectors, share, spans, 4, 1 << 30)
    assert held == pytest.approx(0.25)
    assert fetched == pytest.approx(0.25)
    assert by_chance(lines, held).mean() == pytest.approx(0.25, abs=0.03)
    held, _ = part_fetched(lines, sectors, share, spans, 1, 1 << 30)
    assert held == pytest.approx(1.0)


def test_l2_does_not_hold_all_of_a_larger_buffer() -> None:
    """Four SMs' random rows of half a MiB, of which L2 has room for an eighth."""
    lines = np.arange(4096, dtype=np.int64)
    share, sectors = np.ones(4096, np.float32), np.full(4096, 4)
    spans = np.array([[0, 4096 * 128]])
    held, fetched = part_fetched(lines, sectors, share, spans, 4, 4096 * 16)
    assert held == pytest.approx(0.25)
    assert fetched == pytest.approx(7 / 8)


def packets(**options: int) -> int:
    """Packets of stores that the SM sends to L2."""
    sm = run_model("thirds", 4096 * SMS, **options)
    sectors = 32 * options["grid"] / (H200["l2_write_bytes_per_second"] / H200.clock_hz)
    return round(sm.flows[STORE_BUSY] / sectors)


def test_stores_join_the_warps_store_before_while_that_waits() -> None:
    """Three stores of a third of the same sectors: 12 sectors in 3 or 4 lines, each with a mask."""
    assert packets(p=3, grid=1, threads=32) == 12 + 3
    crowd = packets(p=3, grid=SMS, threads=1024)
    assert 32 * (12 + 3) <= crowd < 0.6 * 32 * 3 * (12 + 3)
    assert packets(p=1, grid=1, threads=32) <= 12 + 4


@pytest.mark.parametrize(
    ("lines", "between", "joins"), [(4, 24, True), (4, 32, False), (16, 0, True), (20, 0, False)]
)
def test_a_store_joins_none_that_lies_too_many_lines_back(
    lines: int, between: int, joins: bool
) -> None:
    """At most 32 lines of the SM's stores, both included; and none that has left."""
    sm, rates = idle()
    costs, requests = np.zeros((1, COST), np.int32), np.zeros((1, REQUEST), np.int32)
    costs[0, R_LINES] = lines
    streams = two_lines()._replace(costs=costs, requests=requests)
    sm.slots[0, STORED_SENT] = 100
    sm.clock[LINES_STORED] = lines + between
    assert can_join(sm, streams, rates, 0, 0, 99) == joins
    assert not can_join(sm, streams, rates, 0, 0, 100)


def test_what_was_just_stored_is_not_fetched() -> None:
    fetched = [
        run_model("written_and_read", 4096, p=p, threads=128, state="cold").flows[DRAM_BUSY]
        for p in (1, 2, 3)
    ]
    assert fetched[0] == fetched[2] == 0 < fetched[1]


@pytest.mark.parametrize(("device", "cycles_each"), [("a100_80", 8), ("rtx4090", 32), ("h200", 6)])
def test_a_matrix_product_takes_what_its_gpu_needs(device: str, cycles_each: int) -> None:
    code = program("products").kernel.instructions
    product = next(i for i in code if i.opcode == "HMMA")
    assert load_parameters(device).interval(product, pipe_of(product)) == cycles_each


def test_floats_wait_for_the_sum_before_where_few_sectors_are_added_to() -> None:
    """One sector of one line; four of one line, which take turns; one of lines in two slices."""
    one, four = np.ones(1, np.int64), np.full(1, 4, np.int64)
    assert repeats_of(one, np.zeros(1, np.int64), SLICES, 2.4) == pytest.approx(2.4)
    assert repeats_of(four, np.zeros(1, np.int64), SLICES, 2.4) == 1.0
    apart = np.array([0, 8], np.int64)
    assert repeats_of(np.ones(2, np.int64), apart, SLICES, 2.4) == pytest.approx(2.4)
