"""Is everything beside the machine code read from a cubin, and damage reported as such?"""

from __future__ import annotations

import random
import struct
import sys
from pathlib import Path

import pytest

from simulator.errors import CubinError
from simulator.toolchain import info
from simulator.toolchain.elf import EntryInfo, entry_info, read_cubin
from simulator.toolchain.nvdisasm import disassemble
from simulator.toolchain.nvrtc import ARCHITECTURES, Request, compile_source

SOURCE = """
struct Big { float v[3000]; };
__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int counter = 7;
__device__ int* pointer = &counter;
extern "C" __global__ void __launch_bounds__(128)
first(float* a, int n, short q, double d, const float* __restrict__ b)
{
    __shared__ float s[300];
    s[threadIdx.x] = a[n] + b[q] + (float)d;
    __syncthreads();
    a[threadIdx.x] = s[127 - threadIdx.x] * weights[n];
}
extern "C" __global__ void second(Big big, float* o, int i, char c)
{
    o[0] = big.v[i] + c + *pointer;
}
"""
PARAMETER_BASES = {80: 0x160, 86: 0x160, 89: 0x160, 90: 0x210, 100: 0x380, 120: 0x380}


def cubin(architecture: int = 89) -> bytes:
    return compile_source(Request(SOURCE, "kernel.cu", architecture)).cubin


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_attributes(architecture: int) -> None:
    image = read_cubin(cubin(architecture))
    found = entry_info(image, "first")
    assert found == EntryInfo(
        registers=found.registers,
        stack_bytes=0,
        barriers=1,
        parameters=((0, 8), (8, 4), (12, 2), (16, 8), (24, 8)),
        parameter_base=PARAMETER_BASES[architecture],
        max_threads=128,
    )
    assert 8 <= found.registers <= 32


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_parameters_beyond_the_short_record(architecture: int) -> None:
    found = entry_info(read_cubin(cubin(architecture)), "second")
    assert found.parameters == ((0, 12000), (12000, 8), (12008, 4), (12012, 1))
    assert found.max_threads is None
    assert found.barriers == 0


def test_entries_and_globals() -> None:
    image = read_cubin(cubin())
    assert sorted(image.entries) == ["first", "second"]
    assert image.sections[".nv.constant3"] == struct.pack("<4f", 1, 2, 3, 4)
    counter = next(symbol for symbol in image.symbols if symbol.name == "counter")
    assert counter.section == ".nv.global.init"
    data = image.sections[counter.section]
    assert data[counter.offset : counter.offset + 4] == struct.pack("<i", 7)


def test_relocations_name_their_symbols() -> None:
    found = {(r.section, r.symbol) for r in read_cubin(cubin()).relocations}
    assert (".nv.global.init", "counter") in found
    assert (".nv.constant4", "pointer") in found


def test_all_formats_of_attributes() -> None:
    section = struct.pack("<BBHI", 4, info.REGISTER_COUNT, 4, 9)
    section += struct.pack("<BBH", 2, info.BARRIER_COUNT, 1)
    section += struct.pack("<BBH", 1, 0x35, 0)
    found = [(a.number, a.value, a.data) for a in info.read_attributes(section)]
    assert found == [
        (info.REGISTER_COUNT, 4, struct.pack("<I", 9)),
        (info.BARRIER_COUNT, 1, b""),
        (0x35, 0, b""),
    ]


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "empty"),
        (b"hello", "no cubin"),
        (b"\x50\xed\x55\xba\x01\x00\x10\x00", "fatbin"),
        (b"//\n.version 8.8\n.target sm_89\n", "PTX text"),
        (b"!<arch>\n", "host library"),
        (b"MZ\x90\x00", "host library"),
    ],
)
def test_other_files_are_named(data: bytes, what: str) -> None:
    with pytest.raises(CubinError, match=f"k.cubin is .*{what}"):
        read_cubin(data, "k.cubin")


@pytest.mark.skipif(sys.platform != "linux", reason="the interpreter is an ELF file on Linux")
def test_a_host_program_is_named() -> None:
    with pytest.raises(CubinError, match="host code"):
        read_cubin(Path(sys.executable).resolve().read_bytes())


def test_a_relocatable_cubin_is_named() -> None:
    data = bytearray(cubin())
    struct.pack_into("<H", data, 16, 1)  # e_type = ET_REL
    with pytest.raises(CubinError, match="relocatable"):
        read_cubin(bytes(data))


def test_damage_never_ends_in_another_exception() -> None:
    good = cubin()
    dice = random.Random(0)
    failures = 0
    for _ in range(200):
        data = bytearray(good[: dice.randrange(64, len(good) + 1)])
        for _ in range(dice.randrange(30)):
            data[dice.randrange(len(data))] = dice.randrange(256)
        try:
            image = read_cubin(bytes(data))
            for entry in image.entries:
                entry_info(image, entry)
        except CubinError:
            failures += 1
    assert failures > 100


def test_what_nvdisasm_refuses_is_a_cubin_error() -> None:
    with pytest.raises(CubinError, match="nvdisasm cannot read"):
        disassemble(b"\x7fELF" + bytes(100))
