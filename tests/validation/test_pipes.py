"""Does every opcode run in the pipe that the table says? Counts of the GPU, pipe by pipe.

The launches together hold every opcode that the catalogue does not have. MATCH is in no list: it
counts 28 times in the address unit.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import simulator as sm
from simulator.derived import signature
from simulator.isa.kernel import Kernel
from simulator.metrics import is_listed, load_metrics, load_pipes
from validation import microbench
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
FOLDER = Path(microbench.__file__).parent
SINGLE: dict[str, dict[str, Any]] = json.loads((FOLDER / "h200_pipes.json").read_text())["kernels"]


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
    unknown = [s for s in found if not any(is_listed(s, ops) for ops in KNOWN.values())]
    assert all(s.startswith("MATCH") for s in unknown)
    for pipe in KNOWN.keys() - {"none", "adu"}:
        total = sum(n for s, n in found.items() if is_listed(s, KNOWN[pipe]))
        assert total == record.metrics["cold"][f"sm__inst_executed_pipe_{pipe}.sum"], pipe


@pytest.mark.parametrize("name", SINGLE)
def test_opcodes_in_kernels_of_their_own(name: str) -> None:
    """One that no launch has, among few others. Of ERRBAR and CGAERRBAR, which a fence needs both,
    the address unit counts one: which is not known."""
    seen = SINGLE[name]
    found: Counter[str] = Counter()
    for instruction in sm.compile_cuda(FOLDER / "pipes.cu", name, "h200").instructions:
        found[signature(instruction)] += seen["executed"].get(str(instruction.address), 0)
    assert all(any(is_listed(s, ops) for ops in KNOWN.values()) for s, n in found.items() if n)
    for pipe in KNOWN.keys() - {"none", "adu"}:
        total = sum(n for s, n in found.items() if is_listed(s, KNOWN[pipe]))
        assert total == seen["pipes"][pipe], pipe
    (misc,) = (m for m in load_metrics() if m.counter == "shared_misc_wavefronts_hardware")
    assert misc.sum is not None
    listed = misc.sum["executed"]
    assert not isinstance(listed, str)
    assert sum(n for s, n in found.items() if is_listed(s, listed)) == seen["misc_wavefronts"]
