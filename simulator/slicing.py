"""Which arithmetic a replay can do without that only asks for addresses and the way of the warps.

What a floating-point or matrix instruction computes mostly ends up in memory and steers nothing.
A backward analysis over the machine code follows what does: the registers of addresses, guards and
branches, and all that they are computed from. If loaded data is among these, nothing may be left
out, as stores then matter too. Compilers guard an address and its access with one predicate, so it
is kept under which guard a register steers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from simulator.dataflow import opposite
from simulator.isa.kernel import RZ, Instruction, Kernel, OperandKind, Space
from simulator.registers import CONTROL, Step, find_steps, guard_bits
from simulator.remembering import remembered
from simulator.successors import find_successors

# Registers that steer, one bit each, by the guard under which they do (``registers.Step``; 0: in
# any case).
Live: TypeAlias = dict[int, int]
_NOTHING: Live = {}
# Arithmetic that takes a replay its time; everything else is executed in any case.
_ARITHMETIC = (
    "FFMA", "FADD", "FMUL", "FMNMX", "FSEL", "FFMA2", "FADD2", "FMUL2", "F2FP", "MUFU",
    "HFMA2", "HADD2", "HMUL2", "HMNMX2", "DFMA", "DADD", "DMUL", "HMMA", "IMMA",
)  # fmt: skip
_CALLS = ("CALL", "BSSY", "BSYNC")  # what they read, if anything, says where the lanes go
_FEWEST = 16  # a second translation of the kernel has its price too


@lru_cache(maxsize=4)
@remembered(sorted, lambda _, found: frozenset(found))
def dispensable(kernel: Kernel, shared: bool = True) -> frozenset[int]:
    """Indices of instructions without which every address, guard and branch stays the same; none
    if they are too few to matter.

    Nobody asks for the accesses to shared memory if ``shared`` is false: they are left out too.
    """
    accesses = frozenset() if shared else _shared_accesses(kernel)
    candidates = accesses | {i.index for i in kernel.instructions if _computes(i)}
    if len(candidates) < _FEWEST:
        return frozenset()
    steps = list(find_steps(kernel))
    for index in accesses:  # where they go does not matter
        steps[index] = replace(steps[index], steers=0)
    needed = _needed(kernel, steps)
    if needed is None:
        return frozenset()
    found = frozenset(candidates - needed)
    return found if len(found) >= _FEWEST else frozenset()


def deciding(kernel: Kernel) -> frozenset[int]:
    """Indices of the instructions whose results an address, a guard or a branch is computed from;
    none if loaded data is among these."""
    steps = find_steps(kernel)
    guarded = [replace(s, steers=s.steers | guard_bits(i)) for i, s in _pairs(kernel, steps)]
    return frozenset(_needed(kernel, guarded) or ())


def aside(kernel: Kernel, watched: frozenset[int]) -> frozenset[int] | None:
    """Indices of instructions without which every warp takes the same way, every guard holds for
    the same lanes, and those ``watched`` have the same results; None if loaded data has a say in
    that."""
    steps = [_way_step(i, s, i.index in watched) for i, s in _pairs(kernel, find_steps(kernel))]
    needed = _needed(kernel, steps)
    if needed is None:
        return None
    kept = (*CONTROL, *_CALLS, "BMOV", "BPT")
    found = {i.index for i in kernel.instructions if i.opcode not in kept}
    return frozenset(found - needed - watched)


def _pairs(kernel: Kernel, steps: Sequence[Step]) -> Iterator[tuple[Instruction, Step]]:
    return zip(kernel.instructions, steps, strict=True)


def _way_step(i: Instruction, step: Step, watched: bool) -> Step:
    """Where an access goes does not matter; every guard does."""
    steers = guard_bits(i) if i.access else step.steers | guard_bits(i)
    return replace(step, steers=steers | step.reads if watched else steers)


def _computes(i: Instruction) -> bool:
    """Whether an instruction is arithmetic with numbers of registers. Compilers also write
    constants into registers with it, those of addresses too."""
    sources = i.operands[1:]
    numbers = [o for o in sources if o.kind is OperandKind.REGISTER and o.value != RZ]
    return i.opcode in _ARITHMETIC and bool(numbers)


def _shared_accesses(kernel: Kernel) -> frozenset[int]:
    """Instructions that touch shared memory and no other."""
    accesses = [(i.index, i.access) for i in kernel.instructions if i.access is not None]
    return frozenset(index for index, access in accesses if access.space is Space.SHARED)


def _needed(kernel: Kernel, steps: Sequence[Step]) -> set[int] | None:
    """Instructions whose results steer; None if loaded data is among them."""
    following = find_successors(kernel)
    before = _predecessors(following)
    states = [_NOTHING] * len(steps)  # as they are before an instruction
    needed: set[int] = set()
    waiting = [True] * len(steps)
    while any(waiting):
        for instruction in reversed(kernel.instructions):
            index = instruction.index
            if not waiting[index]:
                continue
            waiting[index] = False
            after = _union([states[n] for n in following[index]])
            step = steps[index]
            if step.writes & _alive(after, step.guard):
                if step.loads:
                    return None
                needed.add(index)
            state = _before(instruction, step, after, index in needed)
            if state != states[index]:
                states[index] = state
                for other in before[index]:
                    waiting[other] = True
    return needed


def _predecessors(following: Sequence[Sequence[int]]) -> list[list[int]]:
    """Instructions that each one can run after."""
    found: list[list[int]] = [[] for _ in following]
    for index, others in enumerate(following):
        for other in others:
            found[other].append(index)
    return found


def _union(states: list[Live]) -> Live:
    if len(states) == 1:
        return states[0]
    found: Live = {}
    for state in states:
        for guard, registers in state.items():
            found[guard] = found.get(guard, 0) | registers
    return found


def _alive(state: Live, guard: int) -> int:
    """Registers that may steer where a guard holds: all but those that do where it does not."""
    found = 0
    for other, registers in state.items():
        if guard == 0 or other != opposite(guard):
            found |= registers
    return found


def _before(i: Instruction, step: Step, after: Live, needed: bool) -> Live:
    """What steers before an instruction, given what does after it."""
    state = dict(after)
    for predicate in step.redefines:  # a condition on it says nothing of what it was before
        for guard in (1 + predicate, 9 + predicate):
            if guard in state:
                state[0] = state.get(0, 0) | state.pop(guard)
    if i.predicate is None and not i.opcode.endswith("MMA"):
        state = {guard: registers & ~step.writes for guard, registers in state.items()}
    elif step.guard in state and step.guard:
        state[step.guard] &= ~step.writes
    reads = step.steers | (step.reads if needed or i.opcode in _CALLS else 0)
    if reads:
        state[step.guard] = state.get(step.guard, 0) | reads
    return {guard: registers for guard, registers in state.items() if registers}
