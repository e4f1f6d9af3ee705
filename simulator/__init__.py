"""smreplay's simulator: replays a CUDA kernel's machine code and counts its memory traffic.

The public names are imported on first use, because front ends and models load native libraries.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.composition import replay
    from simulator.device import device_names, load_device
    from simulator.errors import SimulatorError
    from simulator.frontends.cubin import load_cubin
    from simulator.frontends.cuda import compile_cuda
    from simulator.frontends.cupy_kernel import from_cupy
    from simulator.frontends.numba_kernel import from_numba
    from simulator.frontends.ptx import compile_ptx
    from simulator.memory import count_global, count_shared
    from simulator.storage import load_run

_HOMES = {
    "SimulatorError": "simulator.errors",
    "compile_cuda": "simulator.frontends.cuda",
    "compile_ptx": "simulator.frontends.ptx",
    "count_global": "simulator.memory",
    "count_shared": "simulator.memory",
    "device_names": "simulator.device",
    "from_cupy": "simulator.frontends.cupy_kernel",
    "from_numba": "simulator.frontends.numba_kernel",
    "load_cubin": "simulator.frontends.cubin",
    "load_device": "simulator.device",
    "load_run": "simulator.storage",
    "replay": "simulator.composition",
}

__all__ = [
    "SimulatorError",
    "compile_cuda",
    "compile_ptx",
    "count_global",
    "count_shared",
    "device_names",
    "from_cupy",
    "from_numba",
    "load_cubin",
    "load_device",
    "load_run",
    "replay",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
