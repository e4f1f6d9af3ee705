"""Measures several launches of each job: ``python -m validation.repeats JOBS OUT [--times]``.

What L2 reads, or with ``--times`` the time with flushed caches (``h200_cold_times.json``).
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
TIME = "gpu__time_duration.sum"
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


def measure_often(
    jobs: Path, work: Path, count: int, metric: str, caches: Iterable[str]
) -> dict[str, dict[str, list[int]]]:
    """What a metric says of every job by our word for the caches before it."""
    ncu, names = profiler.find_ncu(), [folder.name for folder in job_folders(jobs)]
    found: dict[str, dict[str, list[int]]] = {name: {} for name in names}
    for cache in caches:
        report = work / f"{cache}.ncu-rep"
        command = [sys.executable, "-m", "validation.repeats", str(jobs), str(work / "inside")]
        command += ["--count", str(count), "--inside", cache]
        control = CACHES[cache]
        profiler.profile(ncu, command, report, (metric,), control, PROFILE_SECONDS, sections=())
        values = [launch.metrics[metric] for launch in profiler.read_report(ncu, report)]
        for name, own in by_job(names, values, count).items():
            found[name][cache] = own
    return found


def measure(jobs: Path, work: Path, count: int, times: bool) -> dict[str, Any]:
    """Counts of L2's reads by job and caches, or microseconds with flushed caches by job."""
    if not times:
        return measure_often(jobs, work, count, READS, CACHES)
    found = measure_often(jobs, work, count, TIME, ("cold",))
    return {name: [ns / 1000 for ns in own["cold"]] for name, own in found.items()}


def main() -> None:
    """Count, or be the process that is counted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", type=Path)
    parser.add_argument("out", type=Path, help="file of counts; ncu's reports go beside it")
    parser.add_argument("--count", type=int, default=8, help="launches of each job")
    parser.add_argument("--times", action="store_true", help="measure times, not what L2 reads")
    parser.add_argument("--inside", choices=tuple(CACHES), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside is None:
        found = measure(options.jobs, options.out.parent, options.count, options.times)
        options.out.write_text(json.dumps({"launches": found}) + "\n")
        return
    cupy = import_cupy()
    for folder in job_folders(options.jobs):
        launch_often(cupy, folder, options.inside == "warm", options.count)


if __name__ == "__main__":
    run_script(main)
