"""Whether the counts of a launch hang on the order in which its warps run.

What an atomic finds in memory depends on who came before it. Where that reaches an address, a guard
or a branch (a loop that tries compare-and-swap again, a place taken from a counter, a ticket), a
GPU counts something else in every launch, and a replay is one of these launches: its counts are
bounded, not exact. Follows the results of atomics through registers and, where they are stored,
through memory of that kind.
"""

from __future__ import annotations

from dataclasses import replace

from simulator.dataflow import State, find_states, first_steered
from simulator.isa.kernel import AccessKind, Instruction, Kernel, Space
from simulator.registers import Step, find_steps, stored_bits

_ATOMICS = (AccessKind.ATOMIC, AccessKind.ATOMIC_CAS, AccessKind.CAST_SPIN)
_WARP = 32


def follows_order(kernel: Kernel, blocks: int, threads: int) -> Instruction | None:
    """The first instruction that the order of warps can steer, in a launch of ``blocks`` blocks of
    ``threads`` threads; None if no atomic steers any, or no two warps share what it finds."""
    found = [i for i in kernel.instructions if _is_atomic(i) and _is_shared_out(i, blocks, threads)]
    if not found:
        return None
    plain = find_steps(kernel)
    tainted: frozenset[Space] = frozenset()
    while True:
        steps = [_step(i, plain[i.index], found, tainted) for i in kernel.instructions]
        states = find_states(kernel, steps)
        where = first_steered(kernel, steps, states)
        wider = tainted | _spaces_written(kernel, states)
        if where is not None or wider == tainted:
            return where
        tainted = wider


def _is_atomic(i: Instruction) -> bool:
    return i.access is not None and i.access.kind in _ATOMICS


def _is_shared_out(i: Instruction, blocks: int, threads: int) -> bool:
    """Whether several warps see the memory of an atomic."""
    assert i.access is not None
    return threads > _WARP or (blocks > 1 and i.access.space is not Space.SHARED)


def _step(i: Instruction, step: Step, found: list[Instruction], tainted: frozenset[Space]) -> Step:
    """The step with loads only where something depends on the order."""
    if not step.loads:
        return step
    assert i.access is not None
    return replace(step, loads=i in found or bool(_spaces(i.access.space) & tainted))


def _spaces(space: Space) -> frozenset[Space]:
    """Where a generic address can lead."""
    return frozenset((Space.SHARED, Space.GLOBAL) if space is Space.GENERIC else (space,))


def _spaces_written(kernel: Kernel, states: list[State | None]) -> frozenset[Space]:
    """The kinds of memory that tainted values are stored to."""
    spaces: frozenset[Space] = frozenset()
    for i in kernel.instructions:
        state = states[i.index]
        if state is None or i.access is None or i.access.kind is AccessKind.LOAD:
            continue
        if stored_bits(i) & state[0]:
            spaces |= _spaces(i.access.space)
    return spaces
