"""Do problems fit their kernels, and are unusable sizes refused by name?"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import Problem, SizeError, Workload, load_workload, workloads

CASES = [
    pytest.param(item, sizes, id=f"{item.name}-{'x'.join(map(str, sizes.values()))}")
    for item in workloads()
    for sizes in item.test_sizes
]
every_case = pytest.mark.parametrize(("workload", "sizes"), CASES)

C_TYPES = {
    "float": np.float32,
    "int": np.int32,
    "unsigned int": np.uint32,
    "Record": np.float32,
    "__half": np.float16,
}

GEMM_TILES = {
    "naive": (16, 16),
    "tiled": (32, 32),
    "coarse": (32, 128),
    "register_tiling": (128, 128),
}


def parameters(workload: Workload) -> list[tuple[str, bool]]:
    """C type and whether it is a pointer, for each parameter in the source."""
    signature = re.search(rf"void {workload.entry}\((.*?)\)", workload.source, re.DOTALL)
    assert signature
    found = []
    for text in signature.group(1).split(","):
        words = text.replace("*", " * ").split()
        kind = " ".join(word for word in words[:-1] if word not in ("const", "*"))
        found.append((kind, "*" in words))
    return found


def threads(problem: Problem) -> int:
    """Threads of the whole launch."""
    return math.prod(problem.launch.grid) * math.prod(problem.launch.block)


@every_case
def test_arguments_match_the_signature(workload: Workload, sizes: Mapping[str, int]) -> None:
    problem = workload.problem(sizes)
    assert len(problem.arguments) == len(parameters(workload))
    for (kind, is_pointer), argument in zip(parameters(workload), problem.arguments, strict=True):
        assert argument.dtype == C_TYPES[kind]
        assert isinstance(argument, np.ndarray) == is_pointer
        if isinstance(argument, np.ndarray):
            assert argument.flags.c_contiguous
            assert argument.size > 0


@every_case
def test_expected_outputs_fit_their_buffers(workload: Workload, sizes: Mapping[str, int]) -> None:
    problem = workload.problem(sizes)
    for position, expected in problem.expected.items():
        argument = problem.arguments[position]
        assert isinstance(argument, np.ndarray)
        assert expected.shape == argument.shape
        assert expected.dtype == argument.dtype
        assert np.isfinite(expected).all()
        assert not np.array_equal(expected, argument)


@every_case
def test_launch_is_small_legal_and_more_than_a_block(
    workload: Workload, sizes: Mapping[str, int]
) -> None:
    launch = workload.problem(sizes).launch
    assert 1 < math.prod(launch.grid) < 1000
    assert 32 <= math.prod(launch.block) <= 1024
    assert math.prod(launch.block) % 32 == 0


@every_case
def test_seed_decides_the_inputs(workload: Workload, sizes: Mapping[str, int]) -> None:
    first, again, other = (workload.problem(sizes, seed) for seed in (1, 1, 2))
    pairs = list(zip(first.arguments, again.arguments, strict=True))
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in pairs)
    if first.expected:
        assert any(
            not np.array_equal(a, b, equal_nan=True)
            for a, b in zip(first.arguments, other.arguments, strict=True)
        )


@pytest.mark.parametrize("workload", workloads(), ids=lambda item: item.name)
@pytest.mark.parametrize("size", [0, -32])
def test_every_dimension_refuses_sizes_below_one(workload: Workload, size: int) -> None:
    for name in workload.sizes:
        with pytest.raises(SizeError, match=rf"\b{name}={size}\b") as caught:
            workload.problem({**workload.test_sizes[0], name: size})
        assert caught.value.dimension == name


def test_number_sets_the_scaled_dimensions() -> None:
    assert load_workload("tiled").with_sizes(64) == {"m": 64, "n": 64, "k": 64}
    assert load_workload("strided_copy").with_sizes(64) == {"n": 64, "stride": 8}


def test_unknown_dimension_is_named_with_the_known_ones() -> None:
    with pytest.raises(SizeError, match="tiled_gemm has no size 'depth'; it takes m, n, k"):
        load_workload("tiled").problem({"depth": 3})


def test_size_that_is_no_integer_is_refused() -> None:
    with pytest.raises(SizeError, match=r"size n=1\.5 is not an integer"):
        load_workload("saxpy").problem({"n": 1.5})  # type: ignore[dict-item]


def test_demanded_multiple_is_named() -> None:
    with pytest.raises(SizeError, match="size n=40 must be a multiple of 32; try 32"):
        load_workload("sgemm_reg_tiled_published").problem({"m": 64, "n": 40, "k": 64})


def test_buffers_beyond_a_32_bit_index_are_refused() -> None:
    with pytest.raises(SizeError, match="a buffer of m=65536 x k=65536"):
        load_workload("tiled").problem(65536)


def test_grid_limit_is_told() -> None:
    with pytest.raises(SizeError, match="make rows at most 2097120"):
        load_workload("transpose_tiled").problem({"rows": 2097121, "columns": 1})


def test_published_kernel_expects_nothing() -> None:
    assert not load_workload("sgemm_reg_tiled_published").problem(32).expected


@settings(deadline=None, max_examples=50)
@given(m=st.integers(1, 300), n=st.integers(1, 300), k=st.integers(1, 20))
def test_gemm_grid_covers_the_result(m: int, n: int, k: int) -> None:
    tiles = {
        "naive": (16, 16),
        "tiled": (32, 32),
        "coarse": (32, 128),
        "register_tiling": (128, 128),
    }
    for name, (tile_rows, tile_columns) in tiles.items():
        problem = load_workload(name).problem({"m": m, "n": n, "k": k})
        across, down, _ = problem.launch.grid
        assert (down - 1) * tile_rows < m <= down * tile_rows
        assert (across - 1) * tile_columns < n <= across * tile_columns
        assert threads(problem) == across * down * math.prod(problem.launch.block)
