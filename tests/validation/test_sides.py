"""The two partitions of L2: which SMs and lines are at which one, and what crosses between them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.device.load import load_device
from simulator.memory.caches.machine import machine_of
from simulator.memory.caches.placement import first_wave
from validation.records import load_record

ROOT = Path(__file__).parents[2] / "validation"
MEASURED: dict[str, Any] = json.loads((ROOT / "microbench" / "h200_sides.json").read_text())
H200 = load_device("h200")
READS, ALL_READS = "lts__t_sectors_srcunit_tex_op_read.sum", "lts__t_sectors_op_read.sum"
WRITES, ALL_WRITES = "lts__t_sectors_srcunit_tex_op_write.sum", "lts__t_sectors_op_write.sum"


def test_parts_of_the_chip_are_where_far_lines_show_them() -> None:
    machine = machine_of(H200, 0)
    sides = machine.sides()[machine.layout.group_of_sm()]
    places = first_wave(machine.layout, 1, len(MEASURED["order"]))
    found = np.array(MEASURED["pattern_of_sm"])[MEASURED["order"]]
    other = int(found[0] != sides[places[0]])
    assert (found != (sides[places] ^ other)).sum() == 2  # one TPC of the split group


def test_each_side_finds_other_lines_far() -> None:
    """All SMs stored: a quarter is at home at the other side and was stored there."""
    one, other = (np.array(list(pattern)) == "1" for pattern in MEASURED["far"])
    assert one.mean() == other.mean() == 0.25
    assert not (one & other).any()


def test_the_other_partition_is_as_far_as_the_data_file_says() -> None:
    cycles = MEASURED["cycles"]
    apart = np.mean(cycles["far"]) - np.mean(cycles["near"])
    assert apart == pytest.approx(machine_of(H200, 0).l2_far, rel=0.05)


def _cold(name: str) -> dict[str, float]:
    return load_record(ROOT / "records" / "h200" / f"{name}.json.xz").metrics["cold"]


@pytest.mark.parametrize("name", ["saxpy-n16777216", "transpose_padded-rows2048-columns2048"])
def test_half_of_a_stream_crosses_and_half_of_what_is_stored(name: str) -> None:
    counts = _cold(name)
    assert counts[ALL_READS] / counts[READS] == pytest.approx(1.5, rel=0.01)
    assert counts[ALL_WRITES] / counts[WRITES] == pytest.approx(1.5, rel=0.01)


def test_what_all_sms_read_crosses_once() -> None:
    counts, sectors = _cold("tiled_gemm-m1024-n1024-k1024"), 2 * 1024 * 1024 // 8
    assert counts[ALL_READS] - counts[READS] == pytest.approx(sectors, rel=0.01)
