"""Blocks run one after another, with a number for the way that each of them takes."""

from __future__ import annotations

from simulator.emulator.runtime import scheduler as at
from simulator.emulator.runtime.scheduler import run
from simulator.jit import Int, compiled, step


@compiled
def digest(
    x: Int, table: Int, needs: Int, capacity: Int, executed: Int, thread_executed: Int, warps: Int,
    stride: Int, count: Int, threads: Int, rows: Int, poison: Int,
    blocks: Int, state: Int, counters: Int, weights: Int, digests: Int,
) -> Int:  # fmt: skip
    """``scheduler.run`` for a block at a time, from ``state`` on; returns why it ends.

    ``digests`` gets for each block by how much the sum of all ``counters``, times their
    ``weights``, has grown. All are int64, and sums wrap.
    """
    while state[at.S_END] < len(blocks) or state[at.S_POSITION] < state[at.S_END]:
        if state[at.S_POSITION] == state[at.S_END]:
            state[at.S_END] += 1
            digests[state[at.S_POSITION]] = -_total(counters, weights)
        why = run(
            x, table, needs, capacity, executed, thread_executed, warps, stride, count, threads,
            rows, poison, blocks, state,
        )  # fmt: skip
        if state[at.S_POSITION] == state[at.S_END]:  # a tick may come at the end of a block too
            digests[state[at.S_POSITION] - 1] += _total(counters, weights)
        if why != at.FINISHED:
            return why
    return at.FINISHED


@step
def _total(counters: Int, weights: Int) -> Int:
    found = 0
    for index in range(len(counters)):
        found += counters[index] * weights[index]
    return found
