"""The loop of one SM: from event to event, cycle by cycle where warps issue."""

from __future__ import annotations

from simulator.jit import compiled, inlined, int64
from simulator.timing.blocks import launch_block
from simulator.timing.issue import issue
from simulator.timing.lsu import next_service, serve
from simulator.timing.rates import Rates
from simulator.timing.selecting import pick
from simulator.timing.state import (
    ATOMIC_CHIP,
    HOT_FREE,
    LAST_END,
    NEVER,
    NEW_HEAD,
    NEXT_BLOCK,
    NOW,
    RESIDENT,
    SUBCORES,
    Sm,
    Streams,
    slot_of,
)
from simulator.timing.tables import SM_ROWS, STREAM_ROWS, with_lengths
from simulator.timing.waking import move_epoch

_known_sm = with_lengths(SM_ROWS)
_known_streams = with_lengths(STREAM_ROWS)


@inlined
def issue_all(sm: Sm, streams: Streams, rates: Rates, now: int) -> None:
    """Let every sub-core issue at most one instruction. (The four times are looked at one by one:
    a processor that reads together what it has just written in parts waits until all is stored.)"""
    for subcore in range(SUBCORES):
        if sm.wakes[subcore] > now:
            continue
        place = pick(sm, streams, rates, subcore, now)
        if place >= 0:
            issue(sm, streams, rates, slot_of(subcore, place), now)


@inlined
def next_issue(sm: Sm, now: int) -> int:
    """The first time after ``now`` at which a sub-core may issue."""
    wakes = sm.wakes
    return int64(max(min(min(wakes[0], wakes[1]), min(wakes[2], wakes[3])), now + 1))


@compiled
def run_sm(sm: Sm, streams: Streams, rates: Rates, resident: int) -> int:
    """Run all blocks of an SM, ``resident`` at a time; returns 0, or 1 if its warps wait for
    ever."""
    sm, streams = _known_sm(sm), _known_streams(streams)
    total = sm.blocks.shape[0]
    warps = (streams.starts.shape[0] - 1) // total
    for frame in range(min(resident, total)):
        launch_block(sm, streams, rates, warps, frame * warps, int64(0))
    now = int64(0)
    served, queue = NEVER, int64(0)
    while sm.clock[RESIDENT] > 0 or sm.clock[NEXT_BLOCK] < total:
        while served <= now:
            serve(sm, streams, rates, queue, served)
            served, queue = next_service(sm, streams, rates)
        issue_all(sm, streams, rates, now)
        if sm.clock[NEW_HEAD]:
            served, queue = next_service(sm, streams, rates)
        now = min(next_issue(sm, now), served)
        move_epoch(sm, now)
        if now == NEVER:
            break
    sm.clock[NOW] = now
    sm.clock[LAST_END] = max(
        sm.clock[LAST_END], int64(max(sm.flows[ATOMIC_CHIP], sm.flows[HOT_FREE]))
    )
    return 0 if sm.clock[RESIDENT] == 0 else 1
