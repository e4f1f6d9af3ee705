"""The heads of the four queues before the load/store unit."""

from __future__ import annotations

from simulator.jit import inlined, int64
from simulator.timing import opcodes as op
from simulator.timing.copying import room_for_copy
from simulator.timing.lower import EXTRA, KIND
from simulator.timing.state import (
    HEAD_CAME,
    HEAD_KIND,
    HEAD_TIME,
    NEEDS_PORT,
    NEEDS_ROOM,
    NEEDS_TAG,
    NEVER,
    QUEUE_COUNT,
    QUEUE_FIRST,
    UNIT_FREE,
    Sm,
    Streams,
)


@inlined
def is_copying(streams: Streams, pc: int) -> bool:
    """Whether an instruction copies asynchronously or closes a group of such copies."""
    kind = streams.code[pc, KIND]
    return bool(kind == op.ASYNC_COPY or (kind == op.LSU_ONLY and streams.code[pc, EXTRA]))


@inlined
def note_head(sm: Sm, streams: Streams, queue: int) -> None:
    """Note what the instruction that has become a queue's head needs, if there is one.

    Those of its warp before it have been served, so it is known when the unit has done with them.
    """
    if sm.queued[queue, QUEUE_COUNT] == 0:
        sm.heads[HEAD_TIME, queue] = sm.heads[HEAD_CAME, queue] = NEVER
        sm.heads[NEEDS_ROOM, queue] = 0
        return
    head = sm.queue[queue, sm.queued[queue, QUEUE_FIRST]]
    kind = int64(streams.code[head[1], KIND])
    in_turn = kind >= op.LSU_ONLY
    sm.heads[HEAD_KIND, queue] = kind
    sm.heads[HEAD_CAME, queue] = head[3]
    time = max(head[3], sm.slots[head[0], UNIT_FREE]) if in_turn else head[3]
    if in_turn and not is_copying(streams, int64(head[1])):  # behind the copies before
        time = max(time, room_for_copy(sm))
    sm.heads[HEAD_TIME, queue] = time
    sm.heads[NEEDS_PORT, queue] = -int64(in_turn or kind == op.SPECIAL)
    sm.heads[NEEDS_TAG, queue] = -int64(kind >= op.LOAD and kind != op.ASYNC_COPY)
    sm.heads[NEEDS_ROOM, queue] = -int64(kind == op.STORE or kind == op.ATOMIC)
