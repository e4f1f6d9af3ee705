"""Do roofs follow from counts and facts, and does no measured launch beat one?"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from simulator.device import device_names, load_device
from simulator.launching import open_catalogue, replay_target
from simulator.results import Counter, Status
from simulator.roofline import find_roofline, fullest_share
from tests.simulator.runs import make_run, record
from validation.records import Record, load_record, record_paths

ADA = load_device("rtx4090")


def test_roofs_of_a_small_run() -> None:
    """One block: one SM does all the work."""
    found = find_roofline(make_run())
    cycles = {roof.name: roof.cycles for roof in found.roofs}
    executed = 7 * 16 + 8
    assert cycles["issue"] == executed / 4
    assert cycles["FP32"] == 2 * 16 * 32 / 128
    assert cycles["LSU"] == pytest.approx((4 * 16 + 8) * 2)
    assert cycles["shared"] == 176
    assert cycles["L2"] is None
    assert found.binding is not None
    assert found.binding.name == "shared"
    assert found.ranked[1].name == "LSU"


def test_packed_operations_give_two_results() -> None:
    rows = (
        record(0, "FFMA R1, R2, R3, R4", 1, 4),
        record(1, "FFMA2 R4, R8, R12, R4", 1, 4),
        record(2, "HFMA2 R1, R2, R3, R4", 1, 4),
    )
    amounts = {roof.name: roof.amount for roof in find_roofline(make_run(instructions=rows)).roofs}
    assert (amounts["FP32"], amounts["FP16"]) == (3 * 4 * 32, 2 * 4 * 32)


def test_the_fullest_sm_takes_longest() -> None:
    assert fullest_share(make_run(grid=(64, 1, 1)), ADA) == 1 / 64
    assert fullest_share(make_run(grid=(129, 1, 1)), ADA) == 2 / 129
    few = find_roofline(make_run(grid=(64, 1, 1)))
    assert few.roofs[0].cycles == pytest.approx((7 * 16 + 8) / 4 / 64)


def test_peak_share_is_that_of_the_whole_gpu() -> None:
    found = find_roofline(make_run())
    assert found.binding is not None
    share = 16 * 32 * 3 / 176 / (2 * 128 * 128)
    assert found.peak_share(found.binding) == pytest.approx(share)


def test_dram_roof_uses_measured_bandwidth_and_clock() -> None:
    counters = {
        name: Counter(1e9, "bytes", Status.BOUNDED)
        for name in ("dram_read_bytes", "dram_write_bytes")
    }
    found = find_roofline(make_run(counters={**make_run().counters, **counters}))
    roof = next(roof for roof in found.roofs if roof.name == "DRAM")
    assert roof.cycles == pytest.approx(2e9 / 937.9e9 * 2.52e9)
    assert (roof.status, found.binding) == (Status.BOUNDED, roof)


@pytest.mark.parametrize("name", device_names())
def test_every_device_has_the_roofs_inside_its_sms(name: str) -> None:
    found = find_roofline(make_run(device=name))
    known = {roof.name for roof in found.roofs if roof.cycles is not None}
    assert {"issue", "FP32", "shared"} <= known
    assert all(roof.origin for roof in found.roofs if roof.cycles is not None)


def small(record: Record) -> bool:
    return "sm__cycles_active.max" in record.metrics.get("warm", {}) and all(
        size <= 300 for size in record.size.values()
    )


MEASURED = [path for path in record_paths("h200") if small(load_record(path))]


@pytest.mark.parametrize("path", MEASURED, ids=lambda path: path.name.split(".")[0])
def test_no_launch_measured_on_an_h200_beats_its_roof(path: Path) -> None:
    record = load_record(path)
    target = open_catalogue(record.kernel, dict(record.size), record.seed, "h200")
    found = replay_target(target, "h200", "auto").roofline
    assert found is not None
    assert found.binding is not None
    assert found.binding.cycles is not None
    measured = min(record.metrics[kind]["sm__cycles_active.max"] for kind in ("cold", "warm"))
    assert 0 < found.binding.cycles <= measured
    assert math.isfinite(found.binding.cycles)
