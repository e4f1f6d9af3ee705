"""What instructions read, write and are steered by, as sets of registers.

Sets are bits of an integer: registers, uniform registers, predicates, and the words of the stack
that spills go to, which are followed like registers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from operator import or_

from simulator.isa.kernel import (
    PREDICATES,
    PT,
    RZ,
    AccessKind,
    Instruction,
    Kernel,
    Operand,
    OperandKind,
    Space,
)

_LOADING = (
    AccessKind.LOAD, AccessKind.ATOMIC, AccessKind.ATOMIC_CAS, AccessKind.CAST_SPIN,
    AccessKind.MATRIX_LOAD,
)  # fmt: skip
_BASE = {
    OperandKind.REGISTER: 0,
    OperandKind.UNIFORM_REGISTER: 256,
    OperandKind.PREDICATE: 512,
    OperandKind.UNIFORM_PREDICATE: 520,
}
_SPILLS = 528  # first bit of the words of the stack
_STACK_POINTER = 1
CONTROL = frozenset(("BRA", "BRX", "JMP", "JMX", "EXIT", "RET", "BREAK", "BAR", "WARPSYNC"))
_NO_TARGET = CONTROL | {"ST", "STG", "STS", "STL", "RED", "REDG", "BSSY", "BSYNC", "LDGSTS"}
# Opcodes whose results are this many predicates, whatever follows.
_RESULTS = {
    "ISETP": 2,
    "FSETP": 2,
    "DSETP": 2,
    "HSETP2": 2,
    "PLOP3": 2,
    "PSETP": 2,
    "UISETP": 2,
    "UPLOP3": 2,
    "FCHK": 1,
    "R2P": 1,
}
PREDICATE_BITS = 0xFFFF << _BASE[OperandKind.PREDICATE]
_SUMS = ("IADD3", "UIADD3", "LEA", "ULEA", "IADD", "IADD64")
_ALL_PREDICATES = 0x7F << _BASE[OperandKind.PREDICATE]
_WIDE = frozenset(("64", "WIDE", "F64", "U64", "S64"))


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction as bit sets: what it reads, what it writes, what steers it.

    ``guard`` is the state's set for its guard (0: none), ``redefines`` the predicates it writes.
    """

    reads: int
    writes: int
    steers: int
    loads: bool
    guard: int
    redefines: tuple[int, ...]


@lru_cache(maxsize=2)
def find_steps(kernel: Kernel) -> Sequence[Step]:
    """Every instruction as sets of registers."""
    spills = _only_spills(kernel)
    return [_step(i, spills) for i in kernel.instructions]


def stored_bits(i: Instruction) -> int:
    """The registers whose values an instruction sends to memory."""
    assert i.access is not None
    data = [o for o in i.operands if o.kind is OperandKind.REGISTER]
    return _bits(data, max(i.access.width_bytes // 4, 1))


def _only_spills(kernel: Kernel) -> bool:
    """Whether all local memory is accessed at fixed offsets from the stack pointer R1."""
    places = [
        operand
        for i in kernel.instructions
        if i.access is not None and i.access.space in (Space.LOCAL, Space.GENERIC)
        for operand in i.operands
        if operand.kind is OperandKind.MEMORY
    ]
    return all(
        p.base is not None and p.base.value == _STACK_POINTER and p.uniform is None and p.value >= 0
        for p in places
    )


def _spill_bits(i: Instruction) -> int:
    """The stack words of a spill or of its reload."""
    assert i.access is not None
    place = next(o for o in i.operands if o.kind is OperandKind.MEMORY)
    words = max(i.access.width_bytes // 4, 1)
    return ((1 << words) - 1) << (_SPILLS + place.value // 4)


def _spill_step(i: Instruction, step: Step) -> Step:
    """A store to the stack moves taint into its words, a load out of them."""
    assert i.access is not None
    if i.access.kind is AccessKind.LOAD:
        return replace(step, loads=False, reads=step.reads | _spill_bits(i))
    return replace(step, reads=step.reads | stored_bits(i), writes=_spill_bits(i))


def _step(i: Instruction, spills: bool) -> Step:
    step = _plain_step(i)
    local = i.access is not None and i.access.space is Space.LOCAL
    return _spill_step(i, step) if local and spills else step


def _plain_step(i: Instruction) -> Step:
    targets, sources = _split(i)
    width = _width(i)
    reads = _read_bits(i, sources, width)
    guard = guard_bits(i)
    matters = i.access is not None or i.opcode in CONTROL
    steers = guard if matters else 0
    if i.opcode in CONTROL:
        steers |= reads
    steers |= address_bits(i)
    loads = i.access is not None and i.access.kind in _LOADING
    writes = _bits(targets, _written(i, width))
    return Step(reads | guard, writes, steers, loads, _guard_set(i), tuple(_redefined(targets)))


def address_bits(i: Instruction) -> int:
    """The registers of an instruction's addresses."""
    return _bits([o for o in i.operands if o.kind is OperandKind.MEMORY], 1)


def guard_bits(i: Instruction) -> int:
    """The predicate that an instruction's guard reads."""
    return 0 if i.predicate is None else _bits([i.predicate], 1)


def written_predicates(i: Instruction) -> list[Operand]:
    """The predicates that an instruction writes, carries of sums aside."""
    if i.opcode in _SUMS:
        return []
    return [o for o in _split(i)[0] if o.kind in PREDICATES and o.value != PT]


def compared_bits(i: Instruction) -> int:
    """The registers that a predicate hangs on which an instruction writes; 0 if it writes none."""
    return reduce(or_, source_bits(i).values(), 0) if written_predicates(i) else 0


def first_source(i: Instruction) -> int:
    """The position of the first operand that an instruction reads; results come before it."""
    return len(i.operands) - len(_split(i)[1])


def source_bits(i: Instruction) -> dict[int, int]:
    """The registers that an instruction reads, by the position of their operand; no predicates."""
    places = range(first_source(i), len(i.operands))
    kept = (n for n in places if i.operands[n].kind not in PREDICATES)
    return {n: bits for n in kept if (bits := _bits([i.operands[n]], _width(i)))}


def _guard_set(i: Instruction) -> int:
    """Index in the state of the set for an instruction's guard."""
    guard = i.predicate
    if guard is None or guard.kind is not OperandKind.PREDICATE:
        return 0
    return (9 if guard.invert else 1) + guard.value


def _redefined(targets: list[Operand]) -> Iterator[int]:
    for operand in targets:
        if operand.text == "PR":
            yield from range(PT)
        if operand.kind is OperandKind.PREDICATE and operand.value != PT:
            yield operand.value


def _read_bits(i: Instruction, sources: list[Operand], width: int) -> int:
    """Bits of what is read; only the addend of a widening product is a pair."""
    if i.opcode in ("IMAD", "UIMAD"):
        registers = [o for o in sources if o.kind not in PREDICATES]
        return _bits(sources, 1) | _bits(registers[-1:], 2 if i.has("HI") else width)
    return _bits(sources, width if i.access is None else 1)


def _split(i: Instruction) -> tuple[list[Operand], list[Operand]]:
    """Operands that are written (predicates, one register, predicates) and those that are read."""
    if i.opcode in _NO_TARGET:
        return [], list(i.operands)
    count = _RESULTS.get(i.opcode, 0)
    if i.opcode in ("VOTE", "VOTEU"):
        count = len(i.operands) - 1
    if count == 0:
        registers = 0
        for operand in i.operands:
            if operand.kind not in _BASE or (operand.kind not in PREDICATES and registers):
                break
            registers += operand.kind not in PREDICATES
            count += 1
        if registers == 0:
            return list(i.operands), list(i.operands)
    return list(i.operands[:count]), list(i.operands[count:])


def _width(i: Instruction) -> int:
    """Registers an operand of a wide instruction stands for; the halves of SHF's are its own."""
    if i.opcode in ("SHF", "USHF"):
        return 1
    return 2 if _WIDE & set(i.modifiers) or i.opcode.startswith("D") else 1


def _written(i: Instruction, width: int) -> int:
    if i.access is not None:
        return max(i.access.width_bytes // 4, i.access.matrices, 1)
    return 4 if i.opcode.endswith("MMA") and i.opcode != "HFMA2" else width


def _bits(operands: list[Operand], width: int) -> int:
    found = 0
    for operand in operands:
        if operand.text == "PR":  # P2R, R2P: all predicates at once
            found |= _ALL_PREDICATES
        for part in (operand, operand.base, operand.uniform):
            if part is not None and part.kind in _BASE:
                found |= _register_bits(part, width)
    return found


def _register_bits(operand: Operand, width: int) -> int:
    nothing = PT if operand.kind in PREDICATES else RZ
    if operand.value == nothing:
        return 0
    count = 1 if operand.kind in PREDICATES else max(width, 2 if "64" in operand.modifiers else 1)
    return ((1 << count) - 1) << (_BASE[operand.kind] + operand.value)
