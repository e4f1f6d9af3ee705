"""What the caches of an NVIDIA H200 do otherwise than the model, launch by launch."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

import pytest

from simulator.composition import replay
from simulator.frontends.cuda import compile_cuda
from simulator.launching import open_catalogue, replay_target
from simulator.results import Run
from tests.validation.test_deviations import gap
from validation import microbench
from validation.microbench.tiles import LAUNCHES, SOURCE, arguments
from validation.records import RECORDS_ROOT, Record, load_record

NEIGHBOURS = Path(microbench.__file__).parent / "h200_neighbours.json"
SECOND = Path(microbench.__file__).parent / "h200_second_launch.json"
SCATTER = Path(microbench.__file__).parent / "h200_read_scatter.json"


def _replayed(name: str) -> tuple[Record, Run]:
    record = load_record(RECORDS_ROOT / "h200" / f"{name}.json.xz")
    target = open_catalogue(record.kernel, record.size, record.seed, "h200")
    return record, replay_target(target, "h200", "auto", caches=True)


def _assert_warm_reads(name: str) -> None:
    """L2 reads of a second launch within 5 % of the median measured."""
    second = json.loads(SECOND.read_text(encoding="utf-8"))["launches"][name]["reads"]
    more = json.loads(SCATTER.read_text(encoding="utf-8"))["launches"][name]["warm"]
    found = _replayed(name)[1].counters["l2_read_sectors_warm"].value
    assert found == pytest.approx(median([second, *more]), rel=0.05)


@gap("D16")
def test_l1_loses_lines_of_local_memory() -> None:
    record, run = _replayed("local_sort-n2048")
    asked = record.metrics["cold"]["l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"]
    hits = record.metrics["cold"]["l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum"]
    assert run.counters["l1_local_load_sectors"].value == asked
    lost = asked - run.counters["l1_local_load_hit_sectors"].value
    assert lost == pytest.approx(asked - hits, rel=0.5)


@gap("D17")
def test_a_second_launch_that_nearly_fills_l2() -> None:
    name = "strided_copy-n1048576-stride8"
    record, run = _replayed(name)
    second = json.loads(SECOND.read_text(encoding="utf-8"))["launches"][name]
    apart = run.counters["dram_read_bytes_warm"].value - second["dram_read_bytes"]
    assert abs(apart) < 0.1 * record.metrics["cold"]["dram__bytes_read.sum"]


@gap("D18")
def test_sectors_stored_word_by_word() -> None:
    record, run = _replayed("transpose_naive-rows2048-columns2048")
    measured = record.metrics["cold"]["dram__bytes_read.sum"]
    assert run.counters["dram_read_bytes"].value == pytest.approx(measured, rel=0.1)


@gap("D19")
def test_blocks_of_an_sm_that_load_the_same_lines() -> None:
    name = "square-m2816-n1536-k768"
    tile = next(tile for tile in LAUNCHES if tile.name == name)
    kernel = compile_cuda(SOURCE, tile.entry, 90, tile.defines)
    run = replay(
        kernel, (*tile.grid, 1), (*tile.block, 1), list(arguments(tile)), 0, "h200", caches=True
    )
    measured = json.loads(NEIGHBOURS.read_text(encoding="utf-8"))["launches"][name]["cold"]["hits"]
    assert run.counters["l1_load_hit_sectors"].value == pytest.approx(median(measured), rel=0.2)


@gap("D20")
def test_products_of_few_blocks() -> None:
    _assert_warm_reads("register_tiled_gemm-m256-n256-k96")


@gap("D21")
def test_products_that_share_lines_in_a_warm_l2() -> None:
    _assert_warm_reads("hgemm_tensor-m1024-n1024-k1024")
