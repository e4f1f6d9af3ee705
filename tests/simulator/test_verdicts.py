"""Is every cause named when it is there, with its size, and left out when it is not?"""

from __future__ import annotations

from typing import Any

import pytest

from simulator.device import load_device
from simulator.occupancy import BlockResources, find_occupancy
from simulator.results import Occupancy, Run
from simulator.verdicts import Verdict, find_verdicts
from tests.simulator.runs import make_run, record


def held(threads: int, registers: int, shared: int = 0) -> Occupancy:
    return find_occupancy(load_device("rtx4090"), BlockResources(threads, registers, shared))


def verdicts(**changes: Any) -> dict[str, Verdict]:
    run: Run = make_run(**{"grid": (128, 1, 1), "occupancy": held(512, 40), **changes})
    return {verdict.topic: verdict for verdict in find_verdicts(run)}


def test_the_binding_roof_comes_first() -> None:
    found = find_verdicts(make_run())
    assert found[0].topic == "roofline"
    assert "shared binds" in found[0].text
    assert found[-1].text == "L2, DRAM: roofs not known, might bind"
    shares = [verdict.share for verdict in found[1:-1]]
    assert shares == sorted(shares, reverse=True)


def test_the_peak_of_other_units_says_nothing_about_tensor_cores() -> None:
    product = record(7, "HMMA.16816.F32 R7, R4, R5, R8", 9, 16)
    found = (*make_run().instructions[:7], product)
    plain, tensor = verdicts()["roofline"], verdicts(instructions=found)["roofline"]
    assert "of FP32 peak" in plain.text
    assert "of FP32 peak" not in tensor.text


def test_conflicts_are_a_share_of_wavefronts() -> None:
    assert verdicts()["bank conflicts"].share == pytest.approx(96 / 176)
    clean = tuple(r for r in make_run().instructions if not r.bank_conflicts)
    assert "bank conflicts" not in verdicts(instructions=clean)


def test_occupancy_names_limiter_and_way_out() -> None:
    found = verdicts(occupancy=held(256, 41))["occupancy"]
    assert found.share == pytest.approx(8 / 48)
    assert "registers" in found.text
    assert "40 registers" in found.text
    assert "occupancy" not in verdicts(occupancy=held(256, 40))


def test_idle_lanes_idle_sms_and_excess_sectors() -> None:
    rows = (
        record(0, "LDG.E R1, desc[UR4][R2.64]", 7, 4, global_requests=4, global_sectors=128,
               global_sectors_ideal=16, thread_executed_predicated_on=64),
    )  # fmt: skip
    found = verdicts(instructions=rows, grid=(96, 1, 1))
    assert found["idle lanes"].share == 0.5
    assert found["coalescing"].share == 112 / 128
    assert found["grid"].share == 0.25
    assert "32 of 128 SMs idle" in found["grid"].text


def test_spills_are_named() -> None:
    assert "spills" not in verdicts()
    assert "8 B stored" in verdicts(spill_store_bytes=8, spill_load_bytes=16)["spills"].text
