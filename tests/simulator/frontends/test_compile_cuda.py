"""Is a Kernel from source complete and the same every time?"""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.errors import CubinError, InputError, UnknownNameError
from simulator.frontends.build import build_kernel
from simulator.frontends.cubin import load_cubin
from simulator.frontends.cuda import compile_cuda
from simulator.frontends.linking import code_parts
from simulator.frontends.spilled import find_spills
from simulator.isa.kernel import Spills
from simulator.toolchain.elf import read_cubin
from simulator.toolchain.nvrtc import ARCHITECTURES

SOURCE = """#include <cstdint>
__constant__ float weights[2] = {3, 4};
__device__ int64_t total = 5;
__device__ float scratch[100];

extern "C" __global__ void work(float* a, int n)
{
    __shared__ float s[300];
    extern __shared__ float more[];
    s[threadIdx.x] = a[n];
    __syncthreads();
    more[threadIdx.x] = s[n] + weights[n & 1];
    scratch[n] = more[n];
    total += n;
}
__global__ void mangled(int* a) { a[0] = 1; }
template <int N> __global__ void sized(int* a) { a[threadIdx.x] /= N; }
"""


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_kernel_is_complete(architecture: int) -> None:
    kernel = compile_cuda(SOURCE, "work", architecture)
    assert kernel.name == "work"
    assert kernel.architecture == architecture
    assert kernel.static_shared_bytes == 1200  # without the reserved KiB of sm_90 and later
    assert kernel.barriers == 1
    assert kernel.registers > 0
    assert kernel.spills == Spills(0, 0)
    assert [(p.offset, p.size) for p in kernel.parameters] == [(0, 8), (8, 4)]
    assert len(kernel.constants[0]) == kernel.parameter_base + 12
    assert kernel.constants[3] == struct.pack("<2f", 3, 4)
    assert kernel.cubin[:4] == b"\x7fELF"
    assert len(kernel.program_hash) == 64
    assert kernel.compiler.startswith("NVRTC 13.")
    assert kernel.source_text == {"kernel.cu": SOURCE}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_instructions_are_numbered_and_placed(architecture: int) -> None:
    kernel = compile_cuda(SOURCE, "work", architecture)
    for position, instruction in enumerate(kernel.instructions):
        assert instruction.index == position
        assert kernel.instruction_at(instruction.address) is instruction
        assert instruction.control is not None
    stores = [i for i in kernel.instructions if i.opcode == "STS"]
    assert [i.source.line for i in stores if i.source] == [10, 12]
    assert all(i.source is None or i.source.file == "kernel.cu" for i in kernel.instructions)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_dynamic_shared_memory_is_not_static(architecture: int) -> None:
    source = """extern "C" __global__ void k(float* a) {
        extern __shared__ float s[]; s[threadIdx.x] = a[0]; __syncthreads(); a[1] = s[0]; }"""
    assert compile_cuda(source, device=architecture).static_shared_bytes == 0


def test_global_symbols_have_places_sizes_and_values() -> None:
    symbols = compile_cuda(SOURCE, "work", 89).global_symbols
    assert symbols["total"][1:] == (8, struct.pack("<q", 5))
    assert symbols["scratch"][1:] == (400, b"")
    (first, size, _), (second, *_) = sorted(symbols.values())
    assert first + size <= second


def test_relocations_point_constants_at_symbols() -> None:
    kernel = compile_cuda(SOURCE, "work", 89)
    found = {r.symbol for r in kernel.relocations if r.section == ".nv.constant4"}
    assert found == {"total", "scratch"}
    assert all(r.offset + 8 <= len(kernel.constants[4]) for r in kernel.relocations)


def test_entries_by_plain_name_and_by_template_instance() -> None:
    assert compile_cuda(SOURCE, "mangled", 89).name == "_Z7mangledPi"
    assert compile_cuda(SOURCE, "sized<4>", 89).name == "_Z5sizedILi4EEvPi"


def test_a_template_without_arguments_says_so() -> None:
    with pytest.raises(InputError, match="template that the source never instantiates"):
        compile_cuda(SOURCE, "sized", 89)


def test_an_unknown_entry_lists_the_kernels() -> None:
    with pytest.raises(UnknownNameError, match="known: mangled, work"):
        compile_cuda(SOURCE, "zzz", 89)


def test_options_reach_the_compiler() -> None:
    source = 'extern "C" __global__ void k(float* a) { a[0] = VALUE; }'
    one, two = (compile_cuda(source, device=89, options=[f"-DVALUE={v}.f"]) for v in (1, 2))
    assert one.program_hash != two.program_hash


def test_spills_are_reported() -> None:
    body = "".join(f"float v{i} = a[{i} * n];" for i in range(64))
    body += "__syncthreads();" + "".join(f"a[{i} * n + 1] = v{i} * v{63 - i};" for i in range(64))
    source = f'extern "C" __global__ void k(volatile float* a, int n) {{ {body} }}'
    kernel = compile_cuda(source, device=89, options=["-maxrregcount=24"])
    assert kernel.spills is not None
    assert kernel.spills.store_bytes > 0
    assert kernel.spills.load_bytes > 0
    assert kernel.stack_bytes > 0
    assert load_cubin(kernel.cubin).spills == kernel.spills


def test_an_array_in_local_memory_is_no_spill() -> None:
    source = """extern "C" __global__ void k(const int* a, int* out) {
        int own[32];
        for (int i = 0; i < 32; ++i) own[i] = a[i];
        for (int i = 0; i < 32; ++i) own[a[i] & 31] += i;
        out[threadIdx.x] = own[a[threadIdx.x] & 31]; }"""
    kernel = compile_cuda(source, device=90)
    assert any(i.opcode == "STL" for i in kernel.instructions)
    assert load_cubin(kernel.cubin).spills == kernel.spills == Spills(0, 0)


def test_an_older_compiler_may_not_have_noted_spills() -> None:
    source = (
        'extern "C" __global__ void k(int* a) { int b[9]; b[a[1]] = 1; b[a[2]] = 3; *a = b[*a]; }'
    )
    kernel = compile_cuda(source, device=90)
    image = read_cubin(kernel.cubin)
    parts, code = code_parts(image, "k"), kernel.instructions
    assert find_spills(image, parts, code, "ptxas, release 12.4, V12.4.99") is None
    without = [i for i in code if i.opcode not in ("STL", "LDL")]
    assert find_spills(image, parts, without, "ptxas, release 12.4, V12.4.99") == Spills(0, 0)


def test_a_file_goes_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "value.cuh").write_text("#define VALUE 1.f\n")
    path = tmp_path / "one.cu"
    path.write_text('#include "value.cuh"\nextern "C" __global__ void k(float* a) { *a = VALUE; }')
    for source in (path, str(path)):
        kernel = compile_cuda(source, device=89)
        assert {i.source.file for i in kernel.instructions if i.source} == {str(path)}
        assert list(kernel.source_text) == [str(path)]


def test_the_name_of_a_text_can_be_chosen() -> None:
    kernel = compile_cuda(SOURCE, "work", 89, name="mine.cu")
    assert {i.source.file for i in kernel.instructions if i.source} == {"mine.cu"}


def test_where_python_runs_does_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = compile_cuda(SOURCE, "work", 89)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SMREPLAY_CACHE_DIR", str(tmp_path / "cache"))
    there = compile_cuda(SOURCE, "work", 89)
    assert there.program_hash == here.program_hash
    assert [i.source for i in there.instructions] == [i.source for i in here.instructions]


def test_a_missing_file_is_named() -> None:
    with pytest.raises(InputError, match=r"cannot read the source /absent/k\.cu"):
        compile_cuda("/absent/k.cu")


def test_a_cubin_gives_the_same_kernel(tmp_path: Path) -> None:
    made = compile_cuda(SOURCE, "work", 90)
    path = tmp_path / "work.cubin"
    path.write_bytes(made.cubin)
    for cubin in (made.cubin, path, str(path)):
        loaded = load_cubin(cubin, "work")
        assert loaded.program_hash == made.program_hash
        assert [i.text for i in loaded.instructions] == [i.text for i in made.instructions]
        assert loaded.registers == made.registers
        assert loaded.parameters == made.parameters
        assert loaded.spills == made.spills
        assert "ptxas" in loaded.compiler


def test_the_hash_covers_code_and_constants_but_not_lines() -> None:
    plain = compile_cuda(SOURCE, "work", 89)
    moved = compile_cuda("\n" + SOURCE, "work", 89)
    other = compile_cuda(SOURCE.replace("{3, 4}", "{3, 5}"), "work", 89)
    assert moved.program_hash == plain.program_hash
    assert other.program_hash != plain.program_hash


def test_a_cubin_that_cannot_be_read_is_named() -> None:
    with pytest.raises(InputError, match=r"cannot read the cubin /absent/k\.cubin"):
        load_cubin("/absent/k.cubin")


def test_code_without_disassembly_is_refused() -> None:
    made = compile_cuda(SOURCE, "work", 89)
    with pytest.raises(CubinError, match="0 bytes of code"):
        build_kernel(made.cubin, read_cubin(made.cubin), "absent")


def test_a_cached_compilation_loads_neither_nvrtc_nor_nvdisasm() -> None:
    compile_cuda(SOURCE, "work", 89)
    code = (
        "import sys, subprocess; subprocess.run = None\n"
        "from simulator.frontends.cuda import compile_cuda\n"
        f"print(len(compile_cuda({SOURCE!r}, 'work', 89).instructions))\n"
        "assert not any(name.startswith('cuda.') for name in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert int(done.stdout) > 0


@pytest.mark.parametrize(("device", "architecture"), [("rtx4090", 89), ("a100", 80), ("h200", 90)])
def test_a_device_name_gives_its_architecture(device: str, architecture: int) -> None:
    assert compile_cuda(SOURCE, "work", device).architecture == architecture


def test_the_default_device() -> None:
    assert compile_cuda(SOURCE, "work").architecture == 89


def test_an_unknown_device_is_named() -> None:
    with pytest.raises(UnknownNameError, match="rtx409"):
        compile_cuda(SOURCE, "work", "rtx409")
