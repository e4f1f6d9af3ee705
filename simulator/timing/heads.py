"""The heads of the four queues before the load/store unit."""

from __future__ import annotations

from simulator.jit import inlined, int64
from simulator.timing import opcodes as op
from simulator.timing.lower import KIND
from simulator.timing.state import (
    HEAD_KIND,
    HEAD_TIME,
    NEEDS_PORT,
    NEEDS_TAG,
    NEVER,
    QUEUE_COUNT,
    QUEUE_FIRST,
    UNIT_FREE,
    Sm,
    Streams,
)


@inlined
def note_head(sm: Sm, streams: Streams, queue: int) -> None:
    """Note what the instruction that has become a queue's head needs, if there is one.

    Those of its warp before it have been served, so it is known when the unit has done with them.
    """
    if sm.queued[queue, QUEUE_COUNT] == 0:
        sm.heads[queue, HEAD_TIME] = NEVER
        sm.heads[queue, HEAD_KIND] = op.FIXED
        return
    head = sm.queue[queue, sm.queued[queue, QUEUE_FIRST]]
    kind = int64(streams.code[head[1], KIND])
    in_turn = kind >= op.LSU_ONLY
    sm.heads[queue, HEAD_KIND] = kind
    sm.heads[queue, HEAD_TIME] = max(head[3], sm.slots[head[0], UNIT_FREE]) if in_turn else head[3]
    sm.heads[queue, NEEDS_PORT] = -int64(in_turn or kind == op.SPECIAL)
    sm.heads[queue, NEEDS_TAG] = -int64(kind >= op.LOAD)
