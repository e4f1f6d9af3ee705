"""The ladder of matrix products: operations a second by version, where a time is known."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kernels.gemm import LADDER
from reports.data.agreement import Comparison
from simulator.results import Timing

WARM = "warm_us"
SIZES = {item.name: dict(item.sizes) for item in LADDER}
VERSIONS = tuple(SIZES)
PUBLISHED, MEASURED, PREDICTED = "published", "measured", "predicted"


@dataclass(frozen=True, slots=True)
class Climb:
    """One version on one GPU at one size, whose time is known.

    ``gpu`` is the name to show; ``rates`` are operations a second (in 10^12), one a time taken.
    ``library`` marks a reference that no kernel of the catalogue stands for.
    """

    kernel: str
    size: tuple[tuple[str, int], ...]
    device: str
    gpu: str
    source: str
    rates: tuple[float, ...]
    library: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One bar: ``source`` says whose time it is (published, measured, predicted).

    ``low`` and ``high`` are the extremes where a time was taken more than once, and the interval
    of a prediction. ``library`` is as in :class:`Climb`.
    """

    kernel: str
    edge: int
    gpu: str
    source: str
    tflops: float
    low: float
    high: float
    library: bool = False


def tflops(size: Mapping[str, int], microseconds: float) -> float:
    """Tera-operations a second of a matrix product: two for each of m * n * k."""
    return 2 * size["m"] * size["n"] * size["k"] / microseconds / 1e6


def find_climbs(comparison: Comparison) -> tuple[Climb, ...]:
    """Published times and one measured launch of each version, in the ladder's order: that of its
    default size, or else the largest."""
    found = [*_published(comparison), *_measured(comparison)]
    return tuple(sorted(found, key=lambda climb: (climb.device != "rtx4090", climb.device)))


def _published(comparison: Comparison) -> Iterator[Climb]:
    for device, source in comparison["published"].items():
        gpu = source["gpu"].replace("NVIDIA", "").replace("GeForce", "").strip()
        for kind in ("times", "references"):
            for row in source.get(kind, ()):
                rates = tuple(tflops(row["size"], us) for us in row["warm_us"])
                name, size = row["kernel"], tuple(row["size"].items())
                yield Climb(name, size, device, gpu, PUBLISHED, rates, kind == "references")


def _measured(comparison: Comparison) -> Iterator[Climb]:
    chosen: dict[tuple[str, str], Mapping[str, Any]] = {}
    for launch in comparison["launches"]:
        key = (launch["device"], launch["kernel"])
        known = chosen.get(key)
        if launch["kernel"] in VERSIONS and (known is None or _rank(launch) > _rank(known)):
            chosen[key] = launch
    for (device, kernel), launch in sorted(chosen.items(), key=lambda item: _place(*item[0])):
        rates = tuple(
            tflops(launch["size"], row["measured"])
            for row in launch["rows"]
            if row["where"] == "time" and row["counter"] == WARM and row["measured"]
        )
        if rates:
            size = tuple(launch["size"].items())
            yield Climb(kernel, size, device, device.upper(), MEASURED, rates)


def _place(device: str, kernel: str) -> tuple[str, int]:
    return device, VERSIONS.index(kernel)


def _rank(launch: Mapping[str, Any]) -> tuple[bool, int]:
    size = launch["size"]
    return size == SIZES[launch["kernel"]], int(size["m"] * size["n"] * size["k"])


def ladder_steps(climbs: tuple[Climb, ...], predicted: Mapping[Climb, Timing]) -> tuple[Step, ...]:
    """The bars: what is known, and beside it what is predicted."""
    steps = []
    for climb in climbs:
        size, rates = dict(climb.size), climb.rates
        where = (climb.kernel, size["m"], climb.gpu)
        mean = statistics.fmean(rates)
        steps.append(Step(*where, climb.source, mean, min(rates), max(rates), climb.library))
        time = predicted.get(climb)
        if time is not None:
            best, least = tflops(size, time.low_us), tflops(size, time.high_us)
            rate = tflops(size, time.microseconds)
            steps.append(Step(*where, PREDICTED, rate, least, best))
    return tuple(steps)
