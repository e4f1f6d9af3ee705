"""Blocks and SMs as seen on an NVIDIA H200, whose SMs are numbered here in launch order."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from simulator.device import device_names, load_device
from simulator.memory.caches.machine import layout_of, machine_of
from simulator.memory.caches.placement import Layout, first_wave
from validation import microbench

RECORD = Path(microbench.__file__).with_name("h200_placement.json")
H200 = layout_of(load_device("h200"))
# Parts of the chip as (first SM, SMs); the first is the split-off one.
PARTS = list(zip(np.cumsum([0, *H200.sizes]).tolist(), H200.sizes, strict=False))


def _parts_of(sms: list[int]) -> list[int]:
    starts = [start for start, _ in PARTS]
    return (np.searchsorted(starts, sms, side="right") - 1).tolist()


@pytest.mark.parametrize(
    ("blocks", "parts"),
    [
        (4, [0] * 4),
        (9, [0] * 8 + [6]),
        (16, [0] * 8 + [6, 7, 8, 1, 2, 3, 4, 5]),
        (
            36,
            [0] * 8 + [6] * 4 + [7] * 4 + [8] * 4 + [1] * 4 + [2] * 3 + [3] * 3 + [4] * 3 + [5] * 3,
        ),
        (132, [part for part in (0, 6, 7, 8, 1, 2, 3, 4, 5) for _ in range(H200.sizes[part])]),
    ],
)
def test_parts_of_the_chip_in_the_measured_order(blocks: int, parts: list[int]) -> None:
    assert _parts_of(first_wave(H200, 1, blocks).tolist()) == parts


def test_the_split_off_part_comes_back_after_five_then_six() -> None:
    parts = _parts_of(first_wave(H200, 8, 2048).tolist())
    visits = [part for part, _ in itertools.groupby(parts)]
    assert visits[:14] == [0, 6, 7, 8, 1, 2, 0, 3, 4, 5, 6, 7, 8, 0]


def _together(sms: list[int]) -> set[frozenset[int]]:
    """Blocks that share an SM, whatever its number."""
    found: dict[int, set[int]] = {}
    for block, sm in enumerate(sms):
        found.setdefault(sm, set()).add(block)
    return {frozenset(blocks) for blocks in found.values()}


@pytest.mark.parametrize(
    ("blocks", "threads"), [(150, 256), (200, 256), (256, 256), (264, 256), (300, 256), (700, 128)]
)
def test_blocks_that_share_an_sm(blocks: int, threads: int) -> None:
    """Launches of the record that begin with the rest of the split group."""
    rows = json.loads(RECORD.read_text(encoding="utf-8"))["launches"]
    measured = {(row["blocks"], row["threads"]): row["sms"] for row in rows}[blocks, threads]
    predicted = first_wave(H200, -(-blocks // H200.sm_count), blocks).tolist()
    assert _together(predicted) == _together(measured)


@pytest.mark.parametrize("places", [1, 2, 8])
@pytest.mark.parametrize("blocks", [1, 7, 64, 131, 132, 133, 264, 5000])
def test_no_sm_holds_more_than_it_can(places: int, blocks: int) -> None:
    sms = first_wave(H200, places, blocks)
    assert len(sms) == min(blocks, 132 * places)
    assert np.bincount(sms, minlength=132).max() <= places
    if blocks <= 132:
        assert np.bincount(sms, minlength=132).max() == 1


def test_every_device_has_a_machine() -> None:
    for name in device_names():
        device = load_device(name)
        machine = machine_of(device, device.shared_carveout_bytes[-1])
        assert machine.layout.sm_count == device.sm_count
        assert 0 < machine.dirty_bytes <= machine.l2_bytes <= 2 * device.l2_bytes
        assert machine.l1_bytes >= 8192


def test_where_no_groups_are_known_every_sm_stands_alone() -> None:
    assert first_wave(Layout((1, 1, 1), (0, 1, 2), ()), 2, 9).tolist() == [0, 1, 2, 0, 1, 2]
    assert machine_of(load_device("rtx4090"), 0).merge_most == 1
