"""Speed of predicted time: python -m benchmarks.timing [--quick]

Million warp-instructions a second of one thread's CPU time (best of several rounds): of the SM's
loop alone, and with everything, that is tracing the blocks, making their streams and running the
loop with cold and with warm caches, in small launches for several SMs and times of DRAM's refresh,
whose warp-instructions all count. Then whole commands with their peak memory.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

from benchmarks.emulator import DEVICE, machine, measure_command
from simulator.launching import open_catalogue
from simulator.pages import run_script
from simulator.time import open_launch
from simulator.timing.parameters import Parameters, load_parameters
from simulator.timing.trials import COLD, WARM, simulate, trials_of
from simulator.timing.workload import Workload, prepare

RESULTS = Path(__file__).parent / "timing.json"
KERNELS = ("tiled_gemm", "register_tiling_gemm", "coarse_gemm", "reduction_shuffle")
STATES = (COLD, WARM)
COMMANDS = ("tiled_gemm", "register_tiling_gemm")


def measure_kernel(name: str, rounds: int) -> dict[str, float]:
    """Million warp-instructions a second of the loop, and with everything."""
    launch = open_launch(open_catalogue(name, None, 0, DEVICE))
    parameters = load_parameters(DEVICE)
    prepared, looped, instructions = [], [], 0
    for _ in range(rounds):
        start = time.thread_time()
        work = prepare(parameters, launch)
        prepared.append(time.thread_time() - start)
        instructions = work.trace.instructions * sum(_trials(parameters, work, s) for s in STATES)
        start = time.thread_time()
        for state in STATES:
            simulate(parameters, work, state)
        looped.append(time.thread_time() - start)
    done = instructions / 1e6
    both = min(prepared) + min(looped)
    return {"loop": round(done / min(looped), 1), "all": round(done / both, 1)}


def _trials(parameters: Parameters, work: Workload, state: str) -> int:
    """How often the loop runs."""
    reads = state == COLD or work.touched > parameters.l2_capacity
    return math.prod(trials_of(work)) if reads and work.is_first.any() else 1


def main() -> None:
    """Measure, print and write timing.json."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few rounds, no commands")
    options = parser.parse_args()
    results: dict[str, Any] = {"machine": machine(), "kernels": {}, "commands": {}}
    for name in KERNELS:
        results["kernels"][name] = found = measure_kernel(name, 3 if options.quick else 8)
        print(f"{name:24s} loop {found['loop']:6.1f}, all {found['all']:6.1f} M/s")
    if options.quick:
        return
    for name in COMMANDS:
        found = measure_command({}, "simulator.time", ("--kernel", name))
        results["commands"][name] = found
        print(f"{name:24s} {found['wall_s']} s, CPU {found['cpu_s']} s, {found['peak_mib']} MiB")
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    run_script(main)
