"""Machine code of compiled functions: from the cache on disk, or from numba."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import llvmlite.binding as llvm

from simulator.jit.calling import Kind, Native
from simulator.jit.loading import host_key, initialize, load_object
from simulator.jit.sources import digest
from simulator.toolchain.cache import read_entry, write_entry

if TYPE_CHECKING:
    from simulator.jit.function import Function

_FUNCTIONS, _MODULES = "functions", "compiled"  # parts of the cache
# Numba's names of functions of the C library, which machine code can be given without numba.
_OF_C = {f"numba_{name}": name for name in ("ldexp", "frexp", "nextafter")}


def is_kept(module: str) -> bool:
    """Whether machine code of a loaded module, as it is now, is in the cache."""
    return read_entry(_MODULES, digest(module)) is not None


def find_object(
    function: Function, kinds: tuple[Kind, ...], types: Callable[[], tuple[Any, ...]]
) -> Native:
    """A function's machine code for argument kinds; compiles and remembers it if need be."""
    name, module = function.python.__qualname__, function.python.__module__
    key = host_key(module, name, repr(kinds), digest(module))
    found = read_entry(_FUNCTIONS, key)
    if found is None:
        return _compile(function, kinds, types(), key)
    head, code = found.split(b"\n", 1)
    symbol, result, single = json.loads(head)
    initialize()
    _name_c_functions()
    engine = load_object(code)
    return Native(name, engine.get_function_address(symbol), kinds, result, single, engine)


def _compile(
    function: Function, kinds: tuple[Kind, ...], types: tuple[Any, ...], key: str
) -> Native:
    function.dispatcher.compile(types)
    made = function.dispatcher.overloads[types]
    result, single = _result(made.signature.return_type)
    symbol = made.fndesc.llvm_func_name
    _, _, (code, bitcode) = made.library.serialize_using_object_code()
    if _stands_alone(bitcode):
        head = json.dumps([symbol, result, single]).encode()
        write_entry(_FUNCTIONS, key, head + b"\n" + code)
        write_entry(_MODULES, digest(function.python.__module__), b"")
    address = made.library.get_pointer_to_function(symbol)
    return Native(function.python.__qualname__, address, kinds, result, single, made)


def _result(kind: Any) -> tuple[list[str], bool]:
    """Names of the types of the values returned, and whether it is one that is no tuple."""
    from numba import types

    if kind == types.none:
        return [], True
    several = isinstance(kind, types.BaseTuple)
    names = [str(types.unliteral(member)) for member in (kind if several else [kind])]
    return names, not several


def _stands_alone(bitcode: bytes) -> bool:
    """Whether everything the code calls is found without numba."""
    process = ctypes.CDLL(None)
    module = llvm.parse_bitcode(bitcode)
    called = [_OF_C.get(f.name, f.name) for f in module.functions if f.is_declaration]
    return all(name.startswith("llvm.") or hasattr(process, name) for name in called)


@cache
def _name_c_functions() -> None:
    """Give the functions of the C library the names that numba's code calls them by."""
    process = ctypes.CDLL(None)
    for name, known in _OF_C.items():
        if hasattr(process, known):
            place = ctypes.cast(getattr(process, known), ctypes.c_void_p).value
            llvm.add_symbol(name, place)
