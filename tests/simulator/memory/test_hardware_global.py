"""Global and local memory and asynchronous copies: recorded counts must come out equal.

The two known residues are asserted by their exact number, so that a better rule fails here.
"""

from __future__ import annotations

import numpy as np
import pytest
from hardware_records import Record, addresses_of, count_recorded, find_misses, load_patterns

from simulator.memory.async_copy import count_cached, count_cached_hardware
from simulator.memory.bypass_copy import count_bypass
from simulator.memory.global_memory import (
    count_atomic_hardware,
    count_global,
    distinct_bytes,
    output_wavefronts,
    output_wavefronts_atomic,
)
from simulator.memory.local import count_local


def predict_global(record: Record, source: str = "offsets") -> dict[str, int]:
    """The page's fields of a global request, which for loads and stores the hardware shares."""
    addresses = addresses_of(record, source)
    numbers = count_global(addresses, record["lane_mask"], record["width_bytes"])
    sectors, ideal, tags, leaders = numbers
    return {
        "page_sectors": sectors,
        "page_sectors_ideal": ideal,
        "page_tags": tags,
        "sectors": sectors,
        "tags": tags,
        "requests": 1,
        "t_output_wavefronts": output_wavefronts(addresses, leaders),
    }


@pytest.mark.parametrize(
    ("name", "hardware", "page"), [("global", 702, 0), ("global_page", 231, 3001)]
)
def test_loads_and_stores_are_equal(name: str, hardware: int, page: int) -> None:
    records = load_patterns(name)
    assert count_recorded(records, "t_output_wavefronts") == hardware
    assert count_recorded(records, "page_sectors") == page
    assert [r for r in records if find_misses(r, predict_global(r))] == []


def test_page_of_atomics_is_equal() -> None:
    records = load_patterns("global_atomic")
    assert count_recorded(records, "page_sectors") == 3004
    for record in records:
        page = {k: v for k, v in predict_global(record).items() if k.startswith("page_")}
        assert not find_misses(record, page), record


def test_hardware_of_atomics_is_equal_but_for_one_output() -> None:
    records = [r for r in load_patterns("global_atomic") if "sectors" in r]
    outputs = 0
    for record in records:
        addresses, mask = addresses_of(record), record["lane_mask"]
        sectors, _ = count_atomic_hardware(addresses, mask)
        assert sectors == record["sectors"], record
        outputs += output_wavefronts_atomic(addresses, mask) == record["t_output_wavefronts"]
    assert (outputs, len(records)) == (45, 46)


def test_local_memory_is_equal() -> None:
    records = load_patterns("local")
    assert len(records) == 380
    for record in records:
        numbers = count_local(addresses_of(record), record["lane_mask"], record["width_bytes"])
        requests, sectors, ideal, tags, used = numbers
        assert ideal == min(sectors, -(-used // 32))
        expected = {"requests": requests, "sectors": sectors, "tags": tags}
        expected |= {"l2_requests": tags, "l2_sectors": sectors}
        assert not find_misses(record, expected), record


def predict_cached(record: Record) -> dict[str, int]:
    """All fields of a cp.async.ca request."""
    targets, sources = addresses_of(record), addresses_of(record, "source_offsets")
    mask, width = record["lane_mask"], record["width_bytes"]
    page, ideal, _, _ = count_cached(targets, sources, mask, width)
    wavefronts, conflicts = count_cached_hardware(targets, sources, mask, width)
    return predict_global(record, "source_offsets") | {
        "page_wavefronts": page,
        "page_wavefronts_ideal": ideal,
        "wavefronts": wavefronts,
        "bank_conflicts": conflicts,
    }


def test_copies_through_l1_are_equal() -> None:
    records = [r for r in load_patterns("cpasync") if "BYPASS" not in r["sass"]]
    assert count_recorded(records, "page_wavefronts") == 890
    assert count_recorded(records, "wavefronts") == 369
    assert [r for r in records if find_misses(r, predict_cached(r))] == []


def test_copies_past_l1_are_equal_but_for_three_wavefronts() -> None:
    records = [r for r in load_patterns("cpasync") if "BYPASS" in r["sass"]]
    assert count_recorded(records, "wavefronts") == 116
    wavefronts_equal = 0
    for record in records:
        targets, sources = addresses_of(record), addresses_of(record, "source_offsets")
        page, ideal, sectors, sectors_ideal = count_bypass(targets, sources, record["lane_mask"])
        expected = predict_global(record, "source_offsets") | {
            "page_wavefronts_ideal": ideal,
            "page_sectors": sectors,
            "page_sectors_ideal": sectors_ideal,
            "wavefronts": 0,
            "bank_conflicts": 0,
        }
        assert not find_misses(record, expected), record
        wavefronts_equal += record.get("page_wavefronts") == page
    assert (wavefronts_equal, count_recorded(records, "page_wavefronts")) == (706, 709)


@pytest.mark.parametrize(
    ("offsets", "width", "counted"),
    [
        ([0] * 32, 4, 4),
        ([4 * lane for lane in range(32)], 4, 128),
        ([4 * (lane // 2) for lane in range(32)], 4, 64),
        ([8 * lane for lane in range(32)], 4, 128),
        ([32 * lane for lane in range(32)], 4, 128),
        ([16 * (lane // 4) for lane in range(32)], 16, 128),
    ],
)
def test_bytes_used_are_those_an_h200_counts(offsets: list[int], width: int, counted: int) -> None:
    """``counted``: smsp__sass_data_bytes_mem_global_op_ld.sum of one warp's load."""
    assert distinct_bytes(np.array(offsets, np.uint32), 0xFFFFFFFF, width) == counted
