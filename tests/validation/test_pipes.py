"""Does every opcode run in the pipe that the table says? Counts of the GPU, pipe by pipe.

The launches together hold every opcode that the catalogue does not have. MATCH is in no list: it
counts 28 times in the address unit.
"""

from __future__ import annotations

from collections import Counter

import pytest

import simulator as sm
from simulator.derived import signature
from simulator.isa.kernel import Kernel
from simulator.metrics import load_pipes, matches
from validation.records import Record, load_record, record_paths
from validation.unseen import OWN

LAUNCHES = (
    "hgemm_pipelined-m256-n128-k256",
    "histogram_matched-1000000",
    "gelu_half2-1000000",
    "monte_carlo-264x256x200",
    "filter_5x5-3000x1024",
    "wmma_bf16-m512-n512-k512",
    "wmma_tf32-m512-n256-k512",
    "jacobi_double-1024x512",
    "dgemm-m256-n320-k300",
    "lattice_d2q9-1000x300",
    "fft_shared-1500",
    "gemm_split_k-m256-n384-k2048",
)
PATHS = {path.name.split(".")[0]: path for path in record_paths("h200_unseen")}
KNOWN = load_pipes(90) or {}


def executed(record: Record, kernel: Kernel) -> Counter[str]:
    """Warp-instructions of the record by signature."""
    counts = record.column("inst_executed")
    found: Counter[str] = Counter()
    for instruction in kernel.instructions:
        if count := counts.get(instruction.address, 0):
            found[signature(instruction)] += count
    return found


@pytest.mark.parametrize("name", LAUNCHES)
def test_pipes_hold_what_the_gpu_counted(name: str) -> None:
    record = load_record(PATHS[name])
    kernel = sm.compile_cuda(OWN[record.kernel].own.file, device="h200")
    assert kernel.program_hash == record.program_hash
    found = executed(record, kernel)
    unknown = [s for s in found if not any(matches(s, o) for ops in KNOWN.values() for o in ops)]
    assert all(s.startswith("MATCH") for s in unknown)
    for pipe in KNOWN.keys() - {"none", "adu"}:
        total = sum(n for s, n in found.items() if any(matches(s, o) for o in KNOWN[pipe]))
        assert total == record.metrics["cold"][f"sm__inst_executed_pipe_{pipe}.sum"], pipe
