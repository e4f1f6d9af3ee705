"""Runs the probes on a GPU: ``python -m validation.microbench.run OUT.json [--cubin FILE]``.

The cubin must come from the same ``probes.cu``; without one it is compiled here.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

from validation.gpu import cold_times, describe_gpu, import_cupy, warm_times
from validation.microbench.probes import CLOCK, TIME, Probe, list_probes

SOURCE = Path(__file__).with_name("probes.cu")
BUFFER_WORDS = 1 << 27
REPEATS = 5


class Bench:
    """The probes' kernels on the device with their buffers."""

    def __init__(self, cupy: Any, cubins: list[Path]) -> None:
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
        self.buffer.fill(0)
        if probe.way == CLOCK:
            low, high = (self._slowest(probe, trips) for trips in probe.trips)
            return (high - low) / (probe.trips[1] - probe.trips[0])
        if probe.way == TIME:
            return self._times(probe)
        return self._numbers(probe)

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

        warm = statistics.median(warm_times(self.cupy, launch, REPEATS))
        cold = statistics.median(cold_times(self.cupy, launch, REPEATS))
        return {"warm_us": warm, "cold_us": cold}


def main() -> None:
    """Measure every probe and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--cubin", type=Path, action="append", required=True)
    options = parser.parse_args()
    cupy = import_cupy()
    gpu = describe_gpu(cupy)
    bench = Bench(cupy, options.cubin)
    figures = {}
    for probe in list_probes(int(gpu["multiprocessors"])):
        figures[probe.name] = bench.measure(probe)
    record = {"schema": 1, "gpu": gpu, "figures": figures}
    options.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
