"""The runtime functions generated code may call, compiled by numba and known to LLVM by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from simulator.emulator.runtime import access, atomics, control, copies, lanes, special, tensor
from simulator.jit import LEAN, types
from simulator.jit.calling import Native
from simulator.jit.function import Function
from simulator.jit.loading import load_object, object_code

# name -> (function, number of i32 arguments, whether an i64 comes first, whether it returns i32)
_FUNCTIONS: dict[str, tuple[Callable[..., Any], int, bool, bool]] = {
    "smr_shared_load": (access.shared_load, 7, False, False),
    "smr_shared_store": (access.shared_store, 7, False, False),
    "smr_local_load": (access.local_load, 7, False, False),
    "smr_local_store": (access.local_store, 7, False, False),
    "smr_load": (access.load, 6, True, False),
    "smr_store": (access.store, 6, True, False),
    "smr_generic_load": (access.generic_load, 6, True, False),
    "smr_generic_store": (access.generic_store, 6, True, False),
    "smr_constant_load": (access.constant_load, 6, False, False),
    "smr_async_copy": (copies.async_copy, 8, True, False),
    "smr_matrix_load": (copies.matrix_load, 7, False, False),
    "smr_matrix_store": (copies.matrix_store, 7, False, False),
    "smr_shared_atomic": (atomics.shared_atomic, 10, False, False),
    "smr_atomic": (atomics.atomic, 11, True, False),
    "smr_first_lane": (lanes.first_lane, 2, False, True),
    "smr_write_row": (lanes.write_row, 3, False, False),
    "smr_copy_row": (lanes.copy_row, 3, False, False),
    "smr_leave": (control.leave, 2, False, False),
    "smr_differs": (lanes.differs, 4, False, False),
    "smr_shuffle": (lanes.shuffle, 7, False, False),
    "smr_match": (lanes.match, 5, False, False),
    "smr_redux": (lanes.redux, 4, False, True),
    "smr_mufu": (special.mufu, 5, False, False),
    "smr_mma_float": (tensor.mma_float, 9, False, False),
    "smr_mma_integer": (tensor.mma_integer, 8, False, False),
    "smr_mma_double": (tensor.mma_double, 4, False, False),
    "smr_move_matrix": (tensor.move_matrix, 2, False, False),
    "smr_branch": (control.branch, 3, False, True),
    "smr_jump": (control.jump, 2, False, True),
    "smr_exit": (control.exit_lanes, 2, False, True),
    "smr_trap": (control.trap, 2, False, False),
    "smr_meet": (control.meet, 3, False, True),
    "smr_warpsync_lanes": (control.warpsync_lanes, 4, False, True),
    "smr_warpsync": (control.warpsync, 3, False, True),
    "smr_yield": (control.yield_lanes, 1, False, True),
    "smr_block_barrier": (control.block_barrier, 6, False, True),
}


@dataclass(frozen=True)
class Symbol:
    """A runtime function: ``native`` for calls from Python, ``engine`` keeps what C calls."""

    native: Native
    engine: Any


@cache
def register_symbol(name: str) -> Symbol:
    """Compile or load one runtime function and give its address to LLVM."""
    function, words, wide, returns = _FUNCTIONS[name]
    kinds = ("int64",) * (3 if wide else 2) + ("int32",) * words
    native = Function(function, LEAN).native(kinds, lambda: _types(kinds))
    llvm.add_symbol(f"native.{name}", native.address)
    engine = load_object(object_code(_trampoline(name, kinds, returns)))
    llvm.add_symbol(name, engine.get_function_address(name))
    return Symbol(native, engine)  # kept alive by the cache


def _types(kinds: Sequence[str]) -> tuple[Any, ...]:
    return tuple(getattr(types, kind) for kind in kinds)


def _trampoline(name: str, kinds: Sequence[str], returns: bool) -> str:
    """From the way C calls a function to the way numba's are called."""
    words = [f"{'i64' if kind == 'int64' else 'i32'} %a{n}" for n, kind in enumerate(kinds)]
    types = ", ".join(word.split()[0] for word in words)
    result = "i32" if returns else "void"
    return f"""
declare i32 @native.{name}(ptr, ptr, {types})

define {result} @{name}({", ".join(words)}) {{
  %result = alloca i64
  %exception = alloca ptr
  %status = call i32 @native.{name}(ptr %result, ptr %exception, {", ".join(words)})
  %value = load i32, ptr %result
  ret {"i32 %value" if returns else "void"}
}}
"""


def known_symbols() -> frozenset[str]:
    """Names of all runtime functions."""
    return frozenset(_FUNCTIONS)
