"""Items of events, and streams of blocks that nobody replayed."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from launches import LANES, LOAD, NARROW_STORE, STORE, event, record

from simulator.events import Events
from simulator.memory.caches.streams import Streams, own_streams, split_warps
from simulator.memory.caches.templates import (
    distinct_rows,
    extend,
    groups_of,
    linear,
    template_blocks,
)

Dim3 = tuple[int, int, int]


@settings(deadline=None)
@given(st.lists(st.integers(0, 1 << 12), min_size=32, max_size=32), st.integers(0, 2))
def test_items_hold_the_sectors_of_a_request(words: list[int], operation: int) -> None:
    kind = (LOAD, STORE, NARROW_STORE)[operation]
    addresses = np.array(words) * 4
    stream = record([event(kind, addresses)])[0]
    sectors = {address // 32 for address in addresses.tolist()}
    touched = {address // 4 for address in addresses.tolist()}
    found: set[int] = set()
    words: set[int] = set()
    for base, info, mask in zip(stream.base, stream.info, stream.words, strict=True):
        found |= {int(base) // 32 + bit for bit in range(4) if int(info) >> bit & 1}
        words |= {int(base) // 4 + bit for bit in range(32) if int(mask) >> bit & 1}
    assert found == sectors
    assert words == (set() if kind == NARROW_STORE else touched)


def test_warps_take_turns_between_barriers() -> None:
    """Warp 0 makes two requests, warp 1 two, and after a barrier each one more."""
    order = [(0, 0), (0, 1), (1, 2), (1, 3), (0, 4), (1, 5)]
    events = [event(LOAD, n * 128 + LANES * 4, warp=warp) for warp, n in order]
    stream = record(events)[0]
    assert (stream.base // 128).tolist() == [0, 2, 1, 3, 4, 5]
    assert stream.rounds.tolist() == [0, 2, 4, 6]


def test_warps_apart_keep_their_own_order() -> None:
    """The same requests, in a stream for each of three warps, the last of which makes none."""
    order = [(0, 0), (0, 1), (1, 2), (1, 3), (0, 4), (1, 5)]
    events = [event(LOAD, n * 128 + LANES * 4, warp=warp) for warp, n in order]
    events += [event(LOAD, (10 + n) * 128 + LANES * 4, 1, warp) for warp, n in order]
    streams = split_warps(own_streams(record(events), 2), 3)
    found = []
    for stream in range(6):
        first, last = streams.first_round[stream], streams.first_round[stream + 1] - 1
        bounds = streams.rounds[first : last + 1]
        assert (np.diff(bounds) == 1).all()
        found.append((streams.base[bounds[0] : bounds[-1]] // 128).tolist())
    assert found == [[0, 1, 4], [2, 3, 5], [], [10, 11, 14], [12, 13, 15], []]


def test_blocks_without_items_share_a_stream() -> None:
    streams = own_streams(record([event(LOAD, LANES * 4, 2), event(LOAD, LANES * 8, 5)]), 1000)
    assert len(streams.first_round) == 4
    assert streams.template[[2, 5]].tolist() == [0, 1]
    assert _expand(streams, 5)
    assert not any(_expand(streams, block) for block in (0, 3, 999))


def _block_events(grid: Dim3, block: Dim3, steps: Dim3) -> list[Events]:
    """What a block at the end of x loads less of; everything else moves with the block."""
    start = sum(at * step for at, step in zip(block, steps, strict=True)) * 32
    lanes = LANES * (4 if block[0] < grid[0] - 1 else 2)
    number = linear(block, grid)
    return [
        event(LOAD, start + lanes, number),
        event(STORE, (1 << 20) + 64 * number + LANES % 16 * 4, number, warp=1),
        event(STORE, (1 << 21) + 4 * number + LANES * 0, number, warp=1),
    ]


def _expand(streams: Streams, block: int) -> list[tuple[int, int]]:
    bounds = streams.first_round[streams.template[block] :][:2]
    items = slice(streams.rounds[bounds[0]], streams.rounds[bounds[1] - 1])
    moves = streams.shifts @ streams.steps[block]
    base = streams.base[items] + moves[streams.shift[items]]
    return list(zip(base.tolist(), streams.info[items].tolist(), strict=True))


@given(st.lists(st.tuples(*[st.integers(-40, 40)] * 3), max_size=80))
def test_distinct_rows(rows: list[Dim3]) -> None:
    """Few and many different ones."""
    table = np.array(rows, np.int64).reshape(-1, 3)
    found, number = distinct_rows(table)
    assert np.array_equal(found[number], table)
    assert len(found) == len(set(rows))


@settings(deadline=None, max_examples=40)
@given(
    st.tuples(st.integers(1, 6), st.integers(1, 5), st.integers(1, 3)),
    st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)),
)
def test_templates_give_the_streams_of_all_blocks(grid: Dim3, steps: Dim3) -> None:
    blocks = [(x, y, z) for z in range(grid[2]) for y in range(grid[1]) for x in range(grid[0])]
    everything = record([e for block in blocks for e in _block_events(grid, block, steps)])
    wanted = set(template_blocks(grid).tolist())
    streams = extend({n: s for n, s in everything.items() if n in wanted}, grid)
    assert streams is not None
    for number, stream in everything.items():
        expected = list(zip(stream.base.tolist(), stream.info.tolist(), strict=True))
        assert _expand(streams, number) == expected


def test_every_block_is_in_one_group() -> None:
    grid = (5, 2, 1)
    sizes = [np.prod([count for _, count in group.ranges]) for group in groups_of(grid)]
    assert sum(sizes) == 10


def test_blocks_without_a_rule_are_refused() -> None:
    grid = (9, 1, 1)
    events = [event(LOAD, 128 * block * block + LANES * 4, block) for block in range(9)]
    assert extend(record(events), grid) is None
