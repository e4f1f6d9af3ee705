"""What a launch's blocks ask of the caches: streams of items, for blocks replayed and others.

A *stream* is a block's items in a plausible order: the warps of a block take turns, a request
each, between two barriers. The items of one request and one turn form a *round*.

A *template* is the stream of one block that other blocks share but for a shift: every item moves
by a number of sectors for each step along a grid axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.jit import compiled, int64
from simulator.memory.caches.items import INSTRUCTION_SHIFT, LOCAL_BASE, Items, select

Ints = NDArray[np.int64]
LOCAL_SHIFT = -1


@dataclass(frozen=True)
class Stream:
    """One block's items in order; round ``r`` is items ``rounds[r]`` to ``rounds[r + 1]``."""

    base: Ints
    info: NDArray[np.uint32]
    stored: NDArray[np.uint32]
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
    stored: NDArray[np.uint32]
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
    order = np.argsort(items.block, kind="stable")
    ordered = select(items, order)
    edges = np.flatnonzero(np.diff(ordered.block)) + 1
    starts, ends = np.append(0, edges), np.append(edges, len(order))
    return {
        int(ordered.block[a]): _make_stream(select(ordered, slice(a, b)))
        for a, b in zip(starts, ends, strict=True)
    }


def _make_stream(items: Items) -> Stream:
    """Order one block's items; they come warp by warp, from barrier to barrier."""
    warp = items.warp.astype(np.int64)
    backward = np.append(False, np.diff(warp) < 0)
    epoch = np.cumsum(backward)
    turn = _turns(items.request, epoch, warp)
    order = np.lexsort((items.base, warp, turn, epoch))
    epoch, turn = epoch[order], turn[order]
    begins = np.append(True, (np.diff(epoch) != 0) | (np.diff(turn) != 0))
    rounds = np.append(np.flatnonzero(begins), len(order)).astype(np.int64)
    ordered = select(items, order)
    return Stream(ordered.base, ordered.info, ordered.stored, ordered.warp, rounds)


def _turns(request: Ints, epoch: Ints, warp: Ints) -> Ints:
    """How many requests of the same warp and epoch come before each item's."""
    dense = np.cumsum(np.append(False, np.diff(request) != 0))
    begins = np.append(True, (np.diff(epoch) != 0) | (np.diff(warp) != 0))
    first = dense[np.flatnonzero(begins)]
    return np.asarray(dense - first[np.cumsum(begins) - 1], np.int64)


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
        np.concatenate([s.stored for s in streams]),
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


def own_streams(blocks: Mapping[int, Stream], total: int) -> Streams:
    """Every block of a launch of ``total`` blocks with its own stream."""
    found = [blocks.get(block) or empty_stream() for block in range(total)]
    shift = [np.where(s.base >= LOCAL_BASE, LOCAL_SHIFT, 0).astype(np.int32) for s in found]
    nowhere = np.zeros((total, 3), np.int64)
    return join(found, shift, np.zeros((1, 3), np.int64), np.arange(total), nowhere)


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
        streams.base[order], streams.info[order], streams.stored[order], streams.shift[order],
        streams.warp[order], rounds.astype(np.int64), first.astype(np.int64), streams.shifts,
        streams.template, streams.steps,
    )  # fmt: skip


def count_batches(streams: Streams, waits: Ints) -> Ints:
    """Batches of each template: rounds that follow each other without waiting for a result.

    ``waits`` has, for every instruction, the first later one that needs its result.
    """
    counts = np.zeros(len(streams.first_round) - 1, np.int64)
    _count_batches(streams.info, streams.rounds, streams.first_round, waits, counts)
    return counts


@compiled
def _count_batches(
    info: NDArray[np.uint32], rounds: Ints, first_round: Ints, waits: Ints, counts: Ints
) -> None:
    for template in range(len(counts)):
        needed, last = -1, -1
        for place in range(first_round[template], first_round[template + 1] - 1):
            instruction = int64(info[rounds[place]]) >> INSTRUCTION_SHIFT
            if last < 0 or instruction <= last or instruction >= needed:
                counts[template] += 1
                needed = waits[instruction]
            needed, last = min(needed, waits[instruction]), instruction
