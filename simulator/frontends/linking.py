"""Functions of a cubin that have a code section of their own, put behind the kernel.

A compiler keeps a called function in the kernel's section, but a linker does not. Code addresses of
a kernel count from its first instruction; such functions follow in the order they are found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from simulator.toolchain.elf import CubinImage

_TEXT = ".text."
_DATA = (".nv.constant", ".nv.global.init")


@dataclass(frozen=True, slots=True)
class Part:
    """One code section: ``base`` is its first byte's address in the kernel."""

    name: str
    base: int
    code: bytes = field(repr=False)


def code_parts(image: CubinImage, entry: str) -> tuple[Part, ...]:
    """The kernel's section, then those of the functions that it, its data or they refer to."""
    targets = _targets(image, entry)
    found = {entry: Part(entry, 0, image.sections.get(_TEXT + entry, b""))}
    waiting = [entry, *(s for s in targets if s.startswith(_DATA))]
    while waiting:
        source = waiting.pop(0)
        for name in targets.get(source, ()):
            if name not in found:
                code = image.sections[_TEXT + name]
                found[name] = Part(name, sum(len(p.code) for p in found.values()), code)
                waiting.append(name)
    return tuple(found.values())


def _targets(image: CubinImage, entry: str) -> dict[str, list[str]]:
    """Functions with a section of their own, by the function or data that refers to them."""
    own = {
        s.name
        for s in image.symbols
        if s.is_function and not s.is_entry and s.section == _TEXT + s.name
    }
    found: dict[str, list[str]] = {}
    for item in image.relocations:
        section = item.section
        foreign = section.startswith(".nv.constant") and section.count(".") == 2
        if item.symbol not in own or (foreign and not section.endswith(f".{entry}")):
            continue
        home = section.removeprefix(_TEXT) if section.startswith(_TEXT) else section
        if item.symbol not in found.setdefault(home, []):
            found[home].append(item.symbol)
    return found


def function_addresses(image: CubinImage, parts: tuple[Part, ...]) -> Mapping[str, int]:
    """The byte address of every function in the sections."""
    bases = {_TEXT + part.name: part.base for part in parts}
    return {
        s.name: bases[s.section] + s.offset
        for s in image.symbols
        if s.is_function and s.section in bases
    }
