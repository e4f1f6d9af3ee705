"""The roofline of a run in operations a second: lines of the machine, points of the launch."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.device import load_device
from simulator.instruction_mix import count_flops
from simulator.intensity import find_intensity
from simulator.results import Roof, Run
from simulator.roofline import find_roofline

# Roofs that are lines over FLOP per byte; the rate of the first two is that of one SM.
SM_LEVELS = ("shared", "L1")
GPU_LEVELS = ("L2", "DRAM")


@dataclass(frozen=True)
class RoofPoint:
    """One roof. ``limit`` is FLOP a unit of time that the launch can reach under it at most.

    ``intensity`` (FLOP a byte) and ``bandwidth`` (bytes a unit of time, whole GPU) are None for
    roofs that are no memory level, and where they are not known.
    """

    name: str
    limit: float
    intensity: float | None
    bandwidth: float | None
    binds: bool


@dataclass(frozen=True)
class RooflineChart:
    """``unit`` is FLOP a second where the clock is known, else FLOP a cycle.

    ``capped``: no operation of the launch can run faster than ``peak``, that of the FP32 units;
    those of tensor cores can. ``predicted`` is what the launch reaches with warm caches, with the
    ends of its interval; None without a predicted time or clock.
    """

    peak: float
    unit: str
    points: tuple[RoofPoint, ...]
    unmodelled: tuple[str, ...]
    capped: bool = True
    predicted: tuple[float, float, float] | None = None


def roofline_chart(run: Run) -> RooflineChart:
    """Lines and points; roofs whose cycles are not known are named in ``unmodelled``."""
    line = run.roofline or find_roofline(run)
    clock = line.clock_hz or 1.0
    known = [roof for roof in line.roofs if roof.cycles]
    points = [_point(run, roof, line.flops, clock, roof is line.binding) for roof in known]
    unknown = tuple(roof.name for roof in line.roofs if roof.cycles is None)
    unit = "FLOP/s" if line.clock_hz else "FLOP/cycle"
    peak, capped = line.peak_flops_per_cycle * clock, not count_flops(run).tensor
    rates = _predicted(run, line.flops) if line.clock_hz else None
    return RooflineChart(peak, unit, tuple(points), unknown, capped, rates)


def _predicted(run: Run, flops: int) -> tuple[float, float, float] | None:
    """FLOP a second with the predicted time, then its least and its most."""
    if run.time is None:
        return None
    time = run.time.warm
    rate, least, most = (1e6 * flops / u for u in (time.microseconds, time.high_us, time.low_us))
    return rate, least, most


def _point(run: Run, roof: Roof, flops: int, clock: float, binds: bool) -> RoofPoint:
    assert roof.cycles  # the caller chose those
    limit = flops / roof.cycles * clock
    if roof.name not in (*SM_LEVELS, *GPU_LEVELS) or roof.rate is None:
        return RoofPoint(roof.name, limit, None, None, binds)
    sms = load_device(run.device).sm_count if roof.name in SM_LEVELS else 1
    intensity = (run.intensity or find_intensity(run)).level(roof.name).flop_per_byte
    return RoofPoint(roof.name, limit, intensity, roof.rate * sms * clock, binds)


def ranked_roofs(run: Run) -> tuple[Roof, ...]:
    """Roofs with known cycles, the one that binds first."""
    return (run.roofline or find_roofline(run)).ranked
