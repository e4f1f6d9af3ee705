"""Errors of the cache model against the launches measured on an NVIDIA H200, one row a launch.

Run: python benchmarks/cache_errors.py [part of a record's name ...] [--write]

``--write`` publishes the errors in ``validation/cache_errors.json``, which the tests hold; where
only some are run, the others stay.

Columns: L1 hit rate of loads (predicted - measured, points); sectors read from L2 and bytes read
from DRAM, cold, in percent of what was measured; the same two for a launch that follows one like
it (warm), there DRAM in percent of what was measured cold; seconds of the whole replay. DRAM is
left blank for footprints below 4 MB, where code, constants and the profiler outweigh the data. The
last rows give how many launches are within 3 points, 5 % and 10 %. Reads of L2 and hits of L1
differ from launch to launch (``h200_read_scatter.json`` and ``h200_hit_scatter.json`` in
``validation/microbench``): predicted is compared with the median of all that were measured.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from simulator.errors import UnknownNameError
from simulator.launching import Target, open_catalogue
from simulator.pages import run_script
from simulator.results import Run
from validation.records import Record, load_record, record_paths

DEVICE = "h200"
FOOTPRINT = 4_000_000
PUBLISHED = Path(__file__).parents[1] / "validation" / "cache_errors.json"
_LOADS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"
LIMITS = {
    "L1 points": 3.0,
    "L2 reads %": 5.0,
    "DRAM reads %": 10.0,
    "warm L2 reads %": 5.0,
    "warm DRAM %": 10.0,
}
_RECORDS = Path(__file__).parents[1] / "validation" / "microbench"
READS = _RECORDS / "h200_read_scatter.json"
HITS = _RECORDS / "h200_hit_scatter.json"
SECOND = _RECORDS / "h200_second_launch.json"


@dataclass(frozen=True)
class Errors:
    """One launch: signed errors, None where there is nothing to compare."""

    name: str
    l1_points: float | None
    l2_percent: float | None
    dram_percent: float | None
    warm_l2_percent: float | None
    warm_dram_percent: float | None
    seconds: float

    def values(self) -> dict[str, float | None]:
        """The errors by the name of their limit."""
        cold = (self.l1_points, self.l2_percent, self.dram_percent)
        warm = (self.warm_l2_percent, self.warm_dram_percent)
        return dict(zip(LIMITS, (*cold, *warm), strict=True))


def replay_record(record: Record) -> Run:
    """Replay the launch of a record with caches."""
    from simulator.composition import replay

    target: Target = open_catalogue(record.kernel, record.size, record.seed, DEVICE)
    launch = target.launch
    return replay(
        target.kernel, launch.grid, launch.block, list(target.arguments), launch.shared_bytes,
        DEVICE, caches=True,
    )  # fmt: skip


@cache
def launches_of(path: Path) -> dict[str, Any]:
    """What a record of several launches holds, by the launch's name."""
    launches: dict[str, Any] = json.loads(path.read_text())["launches"]
    return launches


def usual(path: Path, name: str, heat: str, once: float) -> float:
    """The median of all launches measured (``path``) like one that counted ``once``."""
    return statistics.median([once, *launches_of(path).get(name, {}).get(heat, ())])


def compare(name: str, record: Record, run: Run) -> Errors:
    """Errors of a run against the record's cold counters."""
    cold = {key.removesuffix(".sum"): value for key, value in record.metrics["cold"].items()}
    loads = cold[_LOADS]
    hits = usual(HITS, name, "cold", cold[f"{_LOADS}_lookup_hit"])
    measured = 100.0 * hits / loads if loads else None
    footprint = run.counters["dram_read_bytes"].value
    second = launches_of(SECOND).get(name)
    large = footprint > FOOTPRINT
    return Errors(
        name,
        None if measured is None else run.counters["l1_hit_rate"].value - measured,
        _percent(
            run.counters["l2_read_sectors"].value,
            usual(READS, name, "cold", cold["lts__t_sectors_srcunit_tex_op_read"]),
        ),
        _percent(footprint, cold["dram__bytes_read"]) if large else None,
        None
        if second is None
        else _percent(
            run.counters["l2_read_sectors_warm"].value, usual(READS, name, "warm", second["reads"])
        ),
        None
        if second is None or not large
        else 100.0
        * (run.counters["dram_read_bytes_warm"].value - second["dram_read_bytes"])
        / cold["dram__bytes_read"],
        run.seconds,
    )


def _percent(predicted: float, measured: float) -> float | None:
    return 100.0 * (predicted / measured - 1.0) if measured else None


def all_errors(parts: Sequence[str] = ()) -> Iterator[Errors]:
    """Every recorded launch with counters whose name holds one of ``parts`` (all if none)."""
    paths = {path.name.removesuffix(".json.xz"): path for path in record_paths(DEVICE)}
    for part in parts:
        if not any(part in name for name in paths):
            raise UnknownNameError("launch", part, paths)
    for name, path in paths.items():
        if parts and not any(part in name for part in parts):
            continue
        record = load_record(path)
        if "cold" in record.metrics:
            yield compare(name, record, replay_record(record))


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:+.1f}"


def main() -> None:
    """Print the table."""
    print(f"{'launch':42s} " + " ".join(f"{key:>15s}" for key in LIMITS) + f" {'s':>6s}")
    rows = []
    parts = [argument for argument in sys.argv[1:] if argument != "--write"]
    for row in all_errors(parts):
        rows.append(row)
        cells = " ".join(f"{_cell(value):>15s}" for value in row.values().values())
        print(f"{row.name:42s} {cells} {row.seconds:6.2f}", flush=True)
    for key, limit in LIMITS.items():
        found = [abs(v) for row in rows if (v := row.values()[key]) is not None]
        good = sum(value <= limit for value in found)
        worst = max(found, default=0.0)
        print(f"{key}: {good} of {len(found)} within {limit:g}; largest {worst:.1f}")
    if "--write" in sys.argv:
        published = json.loads(PUBLISHED.read_text()) if parts else {}
        published |= {row.name: _rounded(row) for row in rows}
        published = dict(sorted(published.items()))
        PUBLISHED.write_text(json.dumps(published, indent=1) + "\n", encoding="utf-8")


def _rounded(row: Errors) -> dict[str, float | None]:
    return {key: None if v is None else round(v, 2) for key, v in row.values().items()}


if __name__ == "__main__":
    run_script(main)
