"""A kernel made executable: its basic blocks compiled, with the tables the scheduler needs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from simulator.emulator.basic_block import BasicBlock
from simulator.emulator.codegen import CompiledBlocks, load_blocks
from simulator.emulator.translation import find_translation
from simulator.isa.kernel import AccessKind, Kernel, Space, second_predicates

_ASYNC = (AccessKind.ASYNC_COPY, AccessKind.ASYNC_COPY_BYPASS)


@dataclass(frozen=True, eq=False)
class Program:
    """``needs`` is the most events each basic block can write, int64[blocks]; ``guarded`` and
    ``twice`` say which instructions have a guard, and which a second predicate."""

    kernel: Kernel
    blocks: tuple[BasicBlock, ...]
    code: CompiledBlocks
    needs: NDArray[np.int64]
    block_of_address: NDArray[np.int32]
    guarded: NDArray[np.bool_]
    twice: NDArray[np.bool_]

    @property
    def block_of_instruction(self) -> NDArray[np.int64]:
        """The basic block of every instruction."""
        sizes = [b.end - b.first for b in self.blocks]
        return np.repeat(np.arange(len(self.blocks)), sizes)


@lru_cache(maxsize=4)
def build_program(
    kernel: Kernel, left_out: frozenset[int] = frozenset(), watched: frozenset[int] = frozenset()
) -> Program:
    """Translate and compile a kernel, as in ``translate``.

    Raises UnsupportedError for an instruction form without semantics.
    """
    found = find_translation(kernel, left_out, watched)
    blocks = found.blocks
    code = load_blocks(found.code, found.symbols, blocks)
    needs = [sum(_events(kernel, n) for n in range(b.first, b.end)) for b in blocks]
    starts = np.full(len(kernel.instructions), -1, dtype=np.int32)
    for block in blocks:
        starts[block.first] = block.index
    guarded = np.array([i.predicate is not None for i in kernel.instructions])
    twice = np.array([bool(second_predicates(i)) for i in kernel.instructions])
    return Program(kernel, blocks, code, np.array(needs, dtype=np.int64), starts, guarded, twice)


def _events(kernel: Kernel, index: int) -> int:
    access = kernel.instructions[index].access
    if access is None:
        return 0
    if access.space is Space.GENERIC:
        return 3
    return 2 if access.kind in _ASYNC else 1
