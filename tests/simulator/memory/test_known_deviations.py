"""Recorded requests whose rule is not known yet: each test fails strictly when it is found."""

from __future__ import annotations

import pytest
from hardware_records import addresses_of, load_patterns

from simulator.memory.bypass_copy import count_bypass
from simulator.memory.global_memory import output_wavefronts_atomic


def gap(number: str) -> pytest.MarkDecorator:
    return pytest.mark.xfail(strict=True, raises=AssertionError, reason=f"known deviation {number}")


@gap("D5")
def test_wavefronts_of_copies_past_l1() -> None:
    for record in load_patterns("cpasync"):
        if "BYPASS" in record["sass"] and "page_wavefronts" in record:
            targets, sources = addresses_of(record), addresses_of(record, "source_offsets")
            wavefronts, *_ = count_bypass(targets, sources, record["lane_mask"])
            assert wavefronts == record["page_wavefronts"], record


@gap("D6")
def test_output_wavefronts_of_atomics() -> None:
    for record in load_patterns("global_atomic"):
        if "t_output_wavefronts" in record:
            found = output_wavefronts_atomic(addresses_of(record), record["lane_mask"])
            assert found == record["t_output_wavefronts"], record
