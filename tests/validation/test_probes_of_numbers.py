"""Does every number that was measured here name its probe and the record of what that found?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.device import Fact, Label, load_device
from validation import microbench
from validation.records import load_record, record_paths

FOLDER = Path(microbench.__file__).parent
DEVICE = load_device("h200")
OURS = {
    key: fact
    for key, fact in DEVICE.facts.items()
    if fact.source == ("this project",) and fact.on == DEVICE.title
}
# What the driver says: figures in the note alone.
DRIVER = {"l2_bytes"}


def records(fact: Fact) -> list[str]:
    return [name for name in fact.probe if name.endswith((".json", ".json.xz"))]


@pytest.mark.parametrize("key", sorted(OURS.keys() - DRIVER))
def test_probe_and_record_exist(key: str) -> None:
    fact = OURS[key]
    assert fact.label is not Label.DOCUMENTED
    programs = set(fact.probe) - set(records(fact))
    assert programs, "names no program"
    assert all((FOLDER / name).is_file() for name in fact.probe)
    assert records(fact), "names no record"


def test_every_record_of_an_h200_says_so() -> None:
    names = {name for fact in OURS.values() for name in records(fact)}
    for name in (name for name in names if name.endswith(".json")):
        assert "H200" in json.dumps(json.loads((FOLDER / name).read_text())["gpu"])


FIGURES = json.loads((FOLDER / "h200_probes.json").read_text())["figures"]


@pytest.mark.parametrize(
    ("key", "figure", "times"),
    [
        ("mufu_latency_cycles", "chain_mufu-g1-t32-p0", 8),
        ("shfl_latency_cycles", "chain_shfl-g1-t32-p0", 8),
        ("timing_lds_latency_cycles", "chain_lds-g1-t32-p0", 8),
        ("timing_mma_cycles", "mma_f16_8-g1-t512-p0", 64),
        ("timing_mma_cycles", "mma_tf32_8-g1-t512-p0", 64),
        ("timing_mma_short_cycles", "mma_f16k8_8-g1-t512-p0", 64),
    ],
)
def test_numbers_are_those_of_the_record(key: str, figure: str, times: int) -> None:
    """Cycles a trip of so many instructions, one after the other or on one pipe."""
    value = OURS[key].value
    assert isinstance(value, int)
    assert FIGURES[figure] / times == pytest.approx(value, rel=0.03)


def test_threads_get_the_least_registers_that_were_counted() -> None:
    paths = [path for path in record_paths("h200") if "saxpy" in path.name]
    taken = {load_record(path).metrics["cold"]["launch__registers_per_thread"] for path in paths}
    assert taken == {OURS["least_registers_per_thread"].value}


def test_dram_brings_pairs_of_sectors() -> None:
    """Whichever sectors of each of half a million lines are asked for."""
    size = OURS["dram_access_bytes"].value
    for launch in json.loads((FOLDER / "h200_fetches.json").read_text())["launches"]:
        pairs = sum(launch["mask"] >> first & 3 > 0 for first in (0, 2))
        assert launch["dram_read_bytes"] == pytest.approx((1 << 19) * pairs * size, rel=0.001)
        assert launch["reads"] == (1 << 19) * launch["mask"].bit_count()


def test_room_in_l2_is_that_of_the_record() -> None:
    """Of what each SM reads for itself, of what all read, and of what is stored."""
    room = json.loads((FOLDER / "h200_l2_room.json").read_text())

    def fetched(way: str, mib: int) -> float:
        """Share of a footprint that comes from DRAM again."""
        return float(room[way][str(mib)]) / (mib << 20)

    alone = DEVICE.facts["l2_read_capacity_bytes"].value
    both = DEVICE.facts["l2_partition_bytes"].value
    dirty = DEVICE.facts["l2_dirty_capacity_bytes"].value
    assert isinstance(alone, int)
    assert isinstance(both, int)
    assert isinstance(dirty, int)
    assert fetched("l2read", 32) < 0.001 < fetched("l2read", alone >> 20) < 0.05
    assert fetched("l2read", 48) > 0.8
    assert 26 << 20 < both < 30 << 20
    assert fetched("l2shared", 26) < 0.001
    assert 0.01 < fetched("l2shared", 30) < 0.1
    left = [(mib << 20) - room["l2write"][str(mib)] for mib in (40, 48, 64, 96)]
    assert left == pytest.approx([dirty] * 4, rel=0.02)
