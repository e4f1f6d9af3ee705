"""Does the replay count what the GPU counted, and write what it wrote? Every record, every count.

The machine code is the very code that was measured (else the record is refused). Sizes that tests
use are replayed whole; default sizes as a user would, by a sample where one stands for the launch.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import simulator as sm
from kernels import load_workload
from simulator.device.structure import LEAST_REGISTERS
from simulator.isa.kernel import Kernel
from simulator.results import Run
from validation.compare import compare_instructions, compare_outputs, compared_counts
from validation.records import Record, load_record, record_paths
from validation.rows import known_difference

RECORDS = [load_record(path) for path in record_paths("h200")]
COUNTED = [record for record in RECORDS if record.instructions]
# Counts that differ as ``validation/deviations.json`` says, by launch.
KNOWN = {f"local_sort-{n}": 1 for n in (1501, 2048, 262144)}
LIMITS = {
    "limit_registers": "launch__occupancy_limit_registers",
    "limit_shared": "launch__occupancy_limit_shared_mem",
    "limit_warps": "launch__occupancy_limit_warps",
    "limit_blocks": "launch__occupancy_limit_blocks",
    "limit_barriers": "launch__occupancy_limit_barriers",
    "carveout_bytes": "launch__shared_mem_config_size",
    "shared_bytes_allocated": "launch__shared_mem_per_block_allocated",
    "registers_allocated": "launch__registers_per_thread_allocated",
}
ROOT = Path(__file__).parents[2]


def label(record: Record) -> str:
    return "-".join([record.kernel, *map(str, record.size.values())])


@cache
def compiled(name: str) -> Kernel:
    workload = load_workload(name)
    return sm.compile_cuda(
        workload.source, workload.entry, "h200", workload.options, name=workload.source_file
    )


def is_default(record: Record) -> bool:
    return dict(record.size) == dict(load_workload(record.kernel).sizes)


def replay(record: Record) -> Run:
    problem = load_workload(record.kernel).problem(record.size, record.seed)
    launch = problem.launch
    return sm.replay(
        compiled(record.kernel), launch.grid, launch.block, list(problem.arguments),
        launch.shared_bytes, device="h200", blocks="auto" if is_default(record) else "all",
    )  # fmt: skip


def is_approximate(kernel: Kernel) -> bool:
    """Whether a kernel's floats pass through the special-function unit.

    Its results are not those of the hardware to the bit. An integer division takes the reciprocal
    of an integer rounded up (I2F.RP) and corrects its error: such a pair is exact.
    """
    units = [i for i in kernel.instructions if i.opcode == "MUFU"]
    divisions = [i for i in kernel.instructions if i.opcode == "I2F" and i.has("RP")]
    return len(units) > len(divisions) or not all(i.has("RCP") for i in units)


@pytest.mark.parametrize("record", COUNTED, ids=label)
def test_every_count_and_output_is_the_measured_one(record: Record) -> None:
    run = replay(record)
    differences = compare_instructions(run, record)
    assert [str(d) for d in differences if known_difference(run, record, d) is None] == []
    assert len(differences) == KNOWN.get(label(record), 0)
    assert compared_counts(run, record) >= 9 * len(run.instructions)
    check_resources(run, record)
    if not is_default(record):
        check_outputs(run, record)


def check_resources(run: Run, record: Record) -> None:
    """What the machine code takes, and what that leaves of an SM, as ncu has them."""
    measured, found = record.metrics["cold"], run.occupancy
    assert found is not None
    predicted = {metric: getattr(found, name) for name, metric in LIMITS.items()}
    predicted["launch__shared_mem_per_block_static"] = run.static_shared_bytes
    predicted["launch__registers_per_thread"] = max(run.registers, LEAST_REGISTERS)
    assert predicted == {metric: measured[metric] for metric in predicted}
    share = measured["sm__maximum_warps_per_active_cycle_pct"]
    assert 100 * found.share == pytest.approx(share, abs=0.01)
    waves = measured["launch__waves_per_multiprocessor"]
    assert found.waves == pytest.approx(waves, abs=0.01)


def check_outputs(run: Run, record: Record) -> None:
    """The outputs of a launch that was replayed whole."""
    assert len(run.outputs) == len(record.outputs)
    problem = load_workload(record.kernel).problem(record.size, record.seed)
    for position, expected in problem.expected.items():
        found = run.outputs[position].reshape(expected.shape)
        np.testing.assert_allclose(found, expected, problem.rtol, problem.atol)
    if not is_approximate(compiled(record.kernel)):
        assert compare_outputs(run, record) == []


def test_few_kernels_are_approximate() -> None:
    names = {record.kernel for record in COUNTED}
    assert {name for name in names if is_approximate(compiled(name))} == {"softmax", "layernorm"}


def test_readme_gives_these_numbers() -> None:
    total = sum(
        len(record.instructions.keys() - {"pc"}) * len(compiled(record.kernel).instructions)
        for record in COUNTED
    )
    equal = total - sum(KNOWN.values())
    claim = f"{equal:,} of {total:,} per-instruction counts over {len(COUNTED)} launches"
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert re.search(r"[\d,]+ of [\d,]+ per-instruction counts over \d+ launches", readme)
    assert claim in readme
