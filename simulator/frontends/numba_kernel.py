"""A kernel of Numba's CUDA target to a Kernel, without a GPU."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from simulator.errors import CompileError, InputError, ToolchainError
from simulator.frontends.cuda import DEFAULT_DEVICE, architecture_of
from simulator.frontends.ptx import compile_ptx
from simulator.isa.kernel import ArrayPassing, Kernel


def from_numba(dispatcher: Any, signature: Any, device: str | int = DEFAULT_DEVICE) -> Kernel:
    """The kernel of a function under ``numba.cuda.jit`` for one signature.

    ``signature`` is what the decorator takes: ``"(float32[::1], int32)"``, a tuple of Numba types
    or ``void(...)``. The compiler is Numba's, down to PTX; it needs NVVM (the CUDA toolkit or the
    wheels that numba-cuda installs). Arrays of a launch are passed as Numba passes them, with
    their shape and strides.

    Raises:
        InputError: not such a function, or arrays in Fortran order.
        CompileError: Numba cannot compile it for the signature.
        ToolchainError: NVVM or the wheel nvidia-nvjitlink is missing.
    """
    function = getattr(dispatcher, "py_func", None)
    options = getattr(dispatcher, "targetoptions", None)
    if function is None or not isinstance(options, dict):
        raise InputError(
            f"from_numba takes a function under @numba.cuda.jit, not {type(dispatcher).__name__}"
        )
    types = _argument_types(signature)
    number = architecture_of(device)
    ptx = _compile(function, types, number, bool(options.get("fastmath")))
    kernel = compile_ptx(ptx, None, number, name=f"{function.__name__}.ptx")
    return replace(kernel, array_passing=ArrayPassing.NUMBA)


def _argument_types(signature: Any) -> tuple[Any, ...]:
    from numba.core import sigutils

    try:
        types, _ = sigutils.normalize_signature(signature)
    except (TypeError, ValueError, NameError, AttributeError) as error:
        raise InputError(
            f"{signature!r} is no signature of Numba ({error}); write it as the decorator takes "
            'it, for example "(float32[::1], int32)"'
        ) from None
    for kind in types:
        if getattr(kind, "layout", "C") == "F":
            raise InputError(
                f"the signature has {kind} in Fortran order; a replay keeps arrays in C order, so "
                "write [:, ::1] or [:, :]"
            )
    return tuple(types)


def _compile(function: Any, types: tuple[Any, ...], architecture: int, fastmath: bool) -> str:
    from numba import cuda
    from numba.core.errors import NumbaError
    from numba.cuda.cudadrv.error import CudaSupportError, NvvmSupportError

    capability = divmod(architecture, 10)
    try:
        with warnings.catch_warnings(), _current_device(capability):
            warnings.simplefilter("ignore")  # of a target that Numba has moved to numba-cuda
            ptx, _ = cuda.compile_ptx(
                function, types, cc=capability, lineinfo=True, fastmath=fastmath
            )
    except NvvmSupportError as error:
        raise ToolchainError(
            f"Numba finds no NVVM to compile with ({str(error).strip().splitlines()[0]}); install "
            "the CUDA toolkit or 'pip install numba-cuda[cu13]'"
        ) from None
    except CudaSupportError as error:
        raise ToolchainError(
            f"Numba asks for a GPU to compile {function.__name__} "
            f"({str(error).strip().splitlines()[0]}); call only functions under "
            "@numba.cuda.jit(device=True) in it"
        ) from None
    except NumbaError as error:
        raise CompileError(f"Numba cannot compile {function.__name__}{types}", str(error)) from None
    return str(ptx)


@contextmanager
def _current_device(capability: tuple[int, int]) -> Iterator[None]:
    """Numba asks the current GPU what to compile a kernel's device functions for: this, instead."""
    from numba.cuda import dispatcher

    asked = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = asked
