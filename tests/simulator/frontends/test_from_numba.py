"""Kernels of Numba's CUDA target replay without a GPU."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import simulator as sm
from simulator.errors import ArgumentError, CompileError, InputError, ReplayError

cuda: Any = pytest.importorskip("numba.cuda")
try:
    cuda.cudadrv.nvvm.NVVM()
except Exception as error:  # whatever Numba raises where NVVM is missing
    pytest.skip(f"Numba finds no NVVM: {type(error).__name__}", allow_module_level=True)
DEVICES = {80: "a100_80", 89: "rtx4090", 90: "h200"}


def run(kernel: Any, args: list[Any], threads: int) -> Any:
    return sm.replay(kernel, (1,), (threads,), args).outputs


@cuda.jit
def add_rows(a: Any, b: Any, out: Any) -> None:
    """One block a row."""
    row, column = cuda.blockIdx.x, cuda.threadIdx.x
    if column < a.shape[1]:
        out[row, column] = a[row, column] + b[column]


@cuda.jit
def staged(x: Any, by: Any) -> None:
    """A block reversed in shared memory."""
    tile = cuda.shared.array(64, "float32")
    t = cuda.threadIdx.x
    tile[t] = x[t]
    cuda.syncthreads()
    x[t] = math.sqrt(tile[63 - t]) * by


@pytest.mark.parametrize("architecture", [80, 89, 90])
def test_numba_matrices(architecture: int) -> None:
    kernel = sm.from_numba(add_rows, "(float32[:, ::1], float32[:], float32[:, :])",
                           device=architecture)  # fmt: skip
    rng = np.random.default_rng(0)
    a, b = rng.random((3, 40), np.float32), rng.random(40, np.float32)
    arguments = [a, b, np.zeros_like(a)]
    made = sm.replay(kernel, (3,), (64,), arguments, device=DEVICES[architecture])
    np.testing.assert_array_equal(made.outputs[2], a + b)
    assert not made.findings
    assert any(i.source_line for i in made.instructions)


def test_numba_shared_memory_and_scalars() -> None:
    kernel = sm.from_numba(staged, "void(float32[::1], float32)")
    assert kernel.static_shared_bytes == 256
    x = np.arange(64, dtype=np.float32)
    found = run(kernel, [x, np.float32(2)], threads=64)[0]
    np.testing.assert_allclose(found, 2 * np.sqrt(x[::-1]), rtol=1e-6)


@cuda.jit(device=True)
def twice(x: Any) -> Any:
    """A function that kernels call."""
    return x + x


@cuda.jit
def doubled(x: Any) -> None:
    """Calls it."""
    x[cuda.threadIdx.x] = twice(x[cuda.threadIdx.x])


@cuda.jit
def printing(x: Any) -> None:
    """Calls what a replay has not."""
    print(x[cuda.threadIdx.x])


def test_numba_device_functions_need_no_gpu_either() -> None:
    kernel = sm.from_numba(doubled, "void(float32[::1])")
    x = np.arange(32, dtype=np.float32)
    np.testing.assert_array_equal(run(kernel, [x], threads=32)[0], 2 * x)


def test_numba_print_stops_by_name() -> None:
    kernel = sm.from_numba(printing, "void(int32[::1])")
    with pytest.raises(ReplayError, match=r"calls printf at .*test_from_numba\.py:\d+"):
        run(kernel, [np.zeros(32, np.int32)], threads=32)


def test_numba_wrong_dimensions() -> None:
    kernel = sm.from_numba(staged, "void(float32[::1], float32)")
    with pytest.raises(ArgumentError, match="dimensions"):
        run(kernel, [np.zeros((8, 8), np.float32), np.float32(2)], threads=64)


def test_numba_refusals() -> None:
    with pytest.raises(InputError, match="Fortran"):
        sm.from_numba(staged, "(float32[::1, :], float32)")
    with pytest.raises(InputError, match="no signature"):
        sm.from_numba(staged, "float33[:]")
    with pytest.raises(InputError, match=r"cuda\.jit"):
        sm.from_numba(staged.py_func, "(float32[::1], float32)")
    with pytest.raises(CompileError, match="cannot compile"):
        sm.from_numba(staged, "(float32[::1], float32[::1])")
