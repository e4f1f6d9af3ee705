"""The SM of every block of launches that all fit on a GPU at once: ``python -m
validation.microbench.placement OUT`` on a machine with a GPU writes ``h200_placement.json``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from simulator.pages import run_script
from validation.gpu import import_cupy

SOURCE = r"""
extern "C" __global__ void where(int* out, int spin)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    for (long long start = clock64(); clock64() - start < spin;) {}
    if (threadIdx.x == 0) out[blockIdx.x] = sm;
}
"""
SPIN = 60_000  # cycles, so that no block ends before all have begun
LAUNCHES = (
    (4, 128), (9, 128), (16, 256), (36, 128), (64, 256), (64, 1024), (100, 128), (120, 256),
    (130, 128), (133, 64), (140, 1024), (150, 256), (180, 1024), (200, 256), (200, 1024),
    (256, 256), (264, 256), (264, 1024), (300, 256), (300, 512), (396, 96), (400, 128), (528, 128),
    (528, 512), (600, 256), (700, 128), (1056, 128), (1500, 128), (2112, 128),
)  # fmt: skip


def main() -> None:
    """Run the launches and write where their blocks were."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="file to write")
    out = parser.parse_args().out
    cupy = import_cupy()
    kernel = cupy.RawKernel(SOURCE, "where")
    rows = []
    for blocks, threads in LAUNCHES:
        found = cupy.zeros(blocks, cupy.int32)
        kernel((blocks,), (threads,), (found, cupy.int32(SPIN)))
        rows.append({"blocks": blocks, "threads": threads, "sms": cupy.asnumpy(found).tolist()})
    out.write_text(json.dumps({"launches": rows}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
