"""Items of local memory, and launches that are too large to be simulated whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from launches import (
    LANES,
    LOAD,
    LOCAL_WORDS,
    STORE,
    event,
    make_kernel,
    make_machine,
    record,
    run,
)  # fmt: skip

from simulator.events import EVENT
from simulator.isa.kernel import AccessKind, Instruction, Kernel, MemoryAccess, Space
from simulator.memory.caches import predict
from simulator.memory.caches.items import LOCAL_BASE
from simulator.memory.caches.sector_recorder import SectorRecorder

WIDTHS = (1, 4, 8, 16)


def _kernel() -> Kernel:
    instructions = tuple(
        Instruction(
            index, 16 * index, "STL", (), (), None, "STL",
            access=MemoryAccess(Space.LOCAL, AccessKind.STORE, width),
        )
        for index, width in enumerate(WIDTHS)
    )  # fmt: skip
    return Kernel("spills", 90, instructions, 32, 0, 0, 0, (), 0x210, b"")


def _words_stored(lanes: int, width: int, offsets: list[int], warp: int) -> set[int]:
    """Words stored whole: a word of all lanes is a line of 128 bytes."""
    found: set[int] = set()
    if width < 4:
        return found
    for lane in LANES[[lanes >> lane & 1 == 1 for lane in range(32)]].tolist():
        for word in range(max(1, width // 4)):
            line = warp * LOCAL_WORDS + offsets[lane] // 4 + word
            found.add(line * 32 + lane)
    return found


@given(
    st.integers(1, (1 << 32) - 1) | st.just((1 << 32) - 1) | st.sampled_from([0xFF00, 0x10001]),
    st.sampled_from(range(len(WIDTHS))),
    st.lists(st.integers(0, 2), min_size=32, max_size=32) | st.just([1] * 32),
    st.integers(0, 3),
)
def test_a_local_store_touches_the_words_of_its_lanes(
    lanes: int, instruction: int, places: list[int], warp: int
) -> None:
    width = WIDTHS[instruction]
    offsets = [place * max(4, width) for place in places]
    row = np.zeros(1, EVENT)
    row["instruction"], row["lane_mask"], row["space"] = instruction, lanes, Space.LOCAL.value
    row["warp"], row["addresses"] = warp, offsets
    recorder = SectorRecorder(_kernel(), LOCAL_WORDS)
    recorder.consume(row)
    items = recorder.items()
    found = {
        ((base - LOCAL_BASE) >> 2) + word
        for base, words in zip(items.base.tolist(), items.words.tolist(), strict=True)
        for word in range(32)
        if words >> word & 1
    }
    assert found == _words_stored(lanes, width, offsets, warp)
    sectors = {
        (base - LOCAL_BASE) // 32 + sector
        for base, info in zip(items.base.tolist(), items.info.tolist(), strict=True)
        for sector in range(4)
        if info >> sector & 1
    }
    assert width < 4 or sectors == {word // 8 for word in found}


def test_of_a_long_loop_the_first_requests_are_kept() -> None:
    """A request of 32 lines is 32 items, one of a line is one; stores have their own count."""
    events = []
    for block in (0, 1):
        for warp, step in ((0, 4), (1, 128)):
            events += [event(LOAD, LANES * step + 4096 * n, block, warp) for n in range(10)]
            events.append(event(STORE, LANES * 4, block, warp))
    recorder = SectorRecorder(make_kernel(), LOCAL_WORDS, 64)
    recorder.consume(np.concatenate(events))
    items = recorder.items()
    for block in (0, 1):
        made = [int(((items.block == block) & (items.warp == warp)).sum()) for warp in (0, 1)]
        assert made == [10 + 1, 2 * 32 + 1]
    assert recorder.requests.tolist() == [[40, 2 * (10 + 2)], [4, 4]]


def test_a_recorder_starts_anew() -> None:
    """Nothing of what it saw before is left, also not how much of a long loop was kept."""
    events = np.concatenate([event(LOAD, LANES * 128 + 4096 * n, 0, 1) for n in range(3)])
    fresh, used = (SectorRecorder(make_kernel(), LOCAL_WORDS, 64) for _ in range(2))
    used.consume(events)
    used.restart()
    for recorder in (fresh, used):
        recorder.consume(events)
    for one, other in zip(fresh.items(), used.items(), strict=True):
        assert np.array_equal(one, other)
    assert used.requests.tolist() == fresh.requests.tolist() == [[3, 2], [0, 0]]


@pytest.mark.parametrize(("cost", "blocks"), [(200, 64), (40, 32), (8, 8), (1, 4)])
def test_where_one_group_costs_too_much_fewer_blocks_follow(
    monkeypatch: pytest.MonkeyPatch, cost: int, blocks: int
) -> None:
    """A block costs one item and one batch; two of 64 blocks start on each of two SMs a group."""
    monkeypatch.setattr(predict, "DETAILED_COST", cost)
    monkeypatch.setattr(predict, "BATCH_COST", 0)
    events = [event(LOAD, 128 * block + LANES * 4, block) for block in range(64)]
    counts = run(record(events), 64, make_machine())
    assert counts.share == blocks / 64
    assert counts.cold["load_sectors"] == counts.cold["dram_read_sectors"] == 4 * 64


@pytest.mark.parametrize("cost", [400, 80, 8])
def test_what_dram_brings_along_is_a_hit_in_a_part_as_in_the_whole(
    monkeypatch: pytest.MonkeyPatch, cost: int
) -> None:
    """Two warps of a block read the two sectors of 64 bytes, which come together."""
    monkeypatch.setattr(predict, "DETAILED_COST", cost)
    monkeypatch.setattr(predict, "BATCH_COST", 0)
    events = [
        event(LOAD, 128 * block + 32 * warp + LANES * 0, block, warp)
        for block in range(64)
        for warp in (0, 1)
    ]
    counts = run(record(events), 64, make_machine())
    assert (counts.share == 1.0) == (cost == 400)
    assert counts.cold["dram_read_sectors"] == counts.cold["l2_read_sectors"] == 128
    assert counts.cold["l2_read_hits"] == 64


@pytest.mark.parametrize("cost", [400, 200, 1])
def test_later_blocks_beyond_l2_are_like_the_later_half_of_those_simulated(
    monkeypatch: pytest.MonkeyPatch, cost: int
) -> None:
    """Each block reads lines of its own and, all of them, the same few, and stores one."""
    events = []
    for block in range(200):
        own = 65536 + 2048 * block
        events += [event(LOAD, own + 128 * n + LANES * 4, block) for n in range(4)]
        events += [event(LOAD, 128 * n + LANES * 4, block) for n in range(4)]
        events.append(event(STORE, own + 1024 + LANES * 4, block))
    recorded = record(events)
    whole = run(recorded, 200, make_machine(), 1 << 21)
    monkeypatch.setattr(predict, "DETAILED_COST", cost)
    monkeypatch.setattr(predict, "BATCH_COST", 0)
    part = run(recorded, 200, make_machine(), 1 << 21)
    assert whole.share == 1.0 > part.share
    for name in ("load_sectors", "store_sectors", "l2_write_sectors"):
        assert part.cold[name] == pytest.approx(whole.cold[name], rel=1e-9)
    for name in ("load_hits", "l2_read_sectors", "dram_read_sectors"):
        assert part.cold[name] == pytest.approx(whole.cold[name], rel=0.08, abs=40)
