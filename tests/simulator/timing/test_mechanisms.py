"""Does each part of the modelled SM take the cycles it should, and no more?"""

from __future__ import annotations

import numpy as np
import pytest
from sources import cycles, cycles_a_trip, program, run_model

from simulator.emulator.launch import Launch
from simulator.isa.kernel import Control
from simulator.timing.lower import stall_cycles
from simulator.timing.predict import predict_time
from simulator.timing.stalls import BARRIER, LONG_SCOREBOARD, SHORT_SCOREBOARD
from simulator.timing.state import LAST_END

LOOP = (0, 16)  # cycles the loop itself may add to a trip: at most a compare and a taken branch


def test_dependent_multiply_adds_take_four_cycles_each() -> None:
    trip = cycles_a_trip("chain", 4, 12)
    assert 64 * 4 + LOOP[0] <= trip <= 64 * 4 + LOOP[1]


def test_four_warps_of_four_subcores_do_not_disturb_each_other() -> None:
    assert cycles_a_trip("chain", 4, 12, threads=128) == cycles_a_trip("chain", 4, 12)


def test_four_warps_of_one_subcore_fill_each_others_gaps() -> None:
    assert cycles_a_trip("chain", 4, 12, threads=512) <= 4 * (64 + 10)


def test_eight_warps_of_one_subcore_share_its_issue_slot() -> None:
    trip = cycles_a_trip("chain", 4, 12, threads=1024)
    assert 8 * 64 <= trip <= 8 * (64 + 10)


@pytest.mark.parametrize("degree", [1, 2, 4, 8, 16, 32])
def test_a_shared_load_takes_a_cycle_a_wavefront(degree: int) -> None:
    trip = cycles_a_trip("shared_loads", 4, 12, p=degree, threads=1024)
    loads = 8 * 32
    assert degree * loads * 0.99 <= trip <= degree * loads * 1.06 + LOOP[1]


def test_more_conflicts_are_never_faster() -> None:
    trips = [cycles("shared_loads", 8, p=p, threads=256) for p in (1, 2, 4, 8, 16, 32)]
    assert trips == sorted(trips)
    assert trips[-1] > 8 * trips[0]


def test_special_unit_takes_an_instruction_every_eight_cycles() -> None:
    trip = cycles_a_trip("special", 4, 12, threads=1024)
    assert 16 * 8 * 8 <= trip <= 16 * 8 * 8 * 1.05


def test_high_words_of_products_take_four_cycles_each() -> None:
    trip = cycles_a_trip("high_words", 4, 12, threads=1024)
    assert 8 * 16 * 4 <= trip <= 8 * 16 * 4 * 1.1


def test_barriers_take_longer_with_more_warps() -> None:
    trips = [cycles_a_trip("barriers", 8, 24, threads=t) for t in (32, 256, 1024)]
    assert trips == sorted(trips)
    assert trips[2] - trips[1] == pytest.approx(2 * 24, abs=4)  # two cycles an arrival
    assert run_model("barriers", 24, threads=1024).stalls[:, BARRIER].sum() > 0


def test_two_blocks_of_an_sm_overlap() -> None:
    one = cycles("chain", 40, grid=132)
    two = cycles("chain", 40, grid=264)
    assert two < 1.1 * one


def test_a_second_wave_comes_after_the_first() -> None:
    resident = 2 * 132  # 1024 threads: two blocks an SM
    one = cycles("chain", 8, grid=resident, threads=1024)
    two = cycles("chain", 8, grid=2 * resident, threads=1024)
    assert 1.8 * one < two < 2.3 * one


def test_cold_data_takes_longer_than_warm() -> None:
    warm = run_model("copy", 1 << 14, grid=64, threads=256)
    cold = run_model("copy", 1 << 14, grid=64, threads=256, state="cold")
    extra = cold.clock[LAST_END] - warm.clock[LAST_END]
    assert 500 < extra < 1000  # DRAM is 255 or 437 cycles further than L2, refreshed or not, and
    # code comes from there too; an address takes 120 to find
    assert cold.stalls[:, LONG_SCOREBOARD].sum() > warm.stalls[:, LONG_SCOREBOARD].sum()


def test_waiting_for_shared_memory_is_a_short_scoreboard() -> None:
    sm = run_model("special", 8)
    assert sm.stalls[:, SHORT_SCOREBOARD].sum() > 0
    assert sm.stalls[:, LONG_SCOREBOARD].sum() < 1000


@pytest.mark.parametrize(
    ("stall", "yields", "cycles_held"),
    [
        (1, False, 1),
        (1, True, 2),
        (4, True, 4),
        (11, False, 11),
        (13, True, 13),
        (13, False, 2),
        (0, True, 45),
    ],
)
def test_a_warp_that_yields_leaves_the_next_cycle_to_others(
    stall: int, yields: bool, cycles_held: int
) -> None:
    assert (
        stall_cycles(Control(stall, yields, None, None, 0, 0), longest=11, empty=45) == cycles_held
    )


@pytest.mark.parametrize(("scope", "least", "most"), [(0, 53, 150), (1, 231, 350), (2, 2945, 3100)])
def test_a_memory_barrier_takes_what_its_scope_does(scope: int, least: int, most: int) -> None:
    """The GPU's and the system's are followed by an ERRBAR, which holds its warp for 45 cycles."""
    trip = cycles_a_trip("fences", 4, 12, p=scope) - cycles_a_trip("fences", 4, 12, p=3)
    assert least <= trip <= most


def test_waiting_for_a_memory_barrier_is_called_so() -> None:
    arguments = (np.zeros(1 << 14, np.float32), np.int32(8), np.int32(1))
    launch = Launch(program("fences"), (1, 1, 1), (32, 1, 1), 0, arguments)
    stalls = predict_time(launch, "h200").warm.stalls
    assert max(stalls, key=lambda name: stalls[name]) == "membar"
