"""Counts what L2 reads in several launches of each job: ``python -m validation.repeats JOBS OUT``.

Which requests of SMs reach L2 as one depends on cycles, so a count differs from launch to launch.
Half of the launches have their buffers elsewhere. Each takes one pass of ncu: a second pass does
not find L2 as the first launch left it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from simulator.pages import run_script

from . import ncu as profiler
from .errors import ProfilerError
from .gpu import LoadedKernel, import_cupy
from .jobs import CUBIN_FILE, job_folders, read_job, read_problem
from .launch import catalogue_problem
from .measure import CACHES, PROFILE_SECONDS

READS = "lts__t_sectors_srcunit_tex_op_read.sum"
APART = 777 * 1024  # floats between the buffers of one half and those of the other


def launch_often(cupy: Any, folder: Path, warm: bool, count: int) -> None:
    """Launch a job ``count`` times under the profiler, ``warm`` behind one like it."""
    problem = read_problem(folder, catalogue_problem)
    entry, kept = read_job(folder).entry, []
    for half in ((count + 1) // 2, count // 2):
        loaded = LoadedKernel(cupy, folder / CUBIN_FILE, entry, problem)
        kept += [loaded, cupy.zeros(APART, cupy.float32)]
        if warm and half:
            loaded.launch()
        for _ in range(half):
            cupy.cuda.runtime.deviceSynchronize()
            cupy.cuda.runtime.profilerStart()
            loaded.launch()
            cupy.cuda.runtime.deviceSynchronize()
            cupy.cuda.runtime.profilerStop()


def by_job(names: Sequence[str], reads: Iterable[float], count: int) -> dict[str, list[int]]:
    """Counts that come launch by launch, ``count`` of each job in turn."""
    found = [int(value) for value in reads]
    if len(found) != len(names) * count:
        raise ProfilerError(
            f"ncu saw {len(found)} launches of {len(names)} jobs, {count} each; run it again"
        )
    return {name: found[n * count : (n + 1) * count] for n, name in enumerate(names)}


def count_reads(jobs: Path, work: Path, count: int) -> dict[str, dict[str, list[int]]]:
    """Counts of every job by our word for the caches before it."""
    ncu, names = profiler.find_ncu(), [folder.name for folder in job_folders(jobs)]
    found: dict[str, dict[str, list[int]]] = {name: {} for name in names}
    for cache, control in CACHES.items():
        report = work / f"{cache}.ncu-rep"
        command = [sys.executable, "-m", "validation.repeats", str(jobs), str(work / "inside")]
        command += ["--count", str(count), "--inside", cache]
        profiler.profile(ncu, command, report, (READS,), control, PROFILE_SECONDS, sections=())
        reads = [launch.metrics[READS] for launch in profiler.read_report(ncu, report)]
        for name, values in by_job(names, reads, count).items():
            found[name][cache] = values
    return found


def main() -> None:
    """Count, or be the process that is counted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", type=Path)
    parser.add_argument("out", type=Path, help="file of counts; ncu's reports go beside it")
    parser.add_argument("--count", type=int, default=8, help="launches of each job")
    parser.add_argument("--inside", choices=tuple(CACHES), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside is None:
        counts = count_reads(options.jobs, options.out.parent, options.count)
        options.out.write_text(json.dumps({"launches": counts}) + "\n")
        return
    cupy = import_cupy()
    for folder in job_folders(options.jobs):
        launch_often(cupy, folder, options.inside == "warm", options.count)


if __name__ == "__main__":
    run_script(main)
