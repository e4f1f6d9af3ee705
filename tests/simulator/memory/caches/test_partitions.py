"""L2 in two partitions: lines at home in one of them, copies in the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from launches import (
    LANES,
    LOAD,
    LOCAL_STORE,
    STORE,
    event,
    make_machine,
    record,
    run,
)

from simulator.memory.caches import predict
from simulator.memory.caches.predict import CacheCounts

CHUNK, LINE = 4096, 128
NEAR, FAR = 300, 500


def lines_of(first: int, count: int, block: int, operation: int = LOAD) -> list[Any]:
    """A request for each of some lines."""
    return [event(operation, LINE * (first + n) + LANES * 4, block) for n in range(count)]


def read_chunk(chunk: int, sides: tuple[int, int]) -> float:
    """Cycles of a block at the first side that reads a line of 4 KiB from DRAM."""
    machine = make_machine(
        l2_parts=2, l2_far=182, part_sides=sides, miss_window=(NEAR, NEAR, 50, FAR, FAR, 50)
    )
    return run(record([event(LOAD, CHUNK * chunk + LANES * 4)]), 1, machine).cold["cycles"]


def test_what_is_near_to_one_side_is_far_from_the_other() -> None:
    one = np.array([read_chunk(chunk, (0, 1)) for chunk in range(7)])
    other = np.array([read_chunk(chunk, (1, 0)) for chunk in range(7)])
    assert set(np.abs(one - other)) == {FAR - NEAR}
    assert len(set(one)) == 2


def quarters(count: int) -> CacheCounts:
    """Four SMs that each read another quarter of some lines."""
    events = [e for block in range(4) for e in lines_of(block * count // 4, count // 4, block)]
    return run(record(events), 4, _small(), count * LINE)


def all_by_both(count: int) -> CacheCounts:
    """An SM at either side, both of which read all lines."""
    events = [e for block in range(2) for e in lines_of(0, count, block)]
    return run(record(events), 2, _small(), count * LINE)


def _small() -> Any:
    return make_machine(l2_bytes=1 << 18, dirty_bytes=1 << 17, l2_parts=2, part_sides=(0, 1))


def test_what_both_sides_read_is_kept_twice() -> None:
    fits, too_much = 1000, 1280  # of 2048 lines
    assert all_by_both(fits).warm["dram_read_sectors"] == 0
    assert quarters(too_much).warm["dram_read_sectors"] == 0
    assert all_by_both(too_much).warm["dram_read_sectors"] > 3 * too_much


@pytest.mark.parametrize(("sides", "least", "most"), [((0, 0), 1.0, 1.0), ((0, 1), 0.2, 0.8)])
def test_stores_leave_a_copy_at_their_own_side_only(
    sides: tuple[int, int], least: float, most: float
) -> None:
    count, large = 640, 1 << 20
    events = [*lines_of(0, count, 0, STORE), *lines_of(0, count, 1)]
    machine = make_machine(l2_bytes=1 << 19, l2_parts=2, part_sides=sides)
    warm = run(record(events), 2, machine, large).warm
    assert least <= warm["l2_read_hits"] / warm["l2_read_sectors"] <= most
    assert warm["dram_read_sectors"] == 0


@pytest.mark.parametrize(
    ("spills", "too_much", "fetched"),
    [(False, False, False), (True, False, True), (True, True, False)],
)
def test_local_memory_takes_room_in_l2(
    spills: bool, too_much: bool, fetched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless there is too much of it to simulate."""
    if too_much:
        monkeypatch.setattr(predict, "DETAILED_COST", 0)
    events = []
    for block in range(8):
        events += lines_of(12 * block, 12, block)
        words = range(16 if spills else 0)
        events += [event(LOCAL_STORE, np.full(32, 4 * word), block) for word in words]
    machine = make_machine(l2_bytes=20 << 10, dirty_bytes=20 << 10)
    warm = run(record(events), 8, machine, global_bytes=12 << 10).warm
    assert (warm["dram_read_sectors"] > 0) == fetched
