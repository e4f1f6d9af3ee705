"""Data-stage wavefronts of global accesses: recorded counts must come out equal."""

from __future__ import annotations

import pytest
from hardware_records import Record, addresses_of, load_patterns

from simulator.memory.data_stage import count_hit, count_miss

# Stores of 1 and 2 bytes with more than eight lines in a tag bank: the mechanism is not known.
UNEXPLAINED_STORES = 9


def _measured(record: Record) -> tuple[int, int]:
    return record["data_wavefronts"], record["data_bank_conflicts"]


def _miss(record: Record, is_store: bool) -> tuple[int, int]:
    request = addresses_of(record), record["lane_mask"], record["width_bytes"]
    return count_miss(*request, is_store)


@pytest.mark.parametrize(
    ("name", "op", "count"), [("global", "ldg", 363), ("global_data", "ldg_miss", 220)]
)
def test_missing_loads_are_equal(name: str, op: str, count: int) -> None:
    records = [r for r in load_patterns(name) if r["op"] == op]
    assert len(records) == count
    assert [r for r in records if _miss(r, is_store=False) != _measured(r)] == []


def test_hitting_loads_are_equal() -> None:
    records = [r for r in load_patterns("global_data") if r["op"] == "ldg_hit"]
    assert len(records) == 440
    for record in records:
        request = addresses_of(record), record["lane_mask"], record["width_bytes"]
        assert count_hit(*request) == _measured(record), record


def test_stores_are_equal_but_for_a_known_residue() -> None:
    records = [r for r in load_patterns("global") if r["op"] == "stg"]
    wrong = [r for r in records if _miss(r, is_store=True) != _measured(r)]
    assert len(records) == 339
    assert len(wrong) == UNEXPLAINED_STORES
    assert all(r["width_bytes"] < 4 and r["t_output_wavefronts"] > 8 for r in wrong)


def test_warps_together_stay_within_the_measured_bound() -> None:
    records = [r for r in load_patterns("global_data") if r["op"] == "ldg_hit_4_warps"]
    errors = []
    for record in records:
        request = addresses_of(record), record["lane_mask"], record["width_bytes"]
        errors.append(record["data_wavefronts"] - 4 * count_hit(*request)[0])
    assert min(errors) == -4
    assert max(errors) == 2
    assert sum(error == 0 for error in errors) * 2 > len(errors)
