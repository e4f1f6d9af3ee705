"""Loads beside arithmetic, matrix products, copies and stores take an NVIDIA H200's cycles."""

from __future__ import annotations

import pytest
from test_step_probes import error_of

from validation.microbench.probe import CLOCK, Probe


@pytest.mark.parametrize("threads", [128, 256])
@pytest.mark.parametrize("loads", [4, 8])
def test_warps_whose_bursts_meet_step_aside(threads: int, loads: int) -> None:
    """Who comes first is served first, so the bursts of later trips do not meet."""
    probe = Probe(f"ret_lds128_{loads}_4", CLOCK, 1, threads, (50, 150))
    assert abs(error_of("returns.cu", probe)) < 0.13


@pytest.mark.parametrize("adds", [4, 8, 24])
def test_a_load_costs_multiply_adds_one_issue(adds: int) -> None:
    probe = Probe(f"beside_w1_{adds}", CLOCK, 1, 1024, (50, 150))
    assert abs(error_of("beside.cu", probe)) < 0.025


@pytest.mark.parametrize("shape", ["4x4_w4_a16", "8x4_w4_a8", "8x8_w4_a8"])
def test_outer_products_of_one_subcore(shape: str) -> None:
    probe = Probe(f"outer_{shape}", CLOCK, 1, 512, (20, 60), 3)
    assert abs(error_of("beside.cu", probe)) < 0.04


@pytest.mark.parametrize(
    ("kernel", "trips", "limit"),
    [("beside_w4halfuse_8", (50, 150), 0.05), ("outer_4x4_w4_a8", (20, 60), 0.05)],
)
def test_wide_loads_of_four_subcores_hold_the_data_stage(
    kernel: str, trips: tuple[int, int], limit: float
) -> None:
    """Without the wait for four registers to be written they would be 25 and 9 percent too fast."""
    probe = Probe(kernel, CLOCK, 1, 512, trips)
    assert abs(error_of("beside.cu", probe)) < limit


@pytest.mark.parametrize("tile", ["11", "22", "42"])
@pytest.mark.parametrize("threads", [32, 128, 512])
def test_matrix_products_with_their_loads(tile: str, threads: int) -> None:
    probe = Probe(f"tile_{tile}_0", CLOCK, 1, threads, (20, 60))
    assert abs(error_of("mixes.cu", probe)) < 0.05


@pytest.mark.parametrize("copies", [1, 4])
def test_copies_past_l1_leave_the_data_stage_alone(copies: int) -> None:
    probe = Probe(f"copy_0_{copies}_16_1", CLOCK, 1, 512, (20, 60), 4, 24576)
    assert abs(error_of("mixes.cu", probe)) < 0.03


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("threads", [256, 1024])
def test_wide_loads_of_few_addresses(threads: int, lanes: int) -> None:
    """Four lanes load the same 16 bytes, or one of four loads: four wavefronts either way."""
    probe = Probe("quarter_10_0", CLOCK, 1, threads, (20, 60), lanes)
    assert abs(error_of("mixes.cu", probe)) < 0.075
