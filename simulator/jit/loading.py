"""LLVM IR to object code, kept on disk, and object code linked into this process."""

from __future__ import annotations

from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from simulator.toolchain.cache import cache_key, read_entry, write_entry


@cache
def initialize() -> None:
    """Prepare LLVM for code of this machine's processor."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def target_machine(level: int = 0) -> Any:
    """A new target machine; an execution engine takes over the one it is given."""
    initialize()
    target = llvm.Target.from_default_triple()
    features = llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(opt=level, cpu=llvm.get_host_cpu_name(), features=features)


def load_object(code: bytes) -> Any:
    """Link object code into the process; the engine returned keeps it there."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def host_key(*parts: bytes | str) -> str:
    """Cache key of what depends on this machine's processor and LLVM, besides ``parts``."""
    cpu = llvm.get_host_cpu_name()
    features = llvm.get_host_cpu_features().flatten()
    return cache_key(llvmlite.__version__, cpu, features, *parts)


def object_code(text: str, level: int = 0) -> bytes:
    """Native object code of an IR module: from the cache, or compiled now.

    Level 0 has no optimisation passes; higher levels take ten times as long.
    """
    key = host_key(str(level), text)
    found = read_entry("objects", key)
    if found is not None:
        return found
    machine = target_machine(level)
    module = llvm.parse_assembly(text)
    if level:
        _optimise(module, machine)
    code: bytes = machine.emit_object(module)
    write_entry("objects", key, code)
    return code


def _optimise(module: Any, machine: Any) -> None:
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
