"""Speed of the emulator, of whole commands and their memory, written to results.json.

Run: python -m benchmarks.emulator [--quick]

Warp-instructions a second are CPU time of one thread, the best of several runs, with and without
counting. Commands run in processes of their own: with empty caches, and with warm ones.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import simulator as sm
from kernels import load_workload
from simulator.emulator.launch import Launch
from simulator.emulator.program import build_program
from simulator.events import EventSink
from simulator.isa.kernel import Kernel
from simulator.memory.counters import MemoryCounter
from simulator.pages import run_script

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results.json"
DEVICE = "rtx4090"
# Blocks that make a run of about half a second.
KERNELS = {
    "naive_gemm": 300,
    "tiled_gemm": 40,
    "coarse_gemm": 10,
    "register_tiled_gemm": 6,
    "vectorized_gemm": 40,
    "double_buffer_gemm": 40,
    "register_tiling_gemm": 5,
    "register_tiling_cured": 5,
    "sgemm_reg_tiled": 60,
    "sgemm_shared_naive": 40,
}
COMMAND = ("--kernel", "register_tiling")


def measure_kernel(name: str, blocks: int, rounds: int) -> dict[str, float]:
    """Million warp-instructions a second, bare and counted."""
    workload = load_workload(name)
    problem = workload.problem()
    kernel = sm.compile_cuda(workload.source, workload.entry, DEVICE, workload.options)
    place = problem.launch
    launch = Launch(
        build_program(kernel), place.grid, place.block, place.shared_bytes, problem.arguments
    )
    chosen = np.arange(min(blocks, int(np.prod(place.grid))))
    bare = max(_speed(launch, chosen, tuple) for _ in range(rounds))
    counted = max(_speed(launch, chosen, counting(kernel)) for _ in range(rounds))
    return {"bare": round(bare, 1), "counted": round(counted, 1)}


def counting(kernel: Kernel) -> Callable[[], Sequence[EventSink]]:
    """Makes the sinks of a replay that counts."""
    return lambda: [MemoryCounter(kernel)]


def _speed(launch: Launch, blocks: Any, make_sinks: Callable[[], Sequence[EventSink]]) -> float:
    start = time.thread_time()
    execution = launch.run(blocks, make_sinks, 1)
    return float(execution.executed.sum()) / (time.thread_time() - start) / 1e6


def measure_command(
    environment: dict[str, str], module: str = "simulator.banks", words: Sequence[str] = COMMAND
) -> dict[str, float]:
    """Wall and CPU seconds and the peak memory of a page's command."""
    code = (
        "import resource, runpy, sys; sys.argv = sys.argv[1:]\n"
        f"try: runpy.run_module('{module}', run_name='__main__', alter_sys=True)\n"
        "except SystemExit: pass\n"
        "own = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print(own.ru_maxrss, file=sys.stderr)"
    )
    start, before = time.perf_counter(), os.times()
    result = subprocess.run(
        [sys.executable, "-c", code, module, *words],
        cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    wall, after = time.perf_counter() - start, os.times()
    cpu = after.children_user + after.children_system
    cpu -= before.children_user + before.children_system
    peak = int(result.stderr.split()[-1]) / 1024
    return {"wall_s": round(wall, 2), "cpu_s": round(cpu, 2), "peak_mib": round(peak)}


def measure_commands(rounds: int) -> dict[str, dict[str, float]]:
    """The first run ever, and the best of some later ones."""
    with tempfile.TemporaryDirectory() as folder:
        caches = {"SMREPLAY_CACHE_DIR": folder}
        cold = measure_command(caches)
        warm = [measure_command(caches) for _ in range(rounds)]
    return {"first": cold, "later": min(warm, key=lambda found: found["wall_s"])}


def machine() -> dict[str, Any]:
    """What the numbers were measured on."""
    processor = platform.processor()
    information = Path("/proc/cpuinfo")
    if information.exists():
        lines = information.read_text().splitlines()
        names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
        processor = names[0] if names else processor
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "processor": processor,
        "cores": len(os.sched_getaffinity(0)),
        "load_before": round(load, 2) if load is not None else None,
        "python": platform.python_version(),
        "date": time.strftime("%Y-%m-%d"),
    }


def main() -> None:
    """Measure, print and write results.json."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one round, no commands")
    options = parser.parse_args()
    rounds = 1 if options.quick else 5
    results: dict[str, Any] = {"machine": machine(), "kernels": {}}
    for name, blocks in KERNELS.items():
        results["kernels"][name] = found = measure_kernel(name, blocks, rounds)
        print(f"{name:24s} {found['bare']:8.1f} bare {found['counted']:8.1f} counted, M/s")
    if not options.quick:
        results["banks register_tiling"] = commands = measure_commands(rounds)
        for name, found in commands.items():
            print(f"{name:6s} {found['wall_s']:.2f} s, CPU {found['cpu_s']:.2f} s, "
                  f"{found['peak_mib']:.0f} MiB")  # fmt: skip
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    run_script(main)
