"""From the command line to the counts: does the whole page agree with what can be worked out?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simulator.banks import banks
from simulator.composition import replay
from simulator.errors import ArgumentError
from simulator.frontends.cuda import compile_cuda
from simulator.shared_report import find_hotspots, total_shared
from simulator.storage import load_run
from tests.simulator.paging import run_page

SIZE = 128
TRANSPOSES = SIZE * SIZE // 32  # requests of one warp each that read a tile's column
STRIDED = """
extern "C" __global__ void strided(float* out, int stride) {
    __shared__ float tile[1024];
    tile[threadIdx.x] = 1.0f;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x * stride % 1024];
}
"""


@pytest.mark.parametrize(
    ("kernel", "conflicts"), [("transpose_tiled", 31 * TRANSPOSES), ("transpose_padded", 0)]
)
def test_transposes(tmp_path: Path, kernel: str, conflicts: int) -> None:
    path = tmp_path / "run.json"
    words = ("--kernel", kernel, "--size", str(SIZE), "--json", str(path))
    result = run_page(banks, *words)
    assert result.exit_code == 0, result.stderr
    run = load_run(path)
    assert total_shared(run).conflicts == conflicts
    assert total_shared(run).bytes == 2 * 4 * SIZE * SIZE
    assert run.findings == ()
    assert ("No bank conflicts." in result.stdout) == (conflicts == 0)


@pytest.mark.parametrize(("stride", "ways"), [(1, 1), (2, 2), (8, 8), (32, 32), (33, 1)])
def test_source_file_with_arguments(tmp_path: Path, stride: int, ways: int) -> None:
    (tmp_path / "strided.cu").write_text(STRIDED)
    path = tmp_path / "run.json"
    words = ["--source", str(tmp_path / "strided.cu"), "--grid", "1", "--block", "32"]
    words += ["--arg", "f32[32]=zeros", "--arg", f"i32={stride}", "--json", str(path)]
    result = run_page(banks, *words)
    assert result.exit_code == 0, result.stderr
    run = load_run(path)
    assert total_shared(run).conflicts == ways - 1
    spots = find_hotspots(run, lambda offsets, mask, width, operation: operation)
    assert [spot.source_line for spot in spots] == ([6] if ways > 1 else [])


def test_access_outside_a_buffer_is_shown(tmp_path: Path) -> None:
    (tmp_path / "strided.cu").write_text(STRIDED)
    words = ["--source", str(tmp_path / "strided.cu"), "--grid", "1", "--block", "32"]
    result = run_page(banks, *words, "--arg", "f32[16]=zeros", "--arg", "i32=1")
    assert result.exit_code == 0, result.stderr
    assert "1 finding: this kernel is wrong" in result.stdout
    assert "strided.cu:6" in result.stdout


def test_argument_of_the_wrong_size_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "strided.cu").write_text(STRIDED)
    words = ["--source", str(tmp_path / "strided.cu"), "--grid", "1", "--block", "32"]
    result = run_page(banks, *words, "--arg", "f32[32]=zeros", "--arg", "f64=1")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith("error: argument 1 ")
    assert "Traceback" not in result.stderr


STEERED = 'extern "C" __global__ void k(int* p) { if (p[0] > 3) p[p[0]] = 1; }\n'


@pytest.mark.parametrize(
    ("grid", "message"),
    [((2 * 10**9,), "give --blocks 1000"), ((2**31 - 1, 65535), "counts hold for")],
)
def test_grids_that_would_never_end_are_refused(grid: tuple[int, ...], message: str) -> None:
    kernel = compile_cuda(STEERED)
    with pytest.raises(ArgumentError, match=message):
        replay(kernel, grid=grid, block=(32,), args=[np.zeros(4, np.int32)])
    run = replay(kernel, grid=grid[:1], block=(32,), args=[np.zeros(4, np.int32)], blocks=7)
    assert run.sampling.blocks_replayed == 7
