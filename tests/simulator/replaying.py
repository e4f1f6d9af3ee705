"""Replays small kernels written in a test, with shapes and types spelled out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import simulator as sm
from simulator.results import InstructionRecord, Run

DEVICES = {80: "a100_80", 89: "rtx4090", 90: "h200", 120: "rtx5090"}
ARCHITECTURES = (80, 89, 90)
each_architecture = pytest.mark.parametrize("architecture", ARCHITECTURES)

Size = int | tuple[int, ...]


def replay(
    source: str,
    entry: str,
    args: Sequence[Any],
    *,
    block: Size = 32,
    grid: Size = 1,
    architecture: int = 89,
    shared_bytes: int = 0,
    blocks: str | int = "all",
    options: Sequence[str] = (),
) -> Run:
    """Compile and replay a kernel; a plain number is a size in one dimension."""
    device = DEVICES[architecture]
    kernel = sm.compile_cuda(source, entry, device, tuple(options), name="test.cu")
    return sm.replay(
        kernel, _size(grid), _size(block), list(args), shared_bytes, device=device, blocks=blocks
    )


def _size(size: Size) -> tuple[int, ...]:
    return (size,) if isinstance(size, int) else size


def zeros(*shape: int, dtype: Any = np.int32) -> Any:
    """A buffer of int32 zeros."""
    return np.zeros(shape, dtype)


def only(run: Run, opcode: str) -> InstructionRecord:
    """The one executed instruction with this opcode."""
    (found,) = [i for i in run.instructions if i.opcode.split(".")[0] == opcode and i.executed]
    return found


def line_of(source: str, text: str) -> int:
    """The number of the one source line that holds a text."""
    (number,) = [n for n, line in enumerate(source.splitlines(), 1) if text in line]
    return number
