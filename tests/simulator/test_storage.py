"""Does a saved run come back equal, and is every other file refused by name?"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.device import load_device
from simulator.errors import StorageError
from simulator.intensity import find_intensity
from simulator.occupancy import BlockResources, find_occupancy
from simulator.results import Issue, LaunchTime, Run, SharedExample, Timeline, Timing
from simulator.roofline import find_roofline
from simulator.storage import load_run, save_run
from tests.simulator.runs import FINDING, make_run


def assert_equal(left: Run, right: Run) -> None:
    """Field by field; NaN equals NaN, arrays are compared by value."""
    bare = {"outputs": {}, "counters": {}}
    assert replace(left, **bare) == replace(right, **bare)
    assert left.counters.keys() == right.counters.keys()
    for name, counter in left.counters.items():
        other = right.counters[name]
        same = counter.value == other.value or math.isnan(counter.value) == math.isnan(other.value)
        assert same, name
        assert (counter.unit, counter.status) == (other.unit, other.status)


def test_spills_are_bytes_both_ways() -> None:
    assert make_run(spill_store_bytes=8, spill_load_bytes=12).spills == 20
    assert make_run(spill_store_bytes=None, spill_load_bytes=None).spills is None


def test_round_trip(tmp_path: Path) -> None:
    run = make_run(findings=(FINDING,), spill_store_bytes=None)
    run.save(tmp_path / "run.json")
    loaded = load_run(tmp_path / "run.json")
    assert_equal(run, loaded)
    assert loaded.outputs == {}
    assert isinstance(loaded.counters["dram_bytes"].value, float)
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_derived_parts_come_back(tmp_path: Path) -> None:
    shape = BlockResources(512, 40, 8192)
    run = make_run(occupancy=find_occupancy(load_device("rtx4090"), shape, 1))
    run = replace(run, intensity=find_intensity(run), roofline=find_roofline(run))
    run.save(tmp_path / "run.json")
    assert_equal(run, load_run(tmp_path / "run.json"))


def test_a_run_of_the_first_schema_is_read(tmp_path: Path) -> None:
    path = edited(tmp_path, {"schema": 1})
    content = json.loads(path.read_text())
    for name in ("occupancy", "intensity", "roofline"):
        del content["run"][name]
    path.write_text(json.dumps(content))
    assert load_run(path).occupancy is None
    assert load_run(path).registers == make_run().registers


def test_outputs_are_saved_on_request(tmp_path: Path) -> None:
    run = make_run()
    save_run(run, tmp_path / "run.json", outputs=True)
    loaded = load_run(tmp_path / "run.json")
    assert loaded.outputs.keys() == {1}
    np.testing.assert_array_equal(loaded.outputs[1], run.outputs[1])
    assert loaded.outputs[1].dtype == np.float32


def test_numpy_numbers_are_saved_as_plain_ones(tmp_path: Path) -> None:
    run = make_run()
    record = replace(run.instructions[1], executed=np.int64(2**40))
    replace(run, instructions=(record,), examples=()).save(tmp_path / "run.json")
    assert load_run(tmp_path / "run.json").instructions[0].executed == 2**40


def test_what_few_replays_model_is_saved_too(tmp_path: Path) -> None:
    """Units of banks, sources of copies and a timeline; runs without them stay without."""
    timing = Timing(10.0, 8.0, 12.0, 100, 110, 0.5, 0.5, {"wait": 1.0}, {}, {2: {"wait": 3}})
    window = Timeline(100, 110, ((7, 0),), (Issue(0, 2, 103, (("barrier", 2), ("wait", 1))),))
    copy = SharedExample(2, 3, tuple(range(32)), 4, 1, tuple(range(32)), 1)
    run = make_run(
        bank_pressure={2: tuple(range(32))},
        examples=(copy,),
        time=LaunchTime(timing, timing, ("a",), {}, window),
    )
    run.save(tmp_path / "run.json")
    loaded = load_run(tmp_path / "run.json")
    assert (loaded.bank_pressure, loaded.examples) == (run.bank_pressure, run.examples)
    assert loaded.time == run.time
    make_run().save(tmp_path / "plain.json")
    assert load_run(tmp_path / "plain.json").bank_pressure is None


def test_file_is_standard_json_with_provenance(tmp_path: Path) -> None:
    make_run().save(tmp_path / "run.json")

    def refuse(text: str) -> Any:
        raise AssertionError(f"not standard JSON: {text}")

    content = json.loads((tmp_path / "run.json").read_text(), parse_constant=refuse)
    assert content["provenance"].keys() >= {"created", "platform", "python", "numpy"}
    assert content["run"]["program_hash"] == make_run().program_hash


def edited(tmp_path: Path, change: dict[str, Any]) -> Path:
    """A saved run whose JSON is changed at the top."""
    path = tmp_path / "run.json"
    make_run().save(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": 5}, "schema 5, this version reads 4 and older"),
        ({"format": "recipe"}, "is no saved run"),
        ({"run": {}}, "damaged"),
        ({"run": []}, "damaged"),
        ({"run": {"colour": 1}}, "damaged.*colour"),
        ({"outputs": "gone.npz"}, "gone.npz"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(StorageError, match=message):
        load_run(edited(tmp_path, change))


def test_wrong_type_inside_is_damage(tmp_path: Path) -> None:
    path = edited(tmp_path, {})
    content = json.loads(path.read_text())
    content["run"]["registers"] = "many"
    path.write_text(json.dumps(content))
    with pytest.raises(StorageError, match=r"damaged.*many"):
        load_run(path)


def whole_run() -> Run:
    """A run that holds every kind of reference to an instruction."""
    issue = Issue(0, 2, 100, ())
    timing = Timing(1.0, 1.0, 1.0, 10, 10, 0.5, 0.5, {"wait": 1.0}, {}, {2: {"wait": 3}})
    time = LaunchTime(timing, timing, (), {}, Timeline(90, 110, ((0, 0),), (issue,)))
    return replace(make_run(), bank_pressure={2: (1,) * 32}, time=time)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("examples", 0, "instruction"), 99, "no instruction 99"),
        (("examples", 0, "offsets"), [0, 4], "32 lanes"),
        (("examples", 0, "sources"), [0, 4], "32 lanes"),
        (("bank_pressure",), {"98": [1] * 32}, "no instruction 98"),
        (("bank_pressure", "2"), [1], "32 lanes"),
        (("time", "warm", "instruction_stalls"), {"97": {}}, "no instruction 97"),
        (("time", "warm", "stalls", "wait"), None, "None is no number"),
        (("time", "timeline", "issues", 0, "instruction"), 96, "no instruction 96"),
        (("time", "timeline", "issues", 0, "warp"), 1, "no warp"),
        (("time", "timeline", "issues", 0, "warp"), -1, "no warp"),
    ],
)
def test_what_does_not_fit_together_is_damage(
    tmp_path: Path, path: tuple[Any, ...], value: Any, message: str
) -> None:
    file = tmp_path / "run.json"
    whole_run().save(file)
    content = json.loads(file.read_text())
    place = content["run"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    file.write_text(json.dumps(content))
    with pytest.raises(StorageError, match=f"damaged.*{message}"):
        load_run(file)


@pytest.mark.parametrize("text", ["", "[]", "{}", "not json", "3", "[" * 100_000])
def test_text_that_is_no_run(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(StorageError, match="is no saved run"):
        load_run(tmp_path / "x.json")


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot read"):
        load_run(tmp_path / "none.json")
    with pytest.raises(StorageError, match="cannot write"):
        make_run().save(tmp_path / "none" / "run.json")
