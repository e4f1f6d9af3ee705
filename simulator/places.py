"""Whether blocks between the ends of a grid may take different ways through a kernel.

Most kernels compare a block's place with a threshold, the edge of a matrix: blocks on the same side
take the same way, and the ends of a grid show whether it has two sides. Other comparisons single
out blocks anywhere: whether a place equals a number, has a bit or a remainder, or what several
axes make of it together. A forward analysis over the machine code finds these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from simulator.dataflow import State, find_states
from simulator.isa.kernel import RZ, Instruction, Kernel, Operand, OperandKind
from simulator.registers import (
    PREDICATE_BITS,
    Step,
    address_bits,
    compared_bits,
    find_steps,
    source_bits,
)
from simulator.remembering import remembered
from simulator.slicing import deciding

_AXES = tuple(f"SR_CTAID.{axis}" for axis in "XYZ")
# What makes of a place a multiple of it, and something that is the same for all blocks. A compiler
# joins bits that do not overlap with a logical or.
_LINEAR = frozenset((
    "S2R", "S2UR", "MOV", "UMOV", "R2UR", "CS2R", "IADD3", "UIADD3", "IADD", "IADD64", "VIADD",
    "IMAD", "UIMAD", "LEA", "ULEA", "SEL", "USEL",
))  # fmt: skip
_NUMBERS = (OperandKind.FLOAT, OperandKind.IMMEDIATE)
_LARGE = 1 << 20
_REGISTERS = (OperandKind.REGISTER, OperandKind.UNIFORM_REGISTER)
# Bits of a LOP3's table of truth where its first, second and third input are set.
_SET = (0xF0, 0xCC, 0xAA)
_ALL = 0xFF
# Never falls while the place grows, or never rises: parts and bounds.
_STEADY = frozenset((
    "SHF", "USHF", "IMNMX", "UIMNMX", "VIMNMX", "VIMNMX3", "VIADDMNMX", "IMAD", "UIMAD",
))  # fmt: skip


@dataclass(frozen=True)
class Telling:
    """The comparisons by which blocks between the ends of a grid may differ, and the first access
    whose addresses need not grow evenly from block to block."""

    comparisons: Sequence[Instruction] = ()
    access: Instruction | None = None

    @property
    def watched(self) -> frozenset[int]:
        """The comparisons by index."""
        return frozenset(i.index for i in self.comparisons)


def _to_plain(found: Telling) -> list[Any]:
    return [sorted(found.watched), None if found.access is None else found.access.index]


def _from_plain(kernel: Kernel, plain: list[Any]) -> Telling:
    comparisons, access = plain
    code = kernel.instructions
    return Telling(tuple(code[n] for n in comparisons), None if access is None else code[access])


@remembered(_to_plain, _from_plain)
def find_telling(kernel: Kernel) -> Telling:
    """What tells blocks between the ends of a grid apart; nothing where loaded data steers."""
    needed = deciding(kernel)
    if not needed:
        return Telling()
    places = _find_places(kernel)
    found = [
        i for i in kernel.instructions if i.index in needed and _tells_apart(kernel, places, i)
    ]
    bent = (i for i in kernel.instructions if i.access is not None and places.bends(i))
    return Telling(tuple(found), next(bent, None))


def _tells_apart(kernel: Kernel, places: _Places, i: Instruction) -> bool:
    bits = compared_bits(i)
    if not bits:
        return False
    if _is_sign(i) and (joined := _joined(kernel, i)) is not None:
        return any(places.tell_apart(joined, bits, False) for bits in source_bits(joined).values())
    return places.tell_apart(i, bits, _is_exact(i))


@dataclass(frozen=True)
class _Places:
    """Where the place of a block goes, by axis, and what a kernel makes of it that neither only
    grows nor only falls with it (``broken``)."""

    axes: Sequence[_Follow]
    broken: _Follow

    def tell_apart(self, i: Instruction, bits: int, exact: bool) -> bool:
        """Whether a comparison of these registers is not one of a place with a threshold."""
        count = sum(axis.reaches(i, bits) for axis in self.axes)
        return count > 1 or (count > 0 and (exact or self.broken.reaches(i, bits)))

    def bends(self, i: Instruction) -> bool:
        """Whether an address need not grow evenly with a place."""
        return self.broken.reaches(i, address_bits(i))


def _find_places(kernel: Kernel) -> _Places:
    axes = [_follow(kernel, partial(_is_source, name)) for name in _AXES]

    def reached(i: Instruction) -> list[int]:
        bits = source_bits(i)
        return [n for n in bits if any(axis.reaches(i, bits[n]) for axis in axes)]

    def bends(i: Instruction) -> bool:
        there = reached(i)
        return bool(there) and not _is_linear(i, there)

    stepped = _follow(kernel, bends)

    def breaks(i: Instruction) -> bool:
        there = reached(i)
        if len(there) > 1:  # a remainder is the place less a multiple of its part
            return any(stepped.reaches(i, bits) for bits in source_bits(i).values())
        if bends(i):
            return i.opcode not in _STEADY
        return bool(there) and _wraps(kernel, i)

    return _Places(axes, _follow(kernel, breaks))


@dataclass(frozen=True)
class _Follow:
    """Where the results of some instructions go."""

    steps: Sequence[Step]
    states: Sequence[State | None]

    def reaches(self, i: Instruction, registers: int) -> bool:
        """Whether any of them is in one of the registers before an instruction."""
        state = self.states[i.index]
        return state is not None and registers & state[self.steps[i.index].guard] != 0


def _follow(kernel: Kernel, starts: Callable[[Instruction], bool]) -> _Follow:
    """Through registers only: predicates are judged where they are made."""
    steps = [
        replace(step, loads=starts(i), reads=step.reads & ~PREDICATE_BITS)
        for i, step in zip(kernel.instructions, find_steps(kernel), strict=True)
    ]
    return _Follow(steps, find_states(kernel, steps))


def _is_source(name: str, i: Instruction) -> bool:
    return any(operand.text == name for operand in i.operands)


def _is_linear(i: Instruction, there: Sequence[int]) -> bool:
    """Whether a result grows evenly with a place that is in the operands ``there``."""
    if i.opcode in ("SHF", "USHF"):
        return i.has("L")
    if i.opcode in ("LOP3", "ULOP3"):
        return all(_is_joined(i, n) for n in there)
    return i.opcode in _LINEAR and not i.has("HI")


def _is_joined(i: Instruction, n: int) -> bool:
    """Whether an operand of a logical operation is only or'ed with something: where a bit of it is
    set, one of the result is. Low bits may be cut off, as those of a place times a power of two
    are not set."""
    first, table = len(i.operands) - 5, i.operands[-2].value
    mask = next((m for m in (first, first + 1, first + 2) if _is_high(i.operands[m])), None)
    chosen = _SET[n - first] & (_ALL if mask in (None, n) else _SET[mask - first])
    return table & chosen == chosen


def _is_high(operand: Operand) -> bool:
    """Whether an operand is a constant with all bits set from one on."""
    low = ~operand.value & 0xFFFFFFFF
    return operand.kind is OperandKind.IMMEDIATE and low & (low + 1) == 0


def _wraps(kernel: Kernel, i: Instruction) -> bool:
    """Whether a product with a large constant may leave 32 bits, as in tests for remainders."""
    if i.opcode not in ("IMAD", "UIMAD") or i.has("WIDE") or i.has("MOV"):
        return False
    return any(
        _LARGE <= (_constant(kernel, i, o) or 0) < (1 << 32) - _LARGE for o in i.operands[1:3]
    )


def _constant(kernel: Kernel, i: Instruction, operand: Operand) -> int | None:
    """The 32 bits of a constant, or of one that was moved into a register right before."""
    if operand.kind is OperandKind.IMMEDIATE:
        return operand.value & 0xFFFFFFFF
    if operand.kind not in _REGISTERS:
        return None
    for earlier in reversed(kernel.instructions[: i.index]):
        if earlier.operands and earlier.operands[0].text == operand.text:
            return _moved(earlier)
    return None


def _moved(i: Instruction) -> int | None:
    """The constant that an instruction moves into a register; compilers do so as float16 too."""
    last = i.operands[-1]
    if i.opcode in ("MOV", "UMOV") or (i.opcode == "IMAD" and i.has("MOV")):
        return last.value & 0xFFFFFFFF if last.kind is OperandKind.IMMEDIATE else None
    if i.opcode == "HFMA2" and all(o.kind in _NUMBERS for o in i.operands[-2:]):
        high, low = (np.float16(o.number or o.value).view(np.uint16) for o in i.operands[-2:])
        return int(high) << 16 | int(low)
    return None


def _is_exact(i: Instruction) -> bool:
    """Whether a comparison is for one value, or for bits."""
    return i.opcode in ("LOP3", "ULOP3", "R2P") or i.has("EQ") or i.has("NE")


def _is_sign(i: Instruction) -> bool:
    """Whether a comparison asks for a sign."""
    zero = any(o.kind in _REGISTERS and o.value == RZ for o in i.operands)
    return i.opcode in ("ISETP", "UISETP") and zero and (i.has("GE") or i.has("LT"))


def _joined(kernel: Kernel, i: Instruction) -> Instruction | None:
    """The logical operation right before that has joined the numbers whose sign is asked for."""
    compared = compared_bits(i)
    for earlier in reversed(kernel.instructions[: i.index]):
        if find_steps(kernel)[earlier.index].writes & compared:
            return earlier if earlier.opcode in ("LOP3", "ULOP3") else None
    return None
