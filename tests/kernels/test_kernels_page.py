"""Does ``python -m kernels`` list, print and refuse as it says?"""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from kernels import load_workload, workloads
from kernels.__main__ import app, size_text


def test_listing_names_every_kernel_within_80_columns() -> None:
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 0
    assert all(item.name in result.output for item in workloads())
    assert all(size_text(item).split()[0] in result.output for item in workloads())
    assert max(map(len, result.output.splitlines())) <= 80
    assert "…" not in result.output


@pytest.mark.parametrize("name", ["tiled", "tiled_gemm"])
def test_name_or_alias_prints_the_source_verbatim(name: str) -> None:
    result = CliRunner().invoke(app, [name])
    assert result.exit_code == 0
    assert result.output == load_workload("tiled").source


def test_unknown_name_ends_with_2_and_says_so() -> None:
    result = CliRunner().invoke(app, ["tild"])
    assert result.exit_code == 2
    assert "unknown kernel 'tild'; did you mean tiled" in result.output


def test_equal_sizes_are_joined() -> None:
    assert size_text(load_workload("tiled")) == "m=n=k=1024"
    assert size_text(load_workload("strided_copy")) == "n=1048576 stride=8"
