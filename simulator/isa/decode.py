"""From one instruction of nvdisasm's JSON to an :class:`Instruction`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from simulator.isa.access import memory_access
from simulator.isa.control import decode_control
from simulator.isa.kernel import (
    INSTRUCTION_BYTES,
    Instruction,
    Operand,
    OperandKind,
    SourceLine,
)
from simulator.isa.parse import parse_guard, parse_operands, split_operands

# Instructions whose last operand is an absolute branch target. The immediate of an indexed branch
# (BRX, BRXU, JMX) is no target: it is added to the next instruction's address and a register.
_TARGET_OPCODES = frozenset(("BRA", "BSSY", "CALL", "RET", "JMP", "LEPC"))

_HALF = re.compile(r"32@(?P<half>lo|hi)\(\(?(?P<name>[^()\s]+)(?: \+ (?P<offset>0x[0-9a-f]+))?\)+$")


def decode_instruction(
    index: int,
    opcode_text: str,
    operand_text: str,
    guard_text: str,
    encoding: bytes,
    symbols: Mapping[str, int],
    source: SourceLine | None,
    base: int = 0,
) -> Instruction:
    """Build one instruction.

    ``symbols`` gives the byte address of the functions in the kernel's code, which calls and
    returns name; ``encoding`` are the instruction's 16 bytes; ``base`` is the address of its code
    section, from which the disassembler counts branch targets.
    """
    opcode, modifiers = _split_opcode(opcode_text)
    if guard_text and not guard_text.startswith("@"):
        # P2R's source "PR" (all predicates) comes where a guard would stand.
        target, _, rest = operand_text.partition(",")
        guard_text, operand_text = "", f"{target},{guard_text},{rest}"
    operands = parse_operands(operand_text)
    if opcode in _TARGET_OPCODES:
        operands = _resolve_target(operands, symbols, 0 if "ABS" in modifiers else base)
    if "32@" in operand_text:
        operands = tuple(_resolve_half(o, symbols) for o in operands)
    if "NAN" in operand_text:
        operands = _exact_nan(operands, encoding)
    return Instruction(
        index=index,
        address=index * INSTRUCTION_BYTES,
        opcode=opcode,
        modifiers=modifiers,
        operands=operands,
        predicate=parse_guard(guard_text) if guard_text else None,
        text=_render(guard_text, opcode_text, operand_text),
        control=decode_control(encoding),
        source=source,
        access=memory_access(opcode, modifiers),
    )


@lru_cache(maxsize=4096)
def _split_opcode(text: str) -> tuple[str, tuple[str, ...]]:
    opcode, *modifiers = text.split(".")
    return opcode, tuple(modifiers)


def _render(guard: str, opcode: str, operand_text: str) -> str:
    head = f"{guard} {opcode}" if guard else opcode
    operands = _spaced(operand_text)
    return f"{head} {operands}" if operands else head


@lru_cache(maxsize=1 << 16)
def _spaced(operand_text: str) -> str:
    return ", ".join(split_operands(operand_text))


def _resolve_target(
    operands: tuple[Operand, ...], symbols: Mapping[str, int], base: int
) -> tuple[Operand, ...]:
    """Turn the last operand into a label, from an address or a function's name."""
    if not operands:
        return operands
    *rest, last = operands
    if last.kind is OperandKind.IMMEDIATE:
        label = replace(last, kind=OperandKind.LABEL, value=last.value + base)
    elif last.text in symbols:
        label = Operand(OperandKind.LABEL, last.text, value=symbols[last.text], name=last.text)
    else:
        return operands
    return (*rest, label)


def _resolve_half(operand: Operand, symbols: Mapping[str, int]) -> Operand:
    """Turn half a code address, ``32@lo((kernel + 0x1d0))``, into a number."""
    match = _HALF.match(operand.text)
    if match is None or match["name"] not in symbols:
        return operand
    address = symbols[match["name"]] + int(match["offset"] or "0", 16)
    value = address if match["half"] == "lo" else address >> 32
    return Operand(OperandKind.IMMEDIATE, operand.text, value=value & 0xFFFFFFFF)


def _exact_nan(operands: tuple[Operand, ...], encoding: bytes) -> tuple[Operand, ...]:
    """Give a NaN its 32 bits, which the text does not show: the immediate is at bits 32 to 63."""
    bits = int.from_bytes(encoding[4:8], "little")
    return tuple(
        replace(o, value=bits) if o.kind is OperandKind.FLOAT and o.number != o.number else o
        for o in operands
    )
