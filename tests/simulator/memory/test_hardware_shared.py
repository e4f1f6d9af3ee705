"""Shared memory: every recorded count must come out equal."""

from __future__ import annotations

import pytest
from hardware_records import Record, addresses_of, count_recorded, find_misses, load_patterns

from simulator.memory.atomics import (
    cast_spin_winners,
    count_atomic,
    count_cas,
    count_cast_spin,
    count_popc_inc,
)
from simulator.memory.matrix import count_matrix
from simulator.memory.shared import count_load_store

Numbers = tuple[int, int, int, int, int]


def name_numbers(numbers: Numbers) -> dict[str, int]:
    """The fields that a shared rule predicts."""
    wavefronts, conflicts, _, page, ideal = numbers
    return {
        "wavefronts": wavefronts,
        "bank_conflicts": conflicts,
        "page_wavefronts": page,
        "page_wavefronts_ideal": ideal,
    }


def count_record(record: Record) -> Numbers:
    """The numbers of a recorded shared request by its operation."""
    addresses, mask = addresses_of(record), record["lane_mask"]
    width, op = record["width_bytes"], record["op"]
    if op.startswith(("lds", "sts")):
        return count_load_store(addresses, mask, width, op.startswith("lds"))
    if "_cas_" in op:
        return count_cas(addresses, mask, width)
    if "POPC" in record.get("sass", ""):
        return count_popc_inc(addresses, mask, width)
    return count_atomic(addresses, mask, width)


def is_loop(record: Record) -> bool:
    """Whether the compiler made the atomic a loop of LDS and ATOMS.CAST.SPIN."""
    return "CAST.SPIN" in record.get("sass", "")


@pytest.mark.parametrize(
    ("name", "hardware", "page"),
    [("shared", 2164, 0), ("shared_page", 990, 3586), ("shared_atomic", 460, 1811)],
)
def test_loads_stores_and_atomics_are_equal(name: str, hardware: int, page: int) -> None:
    records = [record for record in load_patterns(name) if not is_loop(record)]
    assert count_recorded(records, "wavefronts") == hardware
    assert count_recorded(records, "page_wavefronts") == page
    misses = [r for r in records if find_misses(r, name_numbers(count_record(r)))]
    assert misses == []


def count_loop(record: Record) -> dict[str, int]:
    """Play the loop: each try loads, and the lanes that win leave."""
    addresses, width = addresses_of(record), record["width_bytes"]
    waiting = record["lane_mask"]
    total = dict.fromkeys(("wavefronts", "bank_conflicts"), 0)
    total |= dict.fromkeys(("page_wavefronts", "page_wavefronts_ideal"), 0)
    total |= dict.fromkeys(("page_executed", "page_threads"), 0)
    while waiting:
        load = count_load_store(addresses, waiting, width, True)
        spin = count_cast_spin(waiting, width)
        total["wavefronts"] += load[0] + spin[0]
        total["bank_conflicts"] += load[1] + spin[1]
        total["page_wavefronts"] += spin[3]
        total["page_wavefronts_ideal"] += spin[4]
        total["page_executed"] += 1
        total["page_threads"] += waiting.bit_count()
        waiting &= ~cast_spin_winners(addresses, waiting, width)
    return total


def test_cast_spin_loops_are_equal() -> None:
    records = [record for record in load_patterns("shared_atomic") if is_loop(record)]
    assert len(records) == 149
    assert count_recorded(records, "wavefronts") == 75
    assert [r for r in records if find_misses(r, count_loop(r))] == []


def test_matrix_loads_and_stores_are_equal() -> None:
    records = load_patterns("matrix")
    assert count_recorded(records, "wavefronts") == 624
    assert count_recorded(records, "page_wavefronts") == 1785
    for record in records:
        matrices = int(record["op"][4])
        numbers = name_numbers(count_matrix(addresses_of(record), matrices))
        assert not find_misses(record, numbers), record
