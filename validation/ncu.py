"""Runs ncu as a child process and reads what it counted.

One ncu process profiles many launches (its start is slow): the launcher switches profiling on
around each job's launch, so the rows of the report come in the order of the jobs.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .errors import ProfilerError
from .metrics import LAUNCH_METRICS, SECTION_METRICS, SECTIONS, SOURCE_COLUMNS

PERMISSION_SIGN = "ERR_NVGPUCTRPERM"
PERMISSION_HELP = (
    "ncu may not read the GPU's counters (ERR_NVGPUCTRPERM): run as root, or load the nvidia "
    "module with NVreg_RestrictProfilingToAdminUsers=0; times are still taken without it"
)
USUAL_PLACES = ("/usr/local/cuda/bin/ncu", "/opt/nvidia/nsight-compute/*/ncu")
QUERY_SECONDS = 120.0
FUNCTION_ADDRESS = "launch__function_pcs"  # where the kernel was loaded


@dataclass(frozen=True, slots=True)
class ProfiledLaunch:
    """One launch as ncu saw it.

    ``metrics`` maps a metric to its number over the launch; ``columns`` maps a source-page metric
    to its values by byte offset of the instruction in the kernel.
    """

    entry: str
    metrics: Mapping[str, float]
    columns: Mapping[str, Mapping[int, int]]


def find_ncu() -> Path:
    """The ncu program on the PATH or where NVIDIA's installers put it.

    Raises:
        ProfilerError: there is none.
    """
    found = shutil.which("ncu")
    places = [found] if found else []
    for pattern in USUAL_PLACES:
        root, rest = pattern[0], pattern[1:]
        places += sorted(map(str, Path(root).glob(rest)), reverse=True)
    if not places:
        raise ProfilerError(
            "ncu (NVIDIA Nsight Compute) was not found on the PATH; install it to read counters, "
            "times are still taken without it"
        )
    return Path(places[0])


def ncu_version(ncu: Path) -> str:
    """The version line of ncu, such as ``2025.3.1.0``."""
    text = _run([str(ncu), "--version"], QUERY_SECONDS).stdout
    match = re.search(r"Version\s+(\S+)", text)
    return match.group(1) if match else "unknown"


def available_metrics(ncu: Path) -> frozenset[str]:
    """Base names of the metrics the GPU of this machine has."""
    text = _run([str(ncu), "--query-metrics", "--csv"], QUERY_SECONDS).stdout
    return frozenset(re.findall(r'^"?([a-z0-9_]+__[a-z0-9_]+)', text, flags=re.MULTILINE))


def profile(
    ncu: Path,
    command: Sequence[str],
    report: Path,
    metrics: Sequence[str],
    cache_control: str,
    seconds: float,
    sections: Sequence[str] = SECTIONS,
) -> subprocess.CompletedProcess[str]:
    """Profile a command into ``report``; clocks are left alone, every pass replays the kernel.

    Raises:
        ProfilerError: ncu has no permission or wrote no report.
    """
    options = ["--export", str(report), "--force-overwrite", "--profile-from-start", "off"]
    options += ["--clock-control", "none", "--cache-control", cache_control]
    options += ["--replay-mode", "kernel", "--metrics", ",".join(metrics)]
    for section in sections:
        options += ["--section", section]
    done = _run([str(ncu), *options, *command], seconds)
    text = done.stdout + done.stderr
    if PERMISSION_SIGN in text:
        raise ProfilerError(PERMISSION_HELP)
    if not report.exists():
        raise ProfilerError(f"ncu wrote no report (exit code {done.returncode}): {text[-2000:]}")
    return done


def read_report(ncu: Path, report: Path) -> list[ProfiledLaunch]:
    """The launches of a report in launch order, by way of ncu's raw page as CSV."""
    command = [str(ncu), "--import", str(report), "--page", "raw", "--csv", "--print-units", "base"]
    command += ["--print-metric-instances", "details", "--print-kernel-base", "mangled"]
    done = _run(command, QUERY_SECONDS)
    if done.returncode:
        raise ProfilerError(f"ncu cannot read {report}: {(done.stdout + done.stderr)[-2000:]}")
    return parse_raw_page(done.stdout)


def parse_raw_page(text: str) -> list[ProfiledLaunch]:
    """Parse ncu's raw page (CSV, base units, metric instances with their details)."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        return []
    csv.field_size_limit(2**31 - 1)  # a column holds every instruction of a kernel
    rows = csv.DictReader(io.StringIO("\n".join(lines[start:])))
    return [_launch(row) for row in rows if row["ID"]]


def _launch(row: Mapping[str, str]) -> ProfiledLaunch:
    kept = (*LAUNCH_METRICS, *SECTION_METRICS)
    numbers = {name: _number(row[name].partition("(")[0]) for name in kept if name in row}
    base = min(split_instances(row.get(FUNCTION_ADDRESS, "")).values(), default=0)
    columns = {
        column.metric: {
            address - base: count for address, count in split_instances(row[column.metric]).items()
        }
        for column in SOURCE_COLUMNS
        if column.metric in row
    }
    metrics = {name: value for name, value in numbers.items() if value is not None}
    return ProfiledLaunch(row["Kernel Name"], metrics, columns)


def split_instances(cell: str) -> dict[int, int]:
    """The instances in a raw-page cell: ``"1,012 (0x70: 1,004; 0x80: 8)"`` by correlation id."""
    instances = {}
    for part in cell.partition("(")[2].rstrip(")").split(";"):
        key, _, value = part.partition(":")
        if value:
            instances[int(key, 0)] = int(value.replace(",", ""))
    return instances


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def _run(command: Sequence[str], seconds: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except OSError as error:
        raise ProfilerError(f"cannot run {command[0]}: {error}") from error
    except subprocess.TimeoutExpired as error:
        raise ProfilerError(
            f"ncu did not finish in {seconds:.0f} s; measure fewer kernels"
        ) from error
