"""Functions that numba compiles when they are first needed, and that run without numba after."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import Any

from simulator.jit.calling import Kind, Native, Packed, kind_of
from simulator.jit.objects import find_object

# Functions are called by address only; numba need not make them callable from Python or C.
_NO_WRAPPERS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class Function:
    """A Python function that is compiled for every combination of argument types it meets.

    Called from Python it runs its machine code; named in compiled code it is numba's dispatcher.
    """

    def __init__(self, python: Callable[..., Any], options: Mapping[str, Any]) -> None:
        functools.update_wrapper(self, python)
        self.python, self.options = python, options
        self._natives: dict[tuple[Kind, ...], Native] = {}

    @cached_property
    def dispatcher(self) -> Any:
        """What numba makes of the function."""
        return load_numba().njit(**self.options, **_NO_WRAPPERS)(self.python)

    def __call__(self, *arguments: Any) -> Any:
        return self._native_for(arguments)(arguments)

    def bound(self, arguments: tuple[Any, ...]) -> Callable[[], Any]:
        """A call with arguments that are taken apart once."""
        native = self._native_for(arguments)
        return functools.partial(native.run, native.words(arguments), arguments)

    def _native_for(self, arguments: tuple[Any, ...]) -> Native:
        kinds = tuple(map(kind_of, arguments))
        native = self._natives.get(kinds)
        if native is None:
            native = self.native(kinds, lambda: tuple(map(_type_of, arguments)))
        return native

    def native(self, kinds: tuple[Kind, ...], types: Callable[[], tuple[Any, ...]]) -> Native:
        """The machine code for argument kinds; ``types`` gives numba's for them if need be."""
        if kinds not in self._natives:
            self._natives[kinds] = find_object(self, kinds, types)
        return self._natives[kinds]


def _type_of(value: Any) -> Any:
    return load_numba().typeof(value.value if isinstance(value, Packed) else value)


class Intrinsic:
    """Code that numba inserts as LLVM IR; only named in compiled code, never called."""

    def __init__(self, python: Callable[..., Any]) -> None:
        self._python = python

    @cached_property
    def numba(self) -> Any:
        """Numba's object."""
        from numba.extending import intrinsic

        return intrinsic(self._python)


@cache
def load_numba() -> Any:
    """Numba, told what functions and intrinsics are when compiled code names them."""
    import numba
    from numba.core.registry import cpu_target
    from numba.extending import typeof_impl

    def type_of_function(value: Function, _context: Any) -> Any:
        return numba.typeof(value.dispatcher)

    def type_of_intrinsic(value: Intrinsic, _context: Any) -> Any:
        made, context = value.numba, cpu_target.typing_context
        context.refresh()  # learns of intrinsics made since
        return context.resolve_value_type(made)

    typeof_impl.register(Function)(type_of_function)
    typeof_impl.register(Intrinsic)(type_of_intrinsic)
    return numba
