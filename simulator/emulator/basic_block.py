"""What a basic block is; how kernels are cut into them is in ``blocks``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BasicBlock:
    """Instructions ``first`` to ``end`` (exclusive) of a kernel."""

    index: int
    first: int
    end: int

    @property
    def name(self) -> str:
        """Symbol of the block's compiled function."""
        return f"block{self.index}"
