"""The process that runs jobs on the GPU: ``python -m validation.launch JOBS RESULTS --mode time``.

A process of its own, because ncu profiles a process and because a kernel that faults takes its
CUDA context with it. Results are JSON lines, written as they come: a ``started`` line before each
job, an ``ok`` or ``error`` line after it, so that the caller can go on behind a fault.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from kernels import Problem, load_workload
from simulator.pages import run_script

from .gpu import LoadedKernel, cold_times, describe_gpu, import_cupy, single_times, warm_times
from .jobs import CUBIN_FILE, read_job, read_problem
from .outputs import OutputCheck, check_output
from .unseen import unseen_problem

PROFILE = "profile"
PROFILE_AGAIN = "profile-again"  # the second launch: caches as the first one left them
TIME = "time"
FAULT_EXIT_CODE = 3


def run_jobs(cupy: Any, folders: Iterable[Path], mode: str, repeats: int, out: TextIO) -> bool:
    """Run every job; False when one faulted, which ends the process's use of the GPU."""
    for folder in folders:
        _write(out, {"job": folder.name, "status": "started"})
        try:
            facts = _time(cupy, folder, repeats) if mode == TIME else _profile(cupy, folder, mode)
        except (cupy.cuda.driver.CUDADriverError, cupy.cuda.runtime.CUDARuntimeError) as error:
            _write(out, {"job": folder.name, "status": "error", "error": str(error)})
            return False
        _write(out, {"job": folder.name, "status": "ok", **facts})
    return True


def _profile(cupy: Any, folder: Path, mode: str) -> dict[str, Any]:
    _, loaded = _load(cupy, folder)
    if mode == PROFILE_AGAIN:
        loaded.launch()
    cupy.cuda.runtime.deviceSynchronize()
    cupy.cuda.runtime.profilerStart()
    loaded.launch()
    cupy.cuda.runtime.deviceSynchronize()
    cupy.cuda.runtime.profilerStop()
    return {}


def _time(cupy: Any, folder: Path, repeats: int) -> dict[str, Any]:
    problem, loaded = _load(cupy, folder)
    loaded.launch()
    cupy.cuda.runtime.deviceSynchronize()
    checks = _checks(problem, loaded)
    times = {
        "warm_us": warm_times(cupy, loaded.launch, repeats),
        "cold_us": cold_times(cupy, loaded.launch, repeats),
        "single_us": single_times(cupy, loaded.launch, repeats),
    }
    return {"outputs": [asdict(check) for check in checks], "times": times}


def _load(cupy: Any, folder: Path) -> tuple[Problem, LoadedKernel]:
    problem = read_problem(folder, catalogue_problem)
    entry = read_job(folder).entry
    return problem, LoadedKernel(cupy, folder / CUBIN_FILE, entry, problem)


def catalogue_problem(kernel: str, size: Mapping[str, int], seed: int) -> Problem:
    """The problem of a catalogue or an unseen kernel, made again from its size and seed."""
    return unseen_problem(kernel) or load_workload(kernel).problem(size, seed)


def _checks(problem: Problem, loaded: LoadedKernel) -> list[OutputCheck]:
    return [
        check_output(position, array, problem.expected.get(position), problem.rtol, problem.atol)
        for position, array in loaded.buffers().items()
    ]


def _write(out: TextIO, line: dict[str, Any]) -> None:
    out.write(json.dumps(line) + "\n")
    out.flush()


def main() -> int:
    """Run the jobs named on the command line, or all below the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--mode", choices=(PROFILE, PROFILE_AGAIN, TIME), default=TIME)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--only", type=Path, required=True, help="file of job names, one a line")
    options = parser.parse_args()
    folders = [options.jobs / name for name in options.only.read_text().split()]
    cupy = import_cupy()
    with options.results.open("a") as out:
        _write(out, {"device": describe_gpu(cupy)})
        good = run_jobs(cupy, folders, options.mode, options.repeats, out)
    return 0 if good else FAULT_EXIT_CODE


if __name__ == "__main__":
    run_script(main)
