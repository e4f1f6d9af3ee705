"""Runs the probes on a GPU: ``python -m validation.microbench.run OUT.json --cubin FILE ...``.

The cubins must come from the same sources (``validation.microbench.build``). Figures are added to
those that OUT already holds. Profiles need ncu; without it they are left out.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from simulator.pages import run_script
from validation import ncu as profiler
from validation.errors import ProfilerError
from validation.gpu import describe_gpu, import_cupy, warm_times
from validation.microbench.probe import CLOCK, PROFILE, TIME, Probe
from validation.microbench.probes import list_probes

BUFFER_WORDS = 1 << 27
REPEATS = 5
PROFILE_SECONDS = 300.0
PROFILED = (
    "gpu__time_duration.sum",
    "sm__cycles_active.max",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "smsp__warps_issue_stalled_no_instruction.sum",
    "smsp__warps_issue_stalled_imc_miss.sum",
    "gpc__cycles_elapsed.max",
)


class Bench:
    """The probes' kernels on the device with their buffers."""

    def __init__(self, cupy: Any, cubins: Sequence[Path]) -> None:
        self.cupy = cupy
        self.modules = [cupy.RawModule(path=str(cubin)) for cubin in cubins]
        self.buffer = cupy.zeros(BUFFER_WORDS, dtype=cupy.float32)
        self.out = cupy.zeros(1 << 20, dtype=cupy.int64)

    def launch(self, probe: Probe, trips: int) -> None:
        """Queue one launch."""
        function = self._function(probe.kernel)
        if probe.shared_bytes > 48 * 1024:
            function.max_dynamic_shared_size_bytes = probe.shared_bytes
        numbers = (self.cupy.int32(trips), self.cupy.int32(probe.parameter))
        arguments = (self.buffer, self.out, *numbers)
        function((probe.grid,), (probe.threads,), arguments, shared_mem=probe.shared_bytes)

    def _function(self, name: str) -> Any:
        for module in self.modules[:-1]:
            try:
                return module.get_function(name)
            except self.cupy.cuda.driver.CUDADriverError:
                continue
        return self.modules[-1].get_function(name)

    def measure(self, probe: Probe) -> Any:
        """The probe's figure or figures."""
        if probe.way == PROFILE:
            return self._profiled(probe)
        self.buffer.fill(0)
        if probe.way == CLOCK:
            low, high = (self._slowest(probe, trips) for trips in probe.trips)
            return (high - low) / (probe.trips[1] - probe.trips[0])
        if probe.way == TIME:
            return self._times(probe)
        return self._numbers(probe)

    def _profiled(self, probe: Probe) -> list[int]:
        profile = self.cupy.cuda.runtime
        self.out.fill(0)
        profile.deviceSynchronize()
        profile.profilerStart()
        self.launch(probe, probe.trips[0])
        profile.deviceSynchronize()
        profile.profilerStop()
        return [int(n) for n in self.out[: 3 * probe.trips[0]].get()]

    def _numbers(self, probe: Probe) -> list[int]:
        self.launch(probe, probe.trips[0])  # where a first launch differs, so does this one
        numbers = self.out[: probe.trips[0]].get()
        self.launch(probe, probe.trips[0])
        again = self.out[: probe.trips[0]].get()
        return [*numbers.tolist(), *again.tolist()]

    def _slowest(self, probe: Probe, trips: int) -> float:
        found = []
        for _ in range(REPEATS):
            self.out.fill(0)
            self.launch(probe, trips)
            found.append(int(self.out[: probe.grid * (probe.threads // 32)].max()))
        return float(statistics.median(found))

    def _times(self, probe: Probe) -> dict[str, float]:
        def launch() -> None:
            self.launch(probe, probe.trips[0])

        return {"warm_us": statistics.median(warm_times(self.cupy, launch, REPEATS))}


def measure_all(bench: Bench, probes: Iterable[Probe]) -> dict[str, Any]:
    """Figures by name of probe."""
    return {probe.name: bench.measure(probe) for probe in probes}


def profile_all(cubins: Sequence[Path], only: str) -> dict[str, Any]:
    """Run the profile probes once more in a process under ncu.

    Raises:
        ProfilerError: ncu is missing, may not count, or saw other launches.
    """
    ncu = profiler.find_ncu()
    with tempfile.TemporaryDirectory() as scratch:
        out, report = Path(scratch) / "out.json", Path(scratch) / "report.ncu-rep"
        command = [sys.executable, "-m", "validation.microbench.run", str(out), "--way", PROFILE]
        command += ["--only", only, "--inside"]
        for cubin in cubins:
            command += ["--cubin", str(cubin)]
        done = profiler.profile(ncu, command, report, PROFILED, "all", PROFILE_SECONDS)
        launches = profiler.read_report(ncu, report)
        if not out.exists():
            raise ProfilerError(f"the probes ended early: {done.stderr[-2000:]}")
        numbers = json.loads(out.read_text(encoding="utf-8"))["figures"]
    if len(launches) != len(numbers):
        raise ProfilerError(f"ncu saw {len(launches)} launches of {len(numbers)} probes")
    found: dict[str, Any] = {}
    for (name, wrote), launch in zip(numbers.items(), launches, strict=True):
        kept: dict[str, Any] = {key: launch.metrics[key] for key in PROFILED}
        found[name] = {**kept, "wrote": wrote}
    return found


def main() -> None:
    """Measure the probes and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--cubin", type=Path, action="append", required=True)
    parser.add_argument("--only", default="", help="beginnings of names, with commas between")
    parser.add_argument("--way", default="", help="clock, trips, time or profile")
    parser.add_argument("--inside", action="store_true", help="this process runs under ncu")
    options = parser.parse_args()
    cupy = import_cupy()
    gpu = describe_gpu(cupy)
    chosen = [
        probe
        for probe in list_probes(int(gpu["multiprocessors"]))
        if probe.name.startswith(tuple(options.only.split(","))) and options.way in ("", probe.way)
    ]
    plain = [p for p in chosen if options.inside or p.way != PROFILE]
    figures = measure_all(Bench(cupy, options.cubin), plain)
    if len(plain) < len(chosen):
        try:
            figures |= profile_all(options.cubin, options.only)
        except ProfilerError as error:
            print(f"no profiles: {error}", file=sys.stderr)
    record: dict[str, Any] = {"schema": 1, "gpu": gpu, "figures": {}}
    if options.out.exists():
        record = json.loads(options.out.read_text(encoding="utf-8"))
    record["figures"] |= figures
    options.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
