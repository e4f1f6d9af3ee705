"""Measures a folder of jobs: times first, then counters with cold and with warm caches.

Each phase runs ``validation.launch`` as a child process, under ncu for the counters. A kernel that
faults ends its process; the phase goes on behind it in a new one and the record says so.
"""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import ncu as profiler
from .errors import MeasureError, ProfilerError, RecordError
from .jobs import Job, job_folders, read_job
from .launch import PROFILE, TIME
from .metrics import SOURCE_COLUMNS, known_metrics
from .ncu import ProfiledLaunch
from .records import SUFFIX, Record, load_record, save_record

TIME_SECONDS = 600.0
PROFILE_SECONDS = 900.0
BATCH = 32  # jobs between two savings; ncu takes seconds to start
FAILED = "failed on the GPU: "
CACHES = {"cold": "all", "warm": "none"}  # our word -> ncu's --cache-control

Say = Callable[[str], None]


@dataclass
class Attempt:
    """One child process: what it reported for each job, in order, and what is left to do."""

    finished: dict[str, dict[str, Any]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    device: dict[str, Any] = field(default_factory=dict)


@dataclass
class Measured:
    """Everything the phases gave, by job name."""

    device: dict[str, Any] = field(default_factory=dict)
    times: dict[str, dict[str, Any]] = field(default_factory=dict)
    launches: dict[str, dict[str, ProfiledLaunch]] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)

    def note(self, name: str, text: str) -> None:
        """Remember why something is missing from a record."""
        self.notes.setdefault(name, []).append(text)


def measure_jobs(
    jobs: Path, out: Path, work: Path, repeats: int, again: bool, say: Say
) -> list[Path]:
    """Measure every job below ``jobs``; records go to ``out``, ncu's reports to ``work``.

    A job that ``out`` holds a complete record of is left alone unless ``again``. Returns the
    files written. Without ncu, or without its permission, records hold times alone.

    Raises:
        MeasureError: there are no jobs, or nothing can be launched here.
    """
    folders = job_folders(jobs)
    if not folders:
        raise MeasureError(f"there are no jobs in {jobs}; prepare some first")
    names = [folder.name for folder in folders if again or not is_recorded(read_job(folder), out)]
    say(f"{len(names)} of {len(folders)} launches to measure")
    work.mkdir(parents=True, exist_ok=True)
    batches = [names[start : start + BATCH] for start in range(0, len(names), BATCH)]
    return [path for batch in batches for path in _batch(jobs, batch, out, work, repeats, say)]


def _batch(
    jobs: Path, names: list[str], out: Path, work: Path, repeats: int, say: Say
) -> list[Path]:
    """Measure some jobs and write their records, so that a later cut costs only what follows."""
    measured = Measured(settings={"repeats": repeats, "clock_control": "none"})
    _time_phase(jobs, names, work, repeats, measured, say)
    try:
        _counter_phases(jobs, names, work, measured, say)
    except ProfilerError as error:
        say(f"no counters: {error}")
        for name in names:
            measured.note(name, f"no counters: {error}")
    return [_save(read_job(jobs / name), measured, out) for name in names]


def is_recorded(job: Job, out: Path) -> bool:
    """Whether ``out`` holds a record of this very launch with nothing missing.

    A launch that failed on the GPU is done too: it would fail again.
    """
    try:
        record = load_record(record_path(job, out))
    except RecordError:
        return False
    same = (record.program_hash, record.digest) == (job.program_hash, job.digest)
    return same and all(note.startswith(FAILED) for note in record.notes)


def record_path(job: Job, out: Path) -> Path:
    """Where the record of a job is written."""
    return out / f"{job.name}{SUFFIX}"


def _time_phase(
    jobs: Path, names: list[str], work: Path, repeats: int, measured: Measured, say: Say
) -> None:
    left = names
    while left:
        command = _launcher(jobs, left, work / "times", TIME, repeats)
        done = _child(command)
        attempt = read_results(work / "times.jsonl", done.returncode, done.stderr)
        measured.device |= attempt.device
        measured.times |= attempt.finished
        left = _left(left, attempt, measured, say)
    say(f"timed {len(measured.times)} of {len(names)} launches")


def _counter_phases(jobs: Path, names: list[str], work: Path, measured: Measured, say: Say) -> None:
    ncu = profiler.find_ncu()
    present, missing = known_metrics(profiler.available_metrics(ncu))
    measured.settings |= {"ncu": profiler.ncu_version(ncu), "metrics_missing": list(missing)}
    measured.settings["cache_control"] = dict(CACHES)
    columns = tuple(column.metric for column in SOURCE_COLUMNS)
    wanted = [name for name in names if name in measured.times and read_job(jobs / name).counters]
    for cache, control in CACHES.items():
        found: dict[str, ProfiledLaunch] = {}
        left = wanted
        while left:
            report = work / f"{cache}{len(left)}.ncu-rep"
            metrics = columns + present if cache == "cold" else present
            command = _launcher(jobs, left, work / cache, PROFILE, 0)
            done = profiler.profile(ncu, command, report, metrics, control, PROFILE_SECONDS)
            attempt = read_results(work / f"{cache}.jsonl", done.returncode, done.stderr)
            found |= _attribute(jobs, attempt, profiler.read_report(ncu, report))
            left = _left(left, attempt, measured, say)
        for name, launch in found.items():
            measured.launches.setdefault(name, {})[cache] = launch
        say(f"counted {len(found)} of {len(wanted)} launches, {cache} caches")


def _launcher(jobs: Path, names: Sequence[str], stem: Path, mode: str, repeats: int) -> list[str]:
    only = stem.with_suffix(".names")
    only.write_text("\n".join(names) + "\n")
    results = stem.with_suffix(".jsonl")
    results.unlink(missing_ok=True)
    command = [sys.executable, "-m", "validation.launch", str(jobs), str(results), "--mode", mode]
    return [*command, "--only", str(only), "--repeats", str(repeats)]


def _child(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=TIME_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise MeasureError(
            f"timing did not finish in {TIME_SECONDS:.0f} s; measure fewer kernels"
        ) from error


def read_results(path: Path, returncode: int, log: str) -> Attempt:
    """Read a launcher's result lines; a job that was started and never ended has failed.

    Raises:
        MeasureError: the launcher did not get as far as the first job.
    """
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    attempt = Attempt()
    for line in lines:
        if "device" in line:
            attempt.device = line["device"]
        elif line["status"] == "ok":
            attempt.failed.pop(line["job"])
            attempt.finished[line["job"]] = line
        else:
            reason = line.get("error", f"the process ended with exit code {returncode}")
            attempt.failed[line["job"]] = reason
    if not attempt.finished and not attempt.failed:
        raise MeasureError(f"nothing could be launched (exit code {returncode}): {log[-2000:]}")
    return attempt


def _left(names: list[str], attempt: Attempt, measured: Measured, say: Say) -> list[str]:
    for name, reason in attempt.failed.items():
        say(f"{name} failed on the GPU: {reason}")
        measured.note(name, f"{FAILED}{reason}")
    return [name for name in names if name not in attempt.finished and name not in attempt.failed]


def _attribute(
    jobs: Path, attempt: Attempt, launches: Sequence[ProfiledLaunch]
) -> dict[str, ProfiledLaunch]:
    """Give each finished job its row; a faulted last launch may have left one row more."""
    names = list(attempt.finished)
    if len(launches) - len(names) not in (0, len(attempt.failed)):
        raise ProfilerError(f"ncu saw {len(launches)} launches of {len(names)} jobs")
    for name, launch in zip(names, launches, strict=False):
        entry = read_job(jobs / name).entry
        if launch.entry != entry:
            raise ProfilerError(f"ncu saw {launch.entry} where {name} launched {entry}")
    return dict(zip(names, launches, strict=False))


def _save(job: Job, measured: Measured, out: Path) -> Path:
    path = record_path(job, out)
    save_record(build_record(job, measured), path)
    return path


def build_record(job: Job, measured: Measured) -> Record:
    """Put one job's times, counters and outputs together."""
    timed = measured.times.get(job.name, {})
    seen = measured.launches.get(job.name, {})
    times = timed.get("times", {})
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    return Record(
        kernel=job.kernel,
        size=dict(job.size),
        seed=job.seed,
        digest=job.digest,
        entry=job.entry,
        architecture=job.architecture,
        program_hash=job.program_hash,
        compiler=job.compiler,
        launch={"grid": job.grid, "block": job.block, "shared_bytes": job.shared_bytes},
        provenance=measured.device | {"settings": measured.settings, "date": today},
        instructions=instruction_columns(seen["cold"]) if "cold" in seen else {},
        metrics={cache: _numbers(launch) for cache, launch in seen.items()},
        times={name: [round(time, 3) for time in values] for name, values in times.items()},
        outputs=timed.get("outputs", []),
        notes=measured.notes.get(job.name, []),
    )


def instruction_columns(launch: ProfiledLaunch) -> dict[str, list[int]]:
    """Source-page values as columns; an instruction that ncu leaves out of one counts 0 there."""
    offsets = sorted(set().union(*launch.columns.values()))
    columns = {"pc": offsets} if offsets else {}
    for name, values in launch.columns.items():
        columns[name] = [values.get(offset, 0) for offset in offsets]
    return columns


def _numbers(launch: ProfiledLaunch) -> dict[str, float]:
    return {
        name: int(value) if value.is_integer() else value for name, value in launch.metrics.items()
    }
