"""A kernel's basic blocks and object code: translated and compiled now, or remembered on disk.

Remembered under the kernel's code, its disassembly and the sources of all that translates it, so
that a second replay loads neither the translator nor its tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from simulator.emulator.basic_block import BasicBlock
from simulator.emulator.codegen import called_symbols
from simulator.isa.kernel import Kernel
from simulator.jit.loading import host_key, object_code
from simulator.toolchain.cache import cache_key, read_entry, write_entry

_EMULATOR = Path(__file__).parent
_DECODER = _EMULATOR.parent / "isa"


@dataclass(frozen=True)
class Translation:
    """``code`` is native object code; ``symbols`` are the runtime functions it calls."""

    blocks: tuple[BasicBlock, ...]
    symbols: tuple[str, ...]
    code: bytes


def find_translation(
    kernel: Kernel, left_out: frozenset[int] = frozenset(), watched: frozenset[int] = frozenset()
) -> Translation:
    """The translation of a kernel, as in ``translate``.

    Raises UnsupportedError for an instruction form without semantics.
    """
    if not kernel.program_hash:  # put together by hand: nothing to remember it by
        return _translate(kernel, left_out, watched)
    texts = "\n".join(i.text for i in kernel.instructions)
    parts = str(sorted(left_out)), str(sorted(watched))
    key = host_key(kernel.program_hash, str(kernel.architecture), texts, *parts, _sources())
    found = read_entry("translations", key)
    if found is not None:
        return _from_bytes(found)
    made = _translate(kernel, left_out, watched)
    write_entry("translations", key, _to_bytes(made))
    return made


def _translate(kernel: Kernel, left_out: frozenset[int], watched: frozenset[int]) -> Translation:
    from simulator.emulator.blocks import basic_blocks
    from simulator.emulator.translate import translate

    blocks = basic_blocks(kernel)
    text = translate(kernel, blocks, left_out, watched)
    # Without optimisation: registers live in memory anyway.
    return Translation(blocks, tuple(called_symbols(text)), object_code(text))


def _to_bytes(made: Translation) -> bytes:
    ends = [block.end for block in made.blocks]
    return json.dumps([ends, made.symbols]).encode() + b"\n" + made.code


def _from_bytes(data: bytes) -> Translation:
    head, code = data.split(b"\n", 1)
    ends, symbols = json.loads(head)
    places = enumerate(zip([0, *ends], ends, strict=False))
    blocks = tuple(BasicBlock(index, first, end) for index, (first, end) in places)
    return Translation(blocks, tuple(symbols), code)


@cache
def _sources() -> str:
    """SHA-256 of the emulator's and the decoder's sources."""
    return cache_key(*(path.read_bytes() for path in _source_files()))


def _source_files() -> Iterator[Path]:
    yield from sorted(_DECODER.glob("*.py"))
    yield from sorted(_EMULATOR.rglob("*.py"))
