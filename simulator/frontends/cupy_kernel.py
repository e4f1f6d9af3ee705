"""A kernel object of CuPy to a Kernel. CuPy itself is not needed: its attributes are."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from simulator.errors import InputError
from simulator.frontends.cubin import load_cubin
from simulator.frontends.cuda import DEFAULT_DEVICE, compile_cuda
from simulator.frontends.ptx import compile_ptx
from simulator.isa.kernel import Kernel


def from_cupy(raw_kernel: Any, device: str | int = DEFAULT_DEVICE) -> Kernel:
    """The kernel of a ``cupy.RawKernel``, or of a function of a ``cupy.RawModule``.

    It is compiled by this project's NVRTC from the object's ``code``, ``name`` and ``options``, or
    loaded from its ``file_path`` (a cubin or PTX). What CuPy itself would run on a GPU comes from
    the NVRTC that CuPy finds, so its machine code may differ.

    Raises:
        InputError: the object is no such kernel.
        CompileError, CubinError, UnknownNameError, ToolchainError: as compile_cuda, load_cubin and
            compile_ptx.
    """
    name, path = getattr(raw_kernel, "name", None), getattr(raw_kernel, "file_path", None)
    code = getattr(raw_kernel, "code", None)
    if not isinstance(name, str) or not (isinstance(code, str) or isinstance(path, str)):
        raise InputError(
            f"from_cupy takes a cupy.RawKernel or what RawModule.get_function gives, not "
            f"{type(raw_kernel).__name__}; other kernels of CuPy have no CUDA source of their own"
        )
    if isinstance(code, str):
        options = tuple(getattr(raw_kernel, "options", ()))
        return compile_cuda(code, name, device, (*options, *_includes(code)))
    if str(path).endswith(".ptx"):
        return compile_ptx(Path(str(path)), name, device)
    return load_cubin(Path(str(path)), name)


def _includes(code: str) -> tuple[str, ...]:
    """Where CuPy keeps its own headers, for sources that use them while CuPy is loaded."""
    home = getattr(sys.modules.get("cupy"), "__file__", None)
    if home is None or "cupy/" not in code:
        return ()
    return (f"-I{Path(home).parent / '_core' / 'include'}",)
