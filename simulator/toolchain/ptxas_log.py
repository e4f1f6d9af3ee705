"""Reader of the resource lines that ``ptxas -v`` writes into the compiler's log."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FUNCTION = re.compile(r"Compiling entry function '([^']+)'")
_SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_REGISTERS = re.compile(r"Used (\d+) registers")


@dataclass(frozen=True, slots=True)
class Resources:
    """Registers a thread, and bytes a thread of stack and spills (called functions included)."""

    registers: int
    stack_bytes: int
    spill_store_bytes: int
    spill_load_bytes: int


def read_resources(log: str) -> dict[str, Resources]:
    """Resources of every entry function in a log, by mangled name."""
    parts = _FUNCTION.split(log)
    return {
        name: resources
        for name, text in zip(parts[1::2], parts[2::2], strict=True)
        if (resources := _read_part(text)) is not None
    }


def _read_part(text: str) -> Resources | None:
    registers = _REGISTERS.search(text)
    spills = [tuple(map(int, match.groups())) for match in _SPILLS.finditer(text)]
    if registers is None or not spills:
        return None
    return Resources(
        registers=int(registers.group(1)),
        stack_bytes=max(stack for stack, _, _ in spills),
        spill_store_bytes=sum(stores for _, stores, _ in spills),
        spill_load_bytes=sum(loads for _, _, loads in spills),
    )
