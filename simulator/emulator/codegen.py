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
from simulator.emulator.runtime import fast
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


def _target_machine(level: int = 0) -> Any:
    """A new target machine; an execution engine takes over the one it is given.

    Kernels are compiled at level 0: their registers live in memory anyway, and higher levels take
    ten times as long.
    """
    _initialize()
    target = llvm.Target.from_default_triple()
    features = llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(opt=level, cpu=llvm.get_host_cpu_name(), features=features)


def _register_symbols(text: str) -> None:
    for name in known_symbols():
        if f"@{name}(" in text:
            register_symbol(name)


@cache
def _fast_paths() -> Any:
    """Compile the fast paths and give their addresses to LLVM; returns their engine."""
    text = fast.module_text()
    _register_symbols(text)
    engine = _load(_object_code(text, level=3))
    for space in ("shared", "global"):
        for store in (False, True):
            for width in fast.WIDTHS:
                name = fast.function_name(space, store, width)
                llvm.add_symbol(name, engine.get_function_address(name))
    return engine


def _object_code(text: str, level: int = 0) -> bytes:
    """Native object code of an IR module: from the cache, or compiled now."""
    cpu = llvm.get_host_cpu_name()
    features = llvm.get_host_cpu_features().flatten()
    key = cache_key(llvmlite.__version__, cpu, features, str(level), text)
    found = read_entry("objects", key)
    if found is not None:
        return found
    module = llvm.parse_assembly(text)
    machine = _target_machine(level)
    if level:
        _optimise(module, machine)
    code: bytes = machine.emit_object(module)
    write_entry("objects", key, code)
    return code


def _optimise(module: Any, machine: Any) -> None:
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


def _load(code: bytes) -> Any:
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def compile_blocks(text: str, blocks: Sequence[BasicBlock]) -> CompiledBlocks:
    """Compile a module and look its basic blocks up."""
    _initialize()
    _fast_paths()
    _register_symbols(text)
    engine = _load(_object_code(text))
    addresses = [engine.get_function_address(block_name(b)) for b in blocks]
    return CompiledBlocks(np.array(addresses, dtype=np.int64), engine)
