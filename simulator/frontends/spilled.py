"""Spills from the cubin itself: ptxas notes which instructions are spills and reloads.

The notes are pairs of a kind and a byte address in the section of their function; that kind 1
names spills was read off cubins of ptxas 13.0 and 13.5 whose logs gave the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from simulator.frontends.linking import Part
from simulator.isa.kernel import Instruction, Space, Spills
from simulator.toolchain import info
from simulator.toolchain.elf import CubinImage

_SPILL = 1
_NOTING_RELEASE = 13  # of ptxas: without notes there are no spills
_RELEASE = re.compile(r"release (\d+)\.")


def find_spills(
    image: CubinImage, parts: Sequence[Part], instructions: Sequence[Instruction], producer: str
) -> Spills | None:
    """Bytes that a thread spills and reloads, those of called functions included.

    None where local memory is used and an older compiler, which may not note spills, made the code.
    """
    local = {i.address: i for i in instructions if _is_local(i)}
    noted = [a for part in parts for a in _noted(image, part)]
    release = _RELEASE.search(producer)
    if local and not noted and (release is None or int(release.group(1)) < _NOTING_RELEASE):
        return None
    return Spills(store_bytes=_bytes(local, noted, "STL"), load_bytes=_bytes(local, noted, "LDL"))


def _is_local(instruction: Instruction) -> bool:
    return instruction.access is not None and instruction.access.space is Space.LOCAL


def _noted(image: CubinImage, part: Part) -> Iterator[int]:
    for attribute in info.read_attributes(image.sections.get(f".nv.info.{part.name}", b"")):
        if attribute.number == info.ANNOTATIONS:
            words = info.words(attribute)
            pairs = zip(words[::2], words[1::2], strict=False)
            yield from (part.base + address for kind, address in pairs if kind == _SPILL)


def _bytes(local: Mapping[int, Instruction], noted: Sequence[int], opcode: str) -> int:
    chosen = (local[address] for address in noted if address in local)
    return sum(i.access.width_bytes for i in chosen if i.access and i.opcode == opcode)
