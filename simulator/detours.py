"""What loaded data steers in a kernel, apart from the subroutines of quick arithmetic.

A quotient or a square root is a few instructions, unless an operand is extreme: then a branch leads
round some of them, to a subroutine. Which memory a warp touches is the same either way, as neither
the subroutine nor what it stands for touches any. So data at such a branch decide only how often
the instructions of this detour are executed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from simulator.dataflow import all_steered, find_states
from simulator.isa.kernel import INSTRUCTION_BYTES, Instruction, Kernel, OperandKind
from simulator.registers import Step, find_steps
from simulator.remembering import remembered
from simulator.successors import find_successors, own_targets

Ways = Sequence[Sequence[int]]
# What a detour, and what it goes round, must be without, besides accesses to memory: the ends of
# warps, and all by which lanes and warps meet.
_MEETING = frozenset((
    "EXIT", "BAR", "WARPSYNC", "SHFL", "VOTE", "VOTEU", "MATCH", "REDUX", "DEPBAR", "MEMBAR",
    "BRX", "JMP", "JMX", "BREAK", "YIELD", "NANOSLEEP",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Steering:
    """The first instruction whose address, guard or branch loaded data steers, not counting
    ``detours``: instructions that are executed only where extreme operands lead to them."""

    where: Instruction | None
    detours: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class _Detour:
    """The ``way`` from a branch to where its sides meet again, what it goes ``round``, the
    ``calls`` on it, and the instructions of the subroutines called."""

    way: frozenset[int]
    round: frozenset[int]
    body: frozenset[int]
    calls: Sequence[int]


def _to_plain(found: Steering) -> list[Any]:
    return [None if found.where is None else found.where.index, sorted(found.detours)]


def _from_plain(kernel: Kernel, plain: list[Any]) -> Steering:
    where, detours = plain
    return Steering(None if where is None else kernel.instructions[where], frozenset(detours))


@remembered(_to_plain, _from_plain)
def find_steering(kernel: Kernel) -> Steering:
    """What loaded data steers. What is computed on a detour, or in what it goes round, counts as
    loaded."""
    steps, following = list(find_steps(kernel)), list(find_successors(kernel))
    ways = _ways(kernel)
    detours: frozenset[int] = frozenset()
    while steered := all_steered(kernel, steps, find_states(kernel, steps, following)):
        changed = False
        for branch in steered:
            found = _detour(kernel, ways, branch)
            if found is None:
                continue
            changed, detours = True, detours | found.way | found.body
            steps[branch.index] = replace(steps[branch.index], steers=0)
            body = [steps[index] for index in found.body]
            for index in found.way:
                steps[index] = replace(steps[index], steers=0, loads=True)
            for index in found.round:  # whether it is executed hangs on data as well
                steps[index] = replace(steps[index], loads=True)
            for index in found.calls:
                steps[index], following[index] = _called(steps[index], body), [index + 1]
        if not changed:
            return Steering(steered[0])
    return Steering(None, detours)


def _called(call: Step, body: Iterable[Step]) -> Step:
    """A call and its subroutine as one step."""
    writes, redefines = call.writes, set(call.redefines)
    for step in body:
        writes |= step.writes
        redefines |= set(step.redefines)
    return replace(call, writes=writes, loads=True, steers=0, redefines=tuple(sorted(redefines)))


def _ways(kernel: Kernel) -> Ways:
    """Instructions that can run after each one, but behind a call those after its return."""
    following = list(find_successors(kernel))
    for i in kernel.instructions:
        if i.opcode in ("CALL", "RET"):
            following[i.index] = [i.index + 1] if i.opcode == "CALL" else []
    return following


def _reach(ways: Ways, start: Iterable[int], without: int = -1) -> set[int]:
    """What can run from some instructions on, until one of them comes by."""
    found: set[int] = set()
    waiting = list(start)
    while waiting:
        index = waiting.pop()
        if index not in found and index != without and index < len(ways):
            found.add(index)
            waiting += ways[index]
    return found


def _detour(kernel: Kernel, ways: Ways, branch: Instruction) -> _Detour | None:
    """The detour that a branch opens on one of its sides; None if it is no such branch."""
    targets = own_targets(branch)
    if branch.opcode != "BRA" or len(ways[branch.index]) != 2:
        return None
    there = _reach(ways, targets, branch.index)
    on = _reach(ways, [branch.index + 1], branch.index)
    sides = [there - on, on - there]
    calls = [[i for i in sorted(side) if _is_call(kernel, i, side)] for side in sides]
    if bool(calls[0]) == bool(calls[1]):
        return None
    number = 0 if calls[0] else 1
    way, past, called = sides[number], sides[1 - number], calls[number]
    starts = [n for index in called for n in own_targets(kernel.instructions[index])]
    body = _reach(ways, starts)
    touched = [kernel.instructions[index] for index in sides[0] | sides[1] | body]
    returns = all(_is_plain(i) and (i.opcode != "CALL" or i.index in called) for i in touched)
    made = _Detour(frozenset(way), frozenset(past), frozenset(body), called)
    return made if returns else None


def _is_call(kernel: Kernel, index: int, side: set[int]) -> bool:
    """Whether an instruction calls a subroutine that returns to the one behind it."""
    call = kernel.instructions[index]
    behind = (index + 1) * INSTRUCTION_BYTES
    return call.opcode == "CALL" and any(
        i.opcode == "MOV" and (i.operands[-1].kind, i.operands[-1].value) == _address(behind)
        for i in kernel.instructions[:index]
        if i.index in side
    )


def _address(value: int) -> tuple[OperandKind, int]:
    return OperandKind.IMMEDIATE, value


def _is_plain(i: Instruction) -> bool:
    return i.access is None and i.opcode not in _MEETING
