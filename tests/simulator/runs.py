"""A small hand-made run for tests of what reads runs.

Two loads and a store of a 16-warp block: line 7 is free of conflicts, line 8 conflicts four ways
in two instructions, line 9 is a conflict-free store of one warp in two.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.results import (
    Counter,
    Finding,
    InstructionRecord,
    Run,
    Sampling,
    SharedExample,
    Status,
)

SOURCE = """__global__ void k(const float* a, float* out) {
    __shared__ float As[32][32];
    __shared__ float Bs[8][128];
    const int tx = threadIdx.x % 16;
    // ...
    float acc = 0.0f;
    float x = As[0][tx];
    float y = Bs[0][8 * tx] + Bs[1][8 * tx];
    As[1][tx] = x * y + acc;
    out[tx] = x;
}
"""


def record(index: int, sass: str, line: int, executed: int, **counts: int) -> InstructionRecord:
    """A record of one instruction executed by full warps."""
    lanes = 32 * executed
    values: dict[str, Any] = {
        "thread_executed": lanes,
        "thread_executed_predicated_on": lanes,
        **counts,
    }
    words = [word for word in sass.split() if not word.startswith("@")]
    return InstructionRecord(
        index, 16 * index, sass, words[0].split(".")[0], "k.cu", line, executed, **values
    )


def shared(
    index: int, sass: str, line: int, requests: int, free: int, ways: int
) -> InstructionRecord:
    """A shared-memory record: ``free`` wavefronts a request without conflicts, times ``ways``."""
    return record(
        index,
        sass,
        line,
        requests,
        shared_requests=requests,
        shared_wavefronts=requests * free * ways,
        shared_wavefronts_ideal=requests * free,
        shared_wavefronts_hardware=requests * free * ways,
        bank_conflicts=requests * free * (ways - 1),
    )


INSTRUCTIONS = (
    record(0, "S2R R0, SR_TID.X", 4, 16),
    shared(1, "LDS R4, [R0]", 7, 16, 1, 1),
    shared(2, "LDS R5, [R2+0x1000]", 8, 16, 1, 4),
    shared(3, "LDS R6, [R2+0x1200]", 8, 16, 1, 4),
    record(4, "FADD R5, R5, R6", 8, 16),
    record(5, "FFMA R7, R4, R5, R8", 9, 16),
    shared(6, "@!P0 STS.128 [R0+0x80], R4", 9, 8, 4, 1),
    record(7, "STG.E [R2.64], R4", 10, 16, global_requests=16, global_sectors=64),
)
STRIDE_8 = tuple(32 * (lane % 16) for lane in range(32))


def make_run(**changes: Any) -> Run:
    """The run described above, with some fields changed."""
    fields: dict[str, Any] = {
        "kernel": "k",
        "device": "rtx4090",
        "architecture": 89,
        "program_hash": "0123456789abcdef" * 4,
        "compiler": "NVRTC 13.5",
        "grid": (1, 1, 1),
        "block": (512, 1, 1),
        "dynamic_shared_bytes": 0,
        "static_shared_bytes": 8192,
        "registers": 40,
        "spill_store_bytes": 0,
        "spill_load_bytes": 0,
        "sampling": Sampling(1, 1, "all blocks", "the launch is small"),
        "instructions": INSTRUCTIONS,
        "counters": {
            "flop_fp32": Counter(16 * 32 * (1 + 2), "flop", Status.EXACT),
            "shared_wavefronts": Counter(176, "wavefronts", Status.EXACT),
            "l1_hit_rate": Counter(float("nan"), "%", Status.UNMODELLED),
            "dram_bytes": Counter(1.5e9, "bytes", Status.BOUNDED),
        },
        "examples": (
            SharedExample(2, 0xFFFFFFFF, STRIDE_8, 4, 4),
            SharedExample(3, 0xFFFFFFFF, STRIDE_8, 4, 4),
        ),
        "source_text": {"k.cu": SOURCE},
        "outputs": {1: np.arange(4, dtype=np.float32)},
        "seconds": 0.25,
    }
    return Run(**{**fields, **changes})


FINDING = Finding(
    "memcheck", "4-byte read 8 bytes past the end of argument 0", "k", 0x40, "k.cu", 7,
    (0, 0, 0), (31, 0, 0), 0x7F0000001008, 3,
)  # fmt: skip
