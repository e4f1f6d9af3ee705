"""The one place that talks to a GPU: loads a cubin through CuPy, launches it, times it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from kernels.workload import Array, Problem

from .errors import MeasureError

STATIC_SHARED_LIMIT = 48 * 1024  # more than this needs an opt-in of the kernel
GRAPH_LAUNCHES = 20
COLD_WARM_UPS = 3  # the first ones wait for the flushing kernel to be compiled and loaded
SMI_FIELDS = "name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,temperature.gpu"


def import_cupy() -> Any:
    """CuPy, with a device behind it.

    Raises:
        MeasureError: CuPy is not installed or sees no GPU.
    """
    try:
        import cupy
    except ImportError as error:
        raise MeasureError(
            "measuring needs CuPy; install it with: pip install 'smreplay[gpu]'"
        ) from error
    try:
        cupy.cuda.Device(0).use()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise MeasureError(
            f"CuPy finds no usable NVIDIA GPU ({error}); "
            "compare with the committed records instead: python -m validation compare"
        ) from error
    return cupy


class LoadedKernel:
    """One function of a cubin on the device with its arguments in device memory."""

    def __init__(self, cupy: Any, cubin: Path, entry: str, problem: Problem) -> None:
        self._cupy = cupy
        self._launch = problem.launch
        self._module = cupy.RawModule(path=str(cubin))
        self._function = self._module.get_function(entry)
        if problem.launch.shared_bytes > STATIC_SHARED_LIMIT:
            self._function.max_dynamic_shared_size_bytes = problem.launch.shared_bytes
        self.arguments = tuple(
            cupy.asarray(value) if isinstance(value, np.ndarray) else value
            for value in problem.arguments
        )

    def launch(self) -> None:
        """Queue one launch on the current stream."""
        where = self._launch
        self._function(where.grid, where.block, self.arguments, shared_mem=where.shared_bytes)

    def buffers(self) -> dict[int, Array]:
        """The array arguments as they are on the device now."""
        return {
            position: self._cupy.asnumpy(value)
            for position, value in enumerate(self.arguments)
            if isinstance(value, self._cupy.ndarray)
        }


def warm_times(cupy: Any, launch: Callable[[], None], repeats: int) -> list[float]:
    """Microseconds a launch, back to back with hot inputs, one value a repeat.

    The launches of a repeat are one captured graph: launched one by one from Python, a short
    kernel would be timed at the speed of the loop.
    """
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        launch()
        stream.begin_capture()
        for _ in range(GRAPH_LAUNCHES):
            launch()
        graph = stream.end_capture()
        graph.launch()
        return [_elapsed(cupy, stream, graph.launch) / GRAPH_LAUNCHES for _ in range(repeats)]


def cold_times(cupy: Any, launch: Callable[[], None], repeats: int) -> list[float]:
    """Microseconds of a launch after the L2 was filled with other data, one value a repeat."""
    l2_bytes = cupy.cuda.Device().attributes["L2CacheSize"]
    other = cupy.zeros(3 * l2_bytes // 4, dtype=cupy.float32)
    total = cupy.zeros((), dtype=cupy.float32)
    stream = cupy.cuda.get_current_stream()
    times = []
    for _ in range(repeats + COLD_WARM_UPS):
        other.sum(out=total)  # reads, so that no dirty lines are left to be written back
        times.append(_elapsed(cupy, stream, launch))
    return times[COLD_WARM_UPS:]


def single_times(cupy: Any, launch: Callable[[], None], repeats: int) -> list[float]:
    """Microseconds of a lone launch on an idle device with hot inputs, one value a repeat."""
    stream = cupy.cuda.get_current_stream()
    times = []
    for _ in range(repeats):
        stream.synchronize()
        times.append(_elapsed(cupy, stream, launch))
    return times


def _elapsed(cupy: Any, stream: Any, work: Callable[[], None]) -> float:
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    begin.record(stream)
    work()
    end.record(stream)
    end.synchronize()
    return float(cupy.cuda.get_elapsed_time(begin, end)) * 1000.0


def describe_gpu(cupy: Any) -> dict[str, Any]:
    """Name, driver and clocks of the GPU in use; clocks in MHz as nvidia-smi gives them."""
    properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
    facts = {
        "gpu": properties["name"].decode(),
        "compute_capability": f"{properties['major']}.{properties['minor']}",
        "multiprocessors": int(properties["multiProcessorCount"]),
        "l2_bytes": int(properties["l2CacheSize"]),
        "cuda_driver_api": int(cupy.cuda.runtime.driverGetVersion()),
        "cupy": cupy.__version__,
    }
    return facts | _nvidia_smi()


def _nvidia_smi() -> dict[str, str]:
    command = ["nvidia-smi", f"--query-gpu={SMI_FIELDS}", "--format=csv,noheader,nounits", "--id=0"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return {"nvidia_smi": "not available"}
    values = [value.strip() for value in done.stdout.strip().split(",")]
    return dict(zip(SMI_FIELDS.split(","), values, strict=False))
