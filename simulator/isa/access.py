"""Which instructions touch memory that is modelled, and how: a table over opcodes."""

from __future__ import annotations

import re
from functools import lru_cache

from simulator.isa.kernel import AccessKind, MemoryAccess, Space

_WIDTHS = {
    "U8": 1,
    "S8": 1,
    "U16": 2,
    "S16": 2,
    "32": 4,
    "64": 8,
    "F64": 8,
    "128": 16,
    "256": 32,
}
_DEFAULT_WIDTH = 4
_VECTOR = re.compile(r"B?F(16|32)x(\d)$")  # F32x4, F16x2: element bits and count
_MATRIX_ROW_BYTES = 16  # each lane of LDSM and STSM addresses one row of 8 halves

_OPCODES = {
    "LDS": (Space.SHARED, AccessKind.LOAD),
    "STS": (Space.SHARED, AccessKind.STORE),
    "ATOMS": (Space.SHARED, AccessKind.ATOMIC),
    "LDSM": (Space.SHARED, AccessKind.MATRIX_LOAD),
    "STSM": (Space.SHARED, AccessKind.MATRIX_STORE),
    "LDG": (Space.GLOBAL, AccessKind.LOAD),
    "STG": (Space.GLOBAL, AccessKind.STORE),
    "ATOMG": (Space.GLOBAL, AccessKind.ATOMIC),
    "RED": (Space.GLOBAL, AccessKind.REDUCTION),
    "REDG": (Space.GLOBAL, AccessKind.REDUCTION),
    "LDGSTS": (Space.GLOBAL, AccessKind.ASYNC_COPY),
    "LDL": (Space.LOCAL, AccessKind.LOAD),
    "STL": (Space.LOCAL, AccessKind.STORE),
    "LD": (Space.GENERIC, AccessKind.LOAD),
    "ST": (Space.GENERIC, AccessKind.STORE),
    "ATOM": (Space.GENERIC, AccessKind.ATOMIC),
}


@lru_cache(maxsize=4096)
def memory_access(opcode: str, modifiers: tuple[str, ...]) -> MemoryAccess | None:
    """Static part of a memory instruction; None for every other one (constant loads included).

    The space of an asynchronous copy is that of its source; its target is shared memory.
    """
    if opcode not in _OPCODES:
        return None
    space, kind = _OPCODES[opcode]
    if kind in (AccessKind.MATRIX_LOAD, AccessKind.MATRIX_STORE):
        return MemoryAccess(space, kind, _MATRIX_ROW_BYTES, _matrices(modifiers))
    return MemoryAccess(space, _refine(kind, modifiers), _width(modifiers))


def _refine(kind: AccessKind, modifiers: tuple[str, ...]) -> AccessKind:
    """The kinds that a modifier tells apart."""
    if kind is AccessKind.ASYNC_COPY and "BYPASS" in modifiers:
        return AccessKind.ASYNC_COPY_BYPASS
    if kind is not AccessKind.ATOMIC:
        return kind
    if "CAST" in modifiers:
        return AccessKind.CAST_SPIN
    if "CAS" in modifiers:
        return AccessKind.ATOMIC_CAS
    return AccessKind.POPC_INC if "POPC" in modifiers else kind


def _width(modifiers: tuple[str, ...]) -> int:
    for modifier in modifiers:
        if modifier in _WIDTHS:
            return _WIDTHS[modifier]
        if vector := _VECTOR.match(modifier):
            return int(vector.group(1)) // 8 * int(vector.group(2))
    return _DEFAULT_WIDTH


def _matrices(modifiers: tuple[str, ...]) -> int:
    return next((int(m) for m in reversed(modifiers) if m in ("2", "4")), 1)
