"""LLVM IR to machine code, with an object cache on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

from simulator.emulator.blocks import BasicBlock
from simulator.emulator.runtime.symbols import known_symbols, register_symbol
from simulator.emulator.translate import block_name
from simulator.toolchain.cache import cache_key, read_entry, write_entry


@dataclass(frozen=True)
class CompiledBlocks:
    """Code addresses of a kernel's basic blocks (int64[blocks]); keeps the code alive."""

    addresses: NDArray[np.int64]
    engine: Any


@cache
def _initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _target_machine() -> Any:
    """A new target machine; an execution engine takes over the one it is given."""
    _initialize()
    target = llvm.Target.from_default_triple()
    features = llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(
        opt=0, cpu=llvm.get_host_cpu_name(), features=features
    )


def _register_symbols(text: str) -> None:
    for name in known_symbols():
        if f"@{name}(" in text:
            register_symbol(name)


def _object_code(text: str) -> bytes:
    """Native object code of an IR module: from the cache, or compiled now."""
    cpu = llvm.get_host_cpu_name()
    features = llvm.get_host_cpu_features().flatten()
    key = cache_key(llvmlite.__version__, cpu, features, text)
    found = read_entry("objects", key)
    if found is not None:
        return found
    module = llvm.parse_assembly(text)
    code: bytes = _target_machine().emit_object(module)
    write_entry("objects", key, code)
    return code


def compile_blocks(text: str, blocks: Sequence[BasicBlock]) -> CompiledBlocks:
    """Compile a module and look its basic blocks up."""
    _initialize()
    _register_symbols(text)
    code = _object_code(text)
    empty = llvm.parse_assembly("")
    engine = llvm.create_mcjit_compiler(empty, _target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    addresses = [engine.get_function_address(block_name(b)) for b in blocks]
    return CompiledBlocks(np.array(addresses, dtype=np.int64), engine)
