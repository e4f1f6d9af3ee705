"""Whether loaded data can reach an address, a guard or a branch of a kernel.

A kernel whose control flow and addresses depend only on indices and parameters makes the same
requests whatever its buffers hold; one that follows loaded data (an index list, a histogram) does
not, and a sample of its blocks says little about the others.

A forward data-flow analysis over the machine code: every loaded value is tainted, an instruction
with a tainted input taints what it writes, an untainted write cleans. Values that pass through
memory count as loaded, except spills: words of local memory at fixed places of the stack are
followed like registers. Compilers guard an address and its access with one predicate, so the
analysis keeps, besides the registers that may be tainted, those that may be when a given predicate
is true or false. Sets of registers are bits of an integer.
"""

from __future__ import annotations

from collections.abc import Sequence

from simulator.isa.kernel import Instruction, Kernel
from simulator.registers import Step
from simulator.successors import find_successors

# State: the registers that may be tainted, then those that may be when P0..P7, !P0..!P7 hold.
State = list[int]
_SETS = 17


def find_states(
    kernel: Kernel, steps: Sequence[Step], following: Sequence[Sequence[int]] | None = None
) -> list[State | None]:
    """What may be tainted before every instruction; None where none of them comes by.

    ``following``: the instructions that can run after each one, if not ``find_successors``.
    """
    following = find_successors(kernel) if following is None else following
    states: list[State | None] = [None] * len(steps)
    states[0] = [0] * _SETS
    work = [0]
    while work:
        index = work.pop()
        state = states[index]
        assert state is not None
        after = _apply(steps[index], state)
        for successor in following[index]:
            merged = _join(states[successor], after)
            if merged is not None:
                states[successor] = merged
                work.append(successor)
    return states


def first_steered(
    kernel: Kernel, steps: Sequence[Step], states: Sequence[State | None]
) -> Instruction | None:
    """The first instruction whose address, guard or branch is tainted."""
    return next(iter(all_steered(kernel, steps, states)), None)


def all_steered(
    kernel: Kernel, steps: Sequence[Step], states: Sequence[State | None]
) -> list[Instruction]:
    """The instructions whose address, guard or branch is tainted."""
    return [i for i in kernel.instructions if _steered(steps[i.index], states[i.index])]


def _steered(step: Step, state: State | None) -> bool:
    return state is not None and step.steers & state[step.guard] != 0


def _join(old: State | None, new: State) -> State | None:
    """The union of two states, or None when it is the old one."""
    if old is None:
        return new
    if old == new:
        return None
    merged = [a | b for a, b in zip(old, new, strict=True)]
    return merged if merged != old else None


def _apply(step: Step, state: State) -> State:
    after = _apply_everywhere(step, state) if step.guard == 0 else _apply_guarded(step, state)
    for predicate in step.redefines:
        after[1 + predicate] = after[9 + predicate] = after[0]
    return after


def _apply_everywhere(step: Step, state: State) -> State:
    """An instruction without a guard; most sets of a state are one and the same object."""
    after: State = []
    known, written = -1, -1
    for old in state:
        if old is not known:
            known, written = old, _written_set(step, old, old)
        after.append(written)
    return after


def _written_set(step: Step, state: int, inputs: int) -> int:
    if step.loads or step.reads & inputs:
        return state | step.writes
    return state & ~step.writes


def _apply_guarded(step: Step, state: State) -> State:
    """The write happens only where the guard holds, with the inputs as they are there."""
    there = state[step.guard]
    tainted = step.loads or step.reads & there
    after = [s | step.writes if tainted else s for s in state]
    other = opposite(step.guard)
    after[step.guard] = _written_set(step, there, there)
    after[other] = state[other]
    after[0] = after[step.guard] | after[other]
    return after


def opposite(guard: int) -> int:
    """The set for the other value of a guard's predicate."""
    return guard + 8 if guard < 9 else guard - 8
