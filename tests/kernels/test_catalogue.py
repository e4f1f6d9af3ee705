"""Is every catalogue entry complete, named once and told truthfully?"""

from __future__ import annotations

import re

import pytest

from kernels import UnknownKernelError, Workload, load_workload, workloads
from kernels.catalogue import FAMILIES

ARTICLE_KERNELS = {
    "tiled_gemm",
    "coarse_gemm",
    "register_tiled_gemm",
    "vectorized_gemm",
    "double_buffer_gemm",
    "register_tiling_gemm",
    "sgemm_reg_tiled_published",
    "sgemm_reg_tiled",
    "sgemm_shared_naive",
}

every_workload = pytest.mark.parametrize("workload", workloads(), ids=lambda item: item.name)


def test_names_and_aliases_are_unique() -> None:
    names = [name for item in workloads() for name in (item.name, *item.aliases)]
    assert len(names) == len(set(names))


def test_every_family_contributes_and_the_articles_are_complete() -> None:
    assert all(family.WORKLOADS for family in FAMILIES)
    assert {item.name for item in workloads()} >= ARTICLE_KERNELS


@pytest.mark.parametrize(
    "alias", ["tiled", "coarse", "register_tiled", "vectorized", "double_buffer", "register_tiling"]
)
def test_article_kernels_answer_to_their_short_names(alias: str) -> None:
    assert load_workload(alias) is load_workload(f"{alias}_gemm")


def test_unknown_name_lists_near_ones() -> None:
    with pytest.raises(UnknownKernelError, match=r"'registr_tiling'.*register_tiling"):
        load_workload("registr_tiling")


def test_hopeless_name_lists_all() -> None:
    with pytest.raises(UnknownKernelError, match=r"known: aos_sum, .*transpose_tiled"):
        load_workload("0123456789")


@every_workload
def test_source_defines_the_entry_and_says_what_it_shows(workload: Workload) -> None:
    pattern = rf'extern "C" __global__ void {workload.entry}\('
    assert len(re.findall(pattern, workload.source)) == 1
    header = workload.source.split("\n\n")[0]
    assert all(line.startswith("//") for line in header.splitlines())
    assert "Shows:" in header
    assert max(map(len, workload.source.splitlines())) <= 100


@every_workload
def test_article_pointers_are_plain(workload: Workload) -> None:
    assert "__restrict__" not in workload.source


@every_workload
def test_sizes_and_test_sizes_name_the_same_dimensions(workload: Workload) -> None:
    assert workload.test_sizes
    assert workload.scaled
    assert set(workload.scaled) <= set(workload.sizes)
    for sizes in workload.test_sizes:
        assert set(sizes) <= set(workload.sizes)
