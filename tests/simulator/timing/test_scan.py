"""The vector code that looks through a sub-core's warps, and through the queues, against numpy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.jit import compiled
from simulator.timing.fetching import Fetch, make_code
from simulator.timing.scan import due, first_head
from simulator.timing.state import (
    EPOCH,
    HEAD,
    HEAD_CAME,
    HEAD_TIME,
    NEEDS_PORT,
    NEEDS_ROOM,
    NEEDS_TAG,
    NEVER,
    PLACES,
    SUBCORES,
    Sm,
    make_sm,
)
from simulator.timing.tables import with_lengths
from simulator.timing.waking import LATE, book, fall_asleep, find_due, move_epoch

Table = NDArray[np.int64]


class Pair(NamedTuple):
    """Two tables, one of which has rows of known length."""

    known: Table
    other: Table


_known_pair = with_lengths({"known": (PLACES,)})


@compiled
def look(table: NDArray[np.int32], row: int, now: int) -> tuple[int, int]:
    return due(table, row, now)


@compiled
def add_rows(pair: Pair, row: int, place: int) -> int:
    known = _known_pair(pair)
    return int(known.known[row, place] + known.other[row, place] + known.other.shape[0])


@compiled
def find_head(heads: Table, port: int, tag: int, turn: int) -> tuple[int, int, int]:
    return first_head(heads, port, tag, turn)


@compiled
def wait(sm: Sm, place: int, time: int) -> None:
    book(sm, 1, place, time)


@compiled
def sleep(sm: Sm, place: int) -> None:
    fall_asleep(sm, 1, place)


@compiled
def find(sm: Sm, now: int) -> tuple[int, int]:
    move_epoch(sm, now)
    return find_due(sm, 1, now)


def test_due_times_and_the_next_one() -> None:
    random = np.random.default_rng(1)
    table = random.integers(0, 50, (4, PLACES)).astype(np.int32)
    table[random.random(table.shape) < 0.3] = LATE
    table[3] = LATE
    for row in range(4):
        for now in range(-1, 51):
            is_due = table[row] <= now
            bits = int((is_due << np.arange(PLACES)).sum())
            later = int(np.where(is_due, LATE, table[row]).min())
            assert look(table, row, now) == (bits, later)


def _first_head(heads: Table, port: int, tag: int, turn: int) -> tuple[int, int]:
    keys = []
    for behind in range(SUBCORES):
        head = heads[:, (turn + behind) % SUBCORES]
        time = max(head[HEAD_TIME], port * -head[NEEDS_PORT], tag * -head[NEEDS_TAG])
        keys.append((time, head[HEAD_CAME], behind))
    time, _, behind = min(keys)
    return int(time), (turn + behind) % SUBCORES


def test_the_first_head_of_the_queues() -> None:
    random = np.random.default_rng(2)
    for _ in range(200):
        heads = np.zeros((HEAD, SUBCORES), np.int64)
        heads[[HEAD_TIME, HEAD_CAME]] = random.integers(0, 4, (2, SUBCORES))
        heads[HEAD_TIME, random.random(SUBCORES) < 0.2] = NEVER
        heads[[NEEDS_PORT, NEEDS_TAG, NEEDS_ROOM]] = -random.integers(0, 2, (3, SUBCORES))
        port, tag, turn = random.integers(0, 5, 2).tolist() + random.integers(0, 4, 1).tolist()
        senders = int((-heads[NEEDS_ROOM] << np.arange(SUBCORES)).sum())
        wanted = (*_first_head(heads, port, tag, turn), senders)
        assert find_head(heads, port, tag, turn) == wanted


def test_warps_wake_when_time_has_become_long() -> None:
    fetch = Fetch(1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0.0, 0.0)
    sm = make_sm(1, 64, 1, 1 << 16, 1, np.zeros((1, 4), np.int64), make_code(fetch, 1))
    assert find(sm, 5) == (0, NEVER)
    wait(sm, 0, 3)
    wait(sm, 2, 9)
    assert find(sm, 5) == (1, 9)
    sleep(sm, 0)
    long = 5_000_000_000
    wait(sm, 3, long)
    assert find(sm, 8) == (0, 9)
    moved = (1 << 30) + 8
    assert find(sm, moved) == (4, NEVER)  # of the other it is as good as unknown
    assert sm.clock[EPOCH] == moved
    wait(sm, 3, moved + 20)
    assert find(sm, moved + 19) == (4, moved + 20)
    assert find(sm, long) == (12, NEVER)


def test_rows_of_known_length_are_the_same_rows() -> None:
    first = np.arange(3 * PLACES).reshape(3, PLACES)
    second = np.arange(15).reshape(3, 5) * 1000
    for row in range(3):
        for place in range(5):
            wanted = first[row, place] + second[row, place] + 3
            assert add_rows(Pair(first, second), row, place) == wanted
