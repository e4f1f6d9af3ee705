"""What a launch's blocks ask of the caches: streams of items, for blocks replayed and others.

A *stream* is a block's items in a plausible order: the warps of a block take turns, a request
each, between two barriers. The items of one request and one turn form a *round*.

A *template* is the stream of one block that other blocks share but for a shift: every item moves
by a number of sectors for each step along a grid axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.jit import compiled, step
from simulator.memory.caches.items import LOCAL_BASE, Items

Ints = NDArray[np.int64]
LOCAL_SHIFT = -1


@dataclass(frozen=True)
class Stream:
    """One block's items in order; round ``r`` is items ``rounds[r]`` to ``rounds[r + 1]``."""

    base: Ints
    info: NDArray[np.uint32]
    words: NDArray[np.uint32]
    warp: NDArray[np.uint16]
    rounds: Ints


@dataclass(frozen=True)
class Streams:
    """All streams of a launch as flat arrays.

    Template ``t`` has rounds ``first_round[t]`` to ``first_round[t + 1]`` (exclusive, one spare
    entry a template holds its end in ``rounds``). ``shift`` picks a row of ``shifts`` (bytes for
    a step in x, y and z) for every item, LOCAL_SHIFT for local memory. Block ``b`` of the launch
    follows ``template[b]`` moved by ``steps[b]`` (x, y, z).
    """

    base: Ints
    info: NDArray[np.uint32]
    words: NDArray[np.uint32]
    shift: NDArray[np.int32]
    warp: NDArray[np.uint16]
    rounds: Ints
    first_round: Ints
    shifts: Ints
    template: Ints
    steps: Ints


def split_blocks(items: Items) -> dict[int, Stream]:
    """The stream of every block that has items, by linear block index."""
    if not len(items.base):
        return {}
    if np.any(items.block[1:] < items.block[:-1]):  # blocks that waited for each other
        order = np.argsort(items.block, kind="stable")
        items = Items._make(column[order] for column in items)
    edges = np.flatnonzero(np.diff(items.block)) + 1
    starts, ends = np.append(0, edges), np.append(edges, len(items.base))
    return {
        int(items.block[a]): _make_stream(Items._make(column[a:b] for column in items))
        for a, b in zip(starts, ends, strict=True)
    }


def _make_stream(items: Items) -> Stream:
    """Order one block's items; they come warp by warp, from barrier to barrier."""
    count = len(items.base)
    order, rounds = np.empty(count, np.int64), np.empty(count + 1, np.int64)
    going = np.empty((int(items.warp.max()) + 1, 2), np.int64)
    made = take_turns(items.request, items.warp, items.base, going, order, rounds)
    return Stream(
        items.base[order], items.info[order], items.words[order], items.warp[order],
        rounds[: made + 1].copy(),
    )  # fmt: skip


@compiled
def take_turns(
    request: Ints, warp: NDArray[np.uint16], base: Ints, going: Ints, order: Ints, rounds: Ints
) -> int:
    """Order items: from one barrier to the next a request of each warp in turn, by address in it.

    Fills ``order`` and where each round begins, and ends; returns how many rounds there are.
    ``going`` is scratch, a row a warp. A warp before the last one tells that a barrier was passed.
    """
    start, made, count = 0, 0, 0
    while start < len(order):
        end, warps = start, 0
        while end < len(order) and (end == start or warp[end] >= warp[end - 1]):
            if end == start or warp[end] != warp[end - 1]:
                going[warps, 0] = end
                warps += 1
            end += 1
            going[warps - 1, 1] = end
        start = end
        before = -1
        while before != made:
            before = made
            for row in range(warps):
                made = _take_request(request, base, going, row, order, made)
            if made != before:
                rounds[count] = before
                count += 1
    rounds[count] = made
    return count


@step
def _take_request(request: Ints, base: Ints, going: Ints, row: int, order: Ints, made: int) -> int:
    """Put the items of a warp's next request, by address, at ``made``; the place after them."""
    item, first = going[row, 0], made
    while item < going[row, 1] and request[item] == request[going[row, 0]]:
        place = made
        while place > first and base[order[place - 1]] > base[item]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = item
        made += 1
        item += 1
    going[row, 0] = item
    return made


def join(
    streams: Sequence[Stream], shift: Sequence[NDArray[np.int32]], shifts: Ints, template: Ints,
    steps: Ints,
) -> Streams:  # fmt: skip
    """Put templates end to end; ``shift`` has one row a stream."""
    offsets = np.cumsum([0, *(len(s.base) for s in streams)])
    rounds = [s.rounds + offset for s, offset in zip(streams, offsets[:-1], strict=True)]
    first = np.cumsum([0, *(len(r) for r in rounds)]).astype(np.int64)
    return Streams(
        np.concatenate([s.base for s in streams]),
        np.concatenate([s.info for s in streams]),
        np.concatenate([s.words for s in streams]),
        np.concatenate(shift),
        np.concatenate([s.warp for s in streams]),
        np.concatenate(rounds),
        first,
        shifts,
        template,
        steps,
    )


def empty_stream() -> Stream:
    """The stream of a block without items."""
    words = np.zeros(0, np.uint32)
    start = np.zeros(1, np.int64)
    return Stream(np.zeros(0, np.int64), words, words, words.astype(np.uint16), start)


def same_array(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two arrays are equal, at once where they are one."""
    return one is other or np.array_equal(one, other)


def share_arrays(stream: Stream, known: Stream) -> Stream:
    """A stream that has its columns in common with a known one where they are equal."""

    def pick(name: str) -> Any:
        own, other = getattr(stream, name), getattr(known, name)
        return other if same_array(own, other) else own

    return Stream(*(pick(field.name) for field in fields(Stream)))


def own_streams(blocks: Mapping[int, Stream], total: int) -> Streams:
    """Every block of a launch of ``total`` blocks with its own stream; those without items, which
    may be a million, with the last one for all of them."""
    busy = sorted(blocks)
    found = [blocks[block] for block in busy]
    if len(busy) < total:
        found.append(empty_stream())
    template = np.full(total, len(busy), np.int64)
    template[busy] = np.arange(len(busy))
    shift = [np.where(s.base >= LOCAL_BASE, LOCAL_SHIFT, 0).astype(np.int32) for s in found]
    nowhere = np.zeros((total, 1), np.int64)
    return join(found, shift, np.zeros((1, 1), np.int64), template, nowhere)


def split_warps(streams: Streams, warps: int) -> Streams:
    """A stream for every warp of a template: that of warp w of template t is t * warps + w."""
    templates = len(streams.first_round) - 1
    starts = streams.rounds[np.minimum(streams.first_round, len(streams.rounds) - 1)]
    ends = streams.rounds[streams.first_round[1:] - 1]
    owner = np.repeat(np.arange(templates), ends - starts[:-1]) * warps + streams.warp
    in_turn = np.repeat(np.arange(len(streams.rounds) - 1), np.diff(streams.rounds))
    order = np.argsort(owner, kind="stable")
    owner, in_turn = owner[order], in_turn[order]
    begins = np.append(True, (np.diff(owner) != 0) | (np.diff(in_turn) != 0))[: len(order)]
    places = np.flatnonzero(begins)
    counts = np.bincount(owner[places], minlength=templates * warps)
    first = np.concatenate([[0], np.cumsum(counts + 1)])
    # Each stream's rounds are followed by their end, which is where the next stream starts.
    rounds = np.insert(places, np.cumsum(counts), np.append(places, len(order))[np.cumsum(counts)])
    return Streams(
        streams.base[order], streams.info[order], streams.words[order], streams.shift[order],
        streams.warp[order], rounds.astype(np.int64), first.astype(np.int64), streams.shifts,
        streams.template, streams.steps,
    )  # fmt: skip
