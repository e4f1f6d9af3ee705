"""PTX and kernel objects of CuPy become kernels that replay; without a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simulator as sm
from kernels.workload import Launch
from simulator.errors import ArgumentError, CompileError, InputError, ToolchainError
from simulator.launching import open_source
from simulator.toolchain import nvjitlink

SCALE = 'extern "C" __global__ void scale(float* x, float by) { x[threadIdx.x] *= by; }'
TEMPLATE = "template <int N> __global__ void add(int* x) { x[threadIdx.x] += N; }"
SHARED_PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry staged()
{
    .shared .b32 tile[100];
    .reg .u32 a;
    mov.u32 a, tile;
    st.volatile.shared.u32 [a], a;
    ret;
}
"""
PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 x)
{
    .reg .u64 p, o; .reg .u32 t, v;
    ld.param.u64 p, [x];
    mov.u32 t, %tid.x;
    mul.wide.u32 o, t, 4;
    add.u64 p, p, o;
    ld.global.u32 v, [p];
    add.u32 v, v, v;
    st.global.u32 [p], v;
    ret;
}
"""
ARCHITECTURES = (80, 86, 89, 90, 120)
DEVICES = {80: "a100_80", 86: "rtx3090", 89: "rtx4090", 90: "h200", 120: "rtx5090"}


@dataclass
class RawKernel:
    """The attributes of cupy.RawKernel that can be read without a GPU."""

    code: str | None
    name: str
    options: tuple[str, ...] = ()
    file_path: str | None = None


def run(kernel: Any, args: list[Any], device: str = "rtx4090", threads: int = 32) -> Any:
    return sm.replay(kernel, (1,), (threads,), args, device=device).outputs


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_shared_memory_of_ptx_is_without_the_reserved_part(architecture: int) -> None:
    assert sm.compile_ptx(SHARED_PTX, device=architecture).static_shared_bytes == 400


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_ptx(architecture: int) -> None:
    kernel = sm.compile_ptx(PTX, device=architecture)
    assert (kernel.name, kernel.architecture) == ("twice", architecture)
    assert kernel.spills is not None
    assert kernel.compiler.startswith("nvJitLink")
    found = run(kernel, [np.arange(32, dtype=np.int32)], DEVICES[architecture])[0]
    np.testing.assert_array_equal(found, 2 * np.arange(32))


def test_ptx_file(tmp_path: Path) -> None:
    path = tmp_path / "twice.ptx"
    path.write_text(PTX)
    assert sm.compile_ptx(path, "twice").name == "twice"
    with pytest.raises(InputError, match=r"missing\.ptx"):
        sm.compile_ptx(tmp_path / "missing.ptx")


def test_ptx_that_does_not_assemble() -> None:
    with pytest.raises(CompileError, match="sm_89"):
        sm.compile_ptx(PTX.replace("add.u32 v, v, v", "add.u33 v, v, v"))


def test_ptx_options() -> None:
    with pytest.raises(ArgumentError, match="set by the simulator"):
        sm.compile_ptx(PTX, options=("-arch=sm_90",))
    with pytest.raises(ArgumentError, match="nvJitLink does not know"):
        sm.compile_ptx(PTX, options=("-nonsense",))


def test_missing_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvjitlink, "NVJITLINK_WHEEL", "nvidia-nvjitlink-not-here")
    with pytest.raises(ToolchainError, match="pip install"):
        sm.compile_ptx(PTX)


def test_cupy_source() -> None:
    kernel = sm.from_cupy(RawKernel(SCALE, "scale", ("-DN=1",)))
    found = run(kernel, [np.ones(32, np.float32), np.float32(3)])[0]
    np.testing.assert_array_equal(found, 3)


def test_cupy_template_and_device() -> None:
    kernel = sm.from_cupy(RawKernel(TEMPLATE, "add<5>"), device="h200")
    assert kernel.architecture == 90
    found = run(kernel, [np.zeros(32, np.int32)], "h200")[0]
    np.testing.assert_array_equal(found, 5)


def test_cupy_files(tmp_path: Path) -> None:
    ptx, cubin = tmp_path / "k.ptx", tmp_path / "k.cubin"
    ptx.write_text(PTX)
    cubin.write_bytes(sm.compile_cuda(SCALE).cubin)
    assert sm.from_cupy(RawKernel(None, "twice", file_path=str(ptx))).name == "twice"
    assert sm.from_cupy(RawKernel(None, "scale", file_path=str(cubin))).name == "scale"


def test_cupy_other_objects() -> None:
    with pytest.raises(InputError, match="RawKernel"):
        sm.from_cupy(lambda x: x)


def test_ptx_on_a_page(tmp_path: Path) -> None:
    path = tmp_path / "twice.ptx"
    path.write_text(PTX)
    x = np.arange(32, dtype=np.int32)
    target = open_source(path, None, "rtx4090", (), Launch((1, 1, 1), (32, 1, 1)), [x])
    assert target.kernel.name == "twice"
