"""Which source texts come with a kernel?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from simulator.frontends.cubin import load_cubin
from simulator.frontends.cuda import compile_cuda

# The function and the kernel stand on lines of different numbers: ptxas starts no new row in the
# line table when only the file changes.
HEADER = "\n\n__device__ inline float twice(float x)\n{\n    return x / 3.f;\n}\n"
SOURCE = """#include <cuda_fp16.h>
#include "twice.cuh"
extern "C" __global__ void k(float* a, half2* h) { *a = twice(*a); *h = __hadd2(h[1], h[2]); }
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "twice.cuh").write_text(HEADER)
    path = tmp_path / "k.cu"
    path.write_text(SOURCE)
    return path


def test_user_headers_are_there_and_bundled_ones_are_not(source: Path) -> None:
    kernel = compile_cuda(source, device=89)
    assert kernel.source_text == {str(source): SOURCE, str(source.parent / "twice.cuh"): HEADER}
    used = {Path(i.source.file).name for i in kernel.instructions if i.source}
    assert used == {"k.cu", "twice.cuh", "cuda_fp16.h"}


def test_a_cubin_finds_its_sources_unless_they_changed(source: Path) -> None:
    cubin = source.with_suffix(".cubin")
    cubin.write_bytes(compile_cuda(source, device=89).cubin)
    assert load_cubin(cubin).source_text[str(source)] == SOURCE
    later = cubin.stat().st_mtime + 10
    os.utime(source, (later, later))
    assert set(load_cubin(cubin).source_text) == {str(source.parent / "twice.cuh")}


def test_bytes_come_without_sources(source: Path) -> None:
    assert load_cubin(compile_cuda(source, device=89).cubin).source_text == {}


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "cp1252"])
def test_a_source_in_another_encoding_is_compiled_and_shown(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "k.cu"
    text = '// größer\r\nextern "C" __global__ void k(float* a) { *a = 1.0f; }\r\n'
    path.write_bytes(text.encode(encoding))
    kernel = compile_cuda(path)
    assert [*kernel.source_text.values()] == [text.replace("\r\n", "\n")]
