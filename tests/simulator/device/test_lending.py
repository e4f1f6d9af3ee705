"""Does a GPU take its own numbers, then those of its like, and say which are another's?"""

from __future__ import annotations

import pytest

from simulator.device import device_names, load_device
from simulator.device.lending import find_numbers, usual_clock
from simulator.timing.parameters import load_parameters


@pytest.mark.parametrize("name", device_names())
def test_no_gpu_moves_more_bytes_than_it_can(name: str) -> None:
    """DRAM below the documented rate, L2 at the rate that was measured in bytes a second."""
    p, facts = load_parameters(name), load_device(name).facts
    documented = facts["dram_bytes_per_second"].value
    assert isinstance(documented, int)
    assert 0.7 * documented < p["dram_read_bytes_per_second"] < documented
    clock, a_second = usual_clock(p.values), facts.get("l2_read_bytes_per_second")
    if a_second and clock:
        assert p["l2_read_bytes_per_cycle"] * clock == pytest.approx(a_second.value)
        assert "l2_read_bytes_per_cycle" not in p.borrowed


@pytest.mark.parametrize("name", ["rtx4080", "rtx4060ti"])
def test_a_gpu_of_the_same_kind_lends_first_and_by_the_number_of_sms(name: str) -> None:
    found, like = load_parameters(name), load_parameters("rtx4090")
    part = load_device(name).sm_count / load_device("rtx4090").sm_count
    for key in ("l2_read_bytes_per_cycle", "l2_write_bytes_per_second"):
        assert found[key] == pytest.approx(part * like[key])
        assert key in found.borrowed
    assert found["timing_dram_write_share"] == like["timing_dram_write_share"]


def test_who_has_all_numbers_borrows_none() -> None:
    assert load_parameters("h200").borrowed == ()


def test_nobody_lends_a_clock() -> None:
    assert usual_clock(load_parameters("b200").values) is None


@pytest.mark.parametrize("name", device_names())
def test_every_gpu_knows_its_channels_and_register_banks(name: str) -> None:
    facts = load_device(name).facts
    assert "dram_channels" in facts
    assert facts["register_banks_per_subcore"].value == 2


def test_only_memory_with_check_bits_has_sectors_completed() -> None:
    """HBM's does; GDDR takes writes with a mask."""
    kept = {
        name: find_numbers(load_device(name))[0]["l2_unfinished_bytes"] for name in device_names()
    }
    assert 0 < kept["a100_40"] < kept["h200"]
    assert kept["rtx4090"] == kept["rtx3090"] == kept["rtxa6000"] == 0
