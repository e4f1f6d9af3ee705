"""Can the records of unseen kernels be replayed from this repository, and is every count there?"""

from __future__ import annotations

from kernels.catalogue import workloads
from validation.comparison import Comparison, compare_record
from validation.records import load_record, record_paths
from validation.unseen import OWN

PATHS = record_paths("h200_unseen")


def test_every_record_is_of_the_catalogue_or_of_a_launch_here() -> None:
    known = {*(item.name for item in workloads()), *OWN}
    assert {load_record(path).kernel for path in PATHS} <= known


def test_a_record_of_an_unseen_kernel_is_compared() -> None:
    """No job stands beside it: its code comes from the source that is kept."""
    path = next(path for path in PATHS if path.name.startswith("gemm_128x64-m256"))
    found = Comparison()
    compare_record(path, found, lambda _: None)
    assert found.refused == {}
    (launch,) = found.launches
    assert launch.instructions_equal == launch.instructions_compared > 0


def test_warps_that_meet_are_branch_instructions() -> None:
    """WARPSYNC is one to the hardware's counter, as this scan of a grid shows."""
    path = next(path for path in PATHS if path.name.startswith("prefix_sum"))
    found = Comparison()
    compare_record(path, found, lambda _: None)
    rows = [row for row in found.launches[0].rows if row.counter == "branch_instructions"]
    assert rows
    assert all(row.predicted == row.measured for row in rows)
