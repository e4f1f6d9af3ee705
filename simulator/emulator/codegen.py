"""LLVM IR to machine code that can be called, with an object cache on disk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

from simulator.emulator.basic_block import BasicBlock
from simulator.emulator.runtime import fast
from simulator.emulator.runtime.symbols import known_symbols, register_symbol
from simulator.jit.loading import load_object, object_code


@dataclass(frozen=True)
class CompiledBlocks:
    """Code addresses of a kernel's basic blocks (int64[blocks]); keeps the code alive."""

    addresses: NDArray[np.int64]
    engine: Any


def called_symbols(text: str) -> list[str]:
    """The runtime functions that an IR module calls."""
    return sorted(name for name in known_symbols() if f"@{name}(" in text)


@cache
def fast_paths() -> Any:
    """Compile the fast paths and give their addresses to LLVM; returns their engine."""
    text = fast.module_text()
    _register(called_symbols(text))
    engine = load_object(object_code(text, level=3))
    for space in ("shared", "local", "global"):
        for store in (False, True):
            for width in fast.WIDTHS:
                name = fast.function_name(space, store, width)
                llvm.add_symbol(name, engine.get_function_address(name))
    return engine


def _register(symbols: Iterable[str]) -> None:
    for name in symbols:
        register_symbol(name)


def load_blocks(
    code: bytes, symbols: Iterable[str], blocks: Sequence[BasicBlock]
) -> CompiledBlocks:
    """Make a kernel's object code callable and look its basic blocks up."""
    fast_paths()
    _register(symbols)
    engine = load_object(code)
    addresses = [engine.get_function_address(block.name) for block in blocks]
    return CompiledBlocks(np.array(addresses, dtype=np.int64), engine)
