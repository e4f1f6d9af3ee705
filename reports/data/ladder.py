"""The ladder of matrix products: operations a second by version, where a time is known."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kernels.gemm import LADDER
from reports.data.agreement import Comparison

WARM = "warm_us"
VERSIONS = tuple(item.name for item in LADDER)


@dataclass(frozen=True, slots=True)
class Step:
    """One version: ``source`` is whose time it is (published on ..., measured on ..., predicted).

    ``low`` and ``high`` are the extremes where a time was taken more than once.
    """

    kernel: str
    edge: int
    source: str
    tflops: float
    low: float
    high: float


def tflops(size: Mapping[str, int], microseconds: float) -> float:
    """Tera-operations a second of a matrix product: two for each of m * n * k."""
    return 2 * size["m"] * size["n"] * size["k"] / microseconds / 1e6


def ladder_steps(comparison: Comparison) -> tuple[Step, ...]:
    """Published times, then the largest measured and predicted ones of each version."""
    return (*_published(comparison), *_measured(comparison))


def _published(comparison: Comparison) -> Iterator[Step]:
    for source in comparison["published"].values():
        name = f"published, {_short(source['gpu'])}"
        for row in (*source["times"], *source.get("references", ())):
            rates = [tflops(row["size"], us) for us in row["warm_us"]]
            mean = statistics.fmean(rates)
            yield Step(row["kernel"], row["size"]["m"], name, mean, min(rates), max(rates))


def _measured(comparison: Comparison) -> Iterator[Step]:
    largest: dict[str, Mapping[str, Any]] = {}
    for launch in comparison["launches"]:
        name = launch["kernel"]
        known = largest.get(name)
        if name in VERSIONS and (known is None or _work(launch) > _work(known)):
            largest[name] = launch
    for name in VERSIONS:
        if name in largest:
            yield from _steps(largest[name])


def _work(launch: Mapping[str, Any]) -> int:
    size = launch["size"]
    return int(size["m"] * size["n"] * size["k"])


def _steps(launch: Mapping[str, Any]) -> Iterator[Step]:
    device = launch["device"]
    for row in launch["rows"]:
        if row["where"] != "time" or row["counter"] != WARM:
            continue
        for source, us in (
            (f"measured, {device}", row["measured"]),
            (f"predicted, {device}", row["predicted"]),
        ):
            if us:
                rate = tflops(launch["size"], us)
                yield Step(launch["kernel"], launch["size"]["m"], source, rate, rate, rate)


def _short(gpu: str) -> str:
    return gpu.replace("NVIDIA", "").replace("GeForce", "").strip()
