"""Is every number of every device file usable, and does each say where it comes from?"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from simulator.device import Label, device_names, load_device
from simulator.device.load import DATA, read_device
from simulator.errors import DeviceDataError, UnknownNameError

FILES = sorted(path for path in DATA.glob("*.json") if path.name != "sources.json")
# cc: warps/SM, blocks/SM, shared KiB/SM, L1 KiB (CUDA Programming Guide, Compute Capabilities)
GUIDE = {
    80: (64, 32, 164, 192),
    86: (48, 16, 100, 128),
    89: (48, 24, 100, 128),
    90: (64, 32, 228, 256),
    100: (64, 32, 228, 256),
    120: (48, 24, 100, 128),
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_number_has_unit_label_and_source(path: Path) -> None:
    sources = json.loads((DATA / "sources.json").read_text())
    facts = json.loads(path.read_text())["facts"]
    assert facts or path.stem == "common"
    for key, fact in facts.items():
        assert fact["unit"], key
        assert fact["label"] in {label.value for label in Label}, key
        assert fact["source"], key
        assert all(sources[name] for name in fact["source"]), key
        assert fact["label"] == "documented" or fact["on"], key


def test_no_source_is_left_unused() -> None:
    used = {
        name
        for path in FILES
        for fact in json.loads(path.read_text())["facts"].values()
        for name in fact["source"]
    }
    assert used == json.loads((DATA / "sources.json").read_text()).keys()


@pytest.mark.parametrize("name", device_names())
def test_device_loads_and_agrees_with_the_programming_guide(name: str) -> None:
    device = load_device(name)
    warps, blocks, shared_kib, l1_kib = GUIDE[device.architecture]
    assert device.name == name
    assert (device.max_warps_per_sm, device.max_blocks_per_sm) == (warps, blocks)
    assert device.shared_bytes_per_sm == shared_kib * 1024
    assert device.l1_bytes == l1_kib * 1024
    assert device.shared_bytes_per_block_optin == device.shared_bytes_per_sm - 1024
    assert device.shared_carveout_bytes[-1] == device.shared_bytes_per_sm
    assert device.max_threads_per_sm == 32 * device.max_warps_per_sm
    assert device.static_shared_base_bytes == (0x400 if device.architecture >= 90 else 0)


def test_the_gpus_of_the_project_are_there() -> None:
    wanted = {"rtx4090", "rtx4080", "rtx4060ti", "rtx3090", "rtxa6000", "a100_40", "a100_80"}
    assert wanted | {"h100_sxm", "h200", "rtx5090", "b200"} <= set(device_names())


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("a100", "a100_80"),
        ("h100", "h100_sxm"),
        ("a6000", "rtxa6000"),
        ("NVIDIA GeForce RTX 4090", "rtx4090"),
        ("RTX-4060-Ti", "rtx4060ti"),
        ("H200", "h200"),
    ],
)
def test_aliases(alias: str, name: str) -> None:
    assert load_device(alias).name == name


def test_unknown_device_lists_close_names() -> None:
    with pytest.raises(UnknownNameError, match="rtx4090"):
        load_device("rtx4900")


def test_own_number_wins_over_the_shared_one_and_keeps_its_origin() -> None:
    fact = load_device("h200").fact("lsu_cycles_per_instruction")
    assert (fact.value, fact.label, fact.on) == (1.02, Label.MEASURED, "NVIDIA H200")
    assert load_device("rtx4090").fact("lsu_cycles_per_instruction").value == 2


def test_unknown_fact_is_an_error_and_not_a_guess() -> None:
    with pytest.raises(UnknownNameError, match="fact of b200"):
        load_device("b200").fact("clock_boost_hz")


def broken(tmp_path: Path, change: dict[str, Any]) -> Path:
    """A copy of the data in which ``sm_count`` of the RTX 4090 is changed; its path."""
    folder = tmp_path / "data"
    shutil.copytree(DATA, folder)
    path = folder / "rtx4090.json"
    content = json.loads(path.read_text())
    fact = {**content["facts"]["sm_count"], **change}
    content["facts"]["sm_count"] = {k: v for k, v in fact.items() if v is not None}
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": "guessed"}, r"sm_count.*label 'guessed'.*documented"),
        ({"label": None}, "sm_count.*lacks label"),
        ({"source": None}, "sm_count.*lacks source"),
        ({"source": []}, "sm_count.*names no source"),
        ({"source": ["HEARSAY"]}, "HEARSAY"),
        ({"unit": ""}, "sm_count.*no unit"),
        ({"value": "many"}, "sm_count.*neither a number"),
        ({"value": True}, "sm_count.*neither a number"),
        ({"value": 1.5}, "sm_count.*whole"),
        ({"value": [128]}, "sm_count.*shape"),
        ({"label": "measured"}, "sm_count.*which chip"),
        ({"colour": "red"}, "sm_count.*unknown fields colour"),
    ],
)
def test_broken_fact_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(DeviceDataError, match=message):
        read_device(broken(tmp_path, change))


def test_missing_limit_is_named(tmp_path: Path) -> None:
    path = broken(tmp_path, {})
    content = json.loads(path.read_text())
    del content["facts"]["sm_count"]
    path.write_text(json.dumps(content))
    with pytest.raises(DeviceDataError, match="'rtx4090' lacks 'sm_count'"):
        read_device(path)
