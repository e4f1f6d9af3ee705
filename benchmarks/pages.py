"""Seconds of the whole picture of every catalogue kernel at its default size.

Run: python -m benchmarks.pages [kernel ...] [--write]

``--write`` keeps them in ``benchmarks/pages.json``; where only some are run, the others stay. CPU
seconds are those of all threads: on a quiet machine with two cores a page takes no longer than
that, on a busy one wall time says little.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from kernels import workloads
from simulator.errors import UnknownNameError
from simulator.pages import run_script

RESULTS = Path(__file__).with_name("pages.json")
WHOLE = ["--kernel", "tiled_gemm", "--blocks", "all"]


def measure(options: list[str]) -> dict[str, float]:
    """Wall and CPU seconds of a page."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    command = [sys.executable, "-m", "simulator", *options, "--device", "h200"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall_s": round(time.perf_counter() - start, 1), "cpu_s": round(cpu, 1)}


def main() -> None:
    """Measure and print."""
    wanted = [name for name in sys.argv[1:] if name != "--write"]
    pages = {item.name: ["--kernel", item.name] for item in workloads()}
    pages["tiled_gemm, all blocks"] = WHOLE
    for name in wanted:
        if name not in pages:
            raise UnknownNameError("kernel", name, pages)
    found = {}
    for name, options in pages.items():
        if wanted and name not in wanted:
            continue
        found[name] = {**measure(options), "load": round(os.getloadavg()[0], 1)}
        print(f"{name:28s} {found[name]}", flush=True)
        if "--write" in sys.argv:
            old = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
            lines = [f' "{key}": {json.dumps(value)}' for key, value in {**old, **found}.items()]
            RESULTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
