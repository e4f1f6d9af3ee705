"""Measures several launches of each job: ``python -m validation.repeats JOBS OUT [--hits]``.

What L2 reads; with ``--hits`` the sectors that loads find in L1; with ``--times`` the time with
flushed caches (``h200_cold_times.json``). Which requests of SMs reach L2 as one, and what L1 still
holds, depends on cycles, so a count differs from launch to launch. Half of the launches have their
buffers elsewhere. Each takes one pass of ncu: a second pass does not find L2 as the first launch
left it.
"""

from __future__ import annotations

import argparse
import json
import math
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
HITS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
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


def measure_often(
    jobs: Path, work: Path, count: int, metric: str, caches: Iterable[str]
) -> dict[str, dict[str, list[int]]]:
    """What a metric says of every job by our word for the caches before it."""
    return {
        folder.name: {cache: profile_often(folder, work, count, metric, cache) for cache in caches}
        for folder in job_folders(jobs)
    }


def profile_often(folder: Path, work: Path, count: int, metric: str, cache: str) -> list[int]:
    """A metric of ``count`` launches of a job, by an ncu of its own: of L1's counters it loses
    launches when one process has many jobs."""
    ncu, report = profiler.find_ncu(), work / f"{cache}.ncu-rep"
    command = [sys.executable, "-m", "validation.repeats", str(folder), str(work / "inside")]
    command += ["--count", str(count), "--inside", cache]
    profiler.profile(ncu, command, report, (metric,), CACHES[cache], PROFILE_SECONDS, sections=())
    launches = profiler.read_report(ncu, report)
    return whole_counts(folder.name, [seen.metrics.get(metric) for seen in launches], count)


def whole_counts(name: str, found: Sequence[float | None], count: int) -> list[int]:
    """The counts of all launches of a job.

    Raises:
        ProfilerError: ncu lost one.
    """
    whole = [int(value) for value in found if value is not None and not math.isnan(value)]
    if len(whole) != count:
        raise ProfilerError(f"ncu counted {len(whole)} of {count} launches of {name}; run it again")
    return whole


def measure(jobs: Path, work: Path, count: int, metric: str) -> dict[str, Any]:
    """Counts by job and caches, or microseconds with flushed caches by job."""
    if metric != TIME:
        return measure_often(jobs, work, count, metric, CACHES)
    found = measure_often(jobs, work, count, TIME, ("cold",))
    return {name: [ns / 1000 for ns in own["cold"]] for name, own in found.items()}


def main() -> None:
    """Count, or be the process that is counted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", type=Path)
    parser.add_argument("out", type=Path, help="file of counts; ncu's reports go beside it")
    parser.add_argument("--count", type=int, default=8, help="launches of each job")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--hits", dest="metric", action="store_const", const=HITS, default=READS)
    what.add_argument("--times", dest="metric", action="store_const", const=TIME)
    parser.add_argument("--inside", choices=tuple(CACHES), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside is None:
        found = measure(options.jobs, options.out.parent, options.count, options.metric)
        options.out.write_text(json.dumps({"launches": found}) + "\n")
        return
    launch_often(import_cupy(), options.jobs, options.inside == "warm", options.count)


if __name__ == "__main__":
    run_script(main)
