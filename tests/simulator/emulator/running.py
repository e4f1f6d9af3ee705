"""Runs kernels of the corpus in the emulator."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.emulator.launch import Launch
from simulator.emulator.program import Program, build_program
from simulator.frontends.cuda import compile_cuda

CORPUS = Path(__file__).parent / "corpus"
# Code for sm_89 has no form of instruction that these lack, but for HADD2.SAT (test_halves).
ARCHITECTURES = (80, 90)
each_architecture = pytest.mark.parametrize("architecture", ARCHITECTURES)


@cache
def program(file: str, kernel: str, architecture: int) -> Program:
    """A corpus kernel compiled for an architecture."""
    text = (CORPUS / file).read_text()
    return build_program(compile_cuda(text, kernel, architecture, name=file))


def run(
    file: str,
    kernel: str,
    architecture: int,
    arguments: Sequence[Any],
    block: tuple[int, int, int] | int = 64,
    grid: tuple[int, int, int] | int = 1,
    shared_bytes: int = 0,
) -> list[Any]:
    """Launch a kernel; returns the arguments, the arrays as they are after it.

    No access may fall outside the arguments.
    """
    place = tuple((n, 1, 1) if isinstance(n, int) else n for n in (grid, block))
    launch = Launch(program(file, kernel, architecture), *place, shared_bytes, arguments)
    done = launch.run(np.arange(int(np.prod(place[0]))))
    assert done.faults == ()
    outputs = launch.outputs()
    return [outputs.get(n, argument) for n, argument in enumerate(arguments)]


def random_bits(seed: int, count: int, dtype: Any) -> Any:
    """Random elements with all bit patterns of a type, extreme integers among them."""
    generator = np.random.default_rng(seed)
    size = np.dtype(dtype).itemsize
    bits = generator.integers(0, 256, count * size, dtype=np.uint8).view(f"u{size}")
    top = 1 << (8 * size - 1)
    special = np.array([0, 1, top, top - 1, 2 * top - 1, 2], dtype=f"u{size}")
    where = generator.random(count) < 0.3
    bits[where] = generator.choice(special, int(where.sum()))
    small = generator.random(count) < 0.3
    bits[small] >>= np.dtype(f"u{size}").type(8 * size - 7)
    return bits.view(dtype)
