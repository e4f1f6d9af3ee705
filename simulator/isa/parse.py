"""Operand parser for the text that nvdisasm prints in its JSON.

The grammar, read off the disassembly of sm_80 to sm_120::

    operand  = {"-" | "~" | "!"} ("|" core "|" | core) {"." suffix}
    core     = register | number | constant | memory | special | name
    constant = "c[" bank "][" address "]" | "cx[" uniform "][" address "]"
    memory   = "[" address "]" | "desc[" uniform "]" memory
    address  = term {"+" term}            term = register {"." suffix} | integer

Parsing is a pure function of the text and memoised: a large kernel repeats its operands often.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from simulator.isa.kernel import PT, RZ, Operand, OperandKind

_CACHE_SIZE = 1 << 16
_REGISTER = re.compile(r"(UR|UP|SB|R|P|B)(\d+|Z|T)((?:\.\w+)*)$")
_INTEGER = re.compile(r"-?(?:0x[0-9a-f]+|\d+)$")
_FLOAT = re.compile(r"[+-]?(?:INF|QNAN|SNAN|NAN|\d+\.?\d*(?:e[+-]?\d+)?|\.\d+)$", re.IGNORECASE)
_CONSTANT = re.compile(r"c\[(0x[0-9a-f]+)\]\[([^\]]*)\]((?:\.\w+)*)$")
_BINDLESS = re.compile(r"cx\[([^\]]*)\]\[([^\]]*)\]((?:\.\w+)*)$")
_MEMORY = re.compile(r"(?:desc\[([^\]]*)\])?\[([^\]]*)\]((?:\.\w+)*)$")
_SPECIAL = re.compile(r"SR[_Z][\w.]*$")

_KINDS = {
    "R": OperandKind.REGISTER,
    "UR": OperandKind.UNIFORM_REGISTER,
    "P": OperandKind.PREDICATE,
    "UP": OperandKind.UNIFORM_PREDICATE,
    "B": OperandKind.BARRIER,
    "SB": OperandKind.SCOREBOARD,
}
_NAMED_INDEX = {("R", "Z"): RZ, ("UR", "Z"): RZ, ("P", "T"): PT, ("UP", "T"): PT}


@lru_cache(maxsize=_CACHE_SIZE)
def split_operands(text: str) -> tuple[str, ...]:
    """Split an operand list at the commas outside brackets and braces.

    The JSON leaves out the comma between the two addresses of LDGSTS, ``[R17][R2.64]``.
    """
    end = text.find("]") + 1
    if text.startswith("[") and text.startswith("[", end):
        text = f"{text[:end]},{text[end:]}"
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        if character in "[{(":
            depth += 1
        elif character in "]})":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    last = text[start:].strip()
    return (*parts, last) if last or parts else ()


@lru_cache(maxsize=_CACHE_SIZE)
def parse_operands(text: str) -> tuple[Operand, ...]:
    """Parse the operand list of one instruction."""
    return tuple(parse_operand(part) for part in split_operands(text))


@lru_cache(maxsize=_CACHE_SIZE)
def parse_operand(text: str) -> Operand:
    """Parse one operand; a form outside the grammar becomes ``OTHER`` and keeps its text."""
    number = _parse_number(text)
    if number is not None:
        return number
    body, negate, invert = text, False, False
    while body[:1] in ("-", "~", "!"):
        negate, invert = negate or body[0] == "-", invert or body[0] != "-"
        body = body[1:]
    absolute = body.startswith("|") and body.count("|") == 2
    core = _parse_core(body.replace("|", "") if absolute else body)
    modifiers = tuple(m for m in core.modifiers if m != "reuse")
    return replace(
        core,
        text=text,
        negate=negate,
        invert=invert,
        absolute=absolute,
        reuse="reuse" in core.modifiers,
        modifiers=modifiers,
    )


@lru_cache(maxsize=_CACHE_SIZE)
def parse_guard(text: str) -> Operand:
    """Parse the guard of an instruction: ``@P0``, ``@!UP3``."""
    return parse_operand(text.removeprefix("@"))


def _parse_number(text: str) -> Operand | None:
    """An integer or a float, whose sign belongs to the number."""
    if _INTEGER.match(text) and "0x" in text:
        return Operand(OperandKind.IMMEDIATE, text, value=int(text, 16))
    if _FLOAT.match(text):
        plain = text.upper().replace("QNAN", "NAN").replace("SNAN", "NAN")
        value = int(text) if _INTEGER.match(text) else 0
        return Operand(OperandKind.FLOAT, text, value=value, number=float(plain))
    return None


def _parse_core(text: str) -> Operand:
    """Everything but numbers and prefixes; suffixes are left in ``modifiers``."""
    for parse in (_parse_register, _parse_constant, _parse_memory):
        operand = parse(text)
        if operand is not None:
            return operand
    kind = OperandKind.SPECIAL if _SPECIAL.match(text) else OperandKind.OTHER
    return Operand(kind, text, name=text)


def _parse_register(text: str) -> Operand | None:
    match = _REGISTER.match(text)
    if match is None:
        return None
    file, index, suffixes = match.groups()
    if index in ("Z", "T"):
        if (file, index) not in _NAMED_INDEX:
            return None
        value = _NAMED_INDEX[file, index]
    else:
        value = int(index)
    return Operand(_KINDS[file], text, value=value, modifiers=_suffixes(suffixes))


def _parse_constant(text: str) -> Operand | None:
    match = _CONSTANT.match(text)
    if match:
        bank, address, suffixes = match.groups()
        return _address(OperandKind.CONSTANT, text, address, suffixes, bank=int(bank, 16))
    match = _BINDLESS.match(text)
    if match is None:
        return None
    handle, address, suffixes = match.groups()
    operand = _address(OperandKind.CONSTANT, text, address, suffixes)
    return operand and replace(
        operand, base=operand.base or operand.uniform, uniform=parse_operand(handle)
    )


def _parse_memory(text: str) -> Operand | None:
    match = _MEMORY.match(text)
    if match is None:
        return None
    descriptor, address, suffixes = match.groups()
    operand = _address(OperandKind.MEMORY, text, address, suffixes)
    if operand is None or descriptor is None:
        return operand
    return replace(operand, descriptor=parse_operand(descriptor))


def _address(
    kind: OperandKind, text: str, address: str, suffixes: str, bank: int = 0
) -> Operand | None:
    """Sum of at most one register, one uniform register and integers; None for another form.

    In a constant a lone uniform register is the ``base``: ``uniform`` names the bank there.
    """
    base = uniform = None
    offset = 0
    for term in address.split("+"):
        operand = parse_operand(term.strip())
        if operand.kind is OperandKind.IMMEDIATE:
            offset += operand.value
        elif operand.kind is OperandKind.REGISTER and base is None:
            base = operand
        elif operand.kind is OperandKind.UNIFORM_REGISTER and uniform is None:
            uniform = operand
        else:
            return None
    if kind is OperandKind.CONSTANT and base is None:
        base, uniform = uniform, None
    return Operand(
        kind,
        text,
        value=offset,
        bank=bank,
        base=base,
        uniform=uniform,
        modifiers=_suffixes(suffixes),
    )


def _suffixes(text: str) -> tuple[str, ...]:
    return tuple(text.split(".")[1:])
