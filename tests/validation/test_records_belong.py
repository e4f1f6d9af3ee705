"""Do the committed records hold the machine code and the inputs that the catalogue gives now?"""

from __future__ import annotations

import pytest

from kernels import Workload, workloads
from simulator.frontends.cuda import compile_cuda
from validation.jobs import arguments_digest
from validation.records import Record, check_program, load_record, record_paths

RECORDS: dict[str, list[Record]] = {}
for path in record_paths("h200"):
    RECORDS.setdefault(path.name.split("-")[0], []).append(load_record(path))


@pytest.mark.parametrize("workload", workloads(), ids=lambda workload: workload.name)
def test_record_holds_what_is_compiled_now(workload: Workload) -> None:
    kernel = compile_cuda(
        workload.source, entry=workload.entry, device=90, options=workload.options
    )
    for record in RECORDS[workload.name]:
        check_program(record, kernel.program_hash, kernel.compiler)
        assert record.entry == kernel.name
        offsets = {instruction.address for instruction in kernel.instructions}
        assert set(record.instructions.get("pc", ())) <= offsets


@pytest.mark.parametrize("workload", workloads(), ids=lambda workload: workload.name)
def test_record_was_measured_with_these_arguments(workload: Workload) -> None:
    small = [dict(size) for size in workload.test_sizes]
    checked = [record for record in RECORDS[workload.name] if dict(record.size) in small]
    assert len(checked) == len(small)
    for record in checked:
        problem = workload.problem(record.size, record.seed)
        assert arguments_digest(problem.arguments) == record.digest
        assert list(problem.launch.grid) == list(record.launch["grid"])
        assert list(problem.launch.block) == list(record.launch["block"])
        assert problem.launch.shared_bytes == record.launch["shared_bytes"]
