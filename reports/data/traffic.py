"""Bytes between the SM and its memories, and the share of them that caches hold."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.global_report import global_traffic, local_traffic
from simulator.intensity import WAVEFRONT_BYTES, find_intensity
from simulator.results import Run, Status
from simulator.shared_report import total_shared

UNMODELLED = "unmodelled"


@dataclass(frozen=True)
class Flow:
    """Bytes of the launch from one part of the machine to the next; None where unmodelled."""

    start: str
    end: str
    bytes: float | None
    detail: str
    status: Status


def memory_flows(run: Run) -> tuple[Flow, ...]:
    """SM to shared memory and to L1, L1 to L2, L2 to DRAM."""
    levels = run.intensity or find_intensity(run)
    shared, rows = total_shared(run), (*global_traffic(run), *local_traffic(run))
    requests = sum(row.requests for row in rows)
    shared_detail = f"{shared.requests:,} requests, {shared.wavefronts:,} wavefronts"
    bandwidth = float(WAVEFRONT_BYTES * shared.hardware)
    l1, l2, dram = (levels.level(name) for name in ("L1", "L2", "DRAM"))
    sectors = sum(row.sectors for row in rows)
    return (
        Flow("SM", "shared memory", bandwidth, shared_detail, levels.level("shared").status),
        Flow("SM", "L1", l1.bytes, f"{requests:,} requests, {sectors:,} sectors", l1.status),
        Flow("L1", "L2", l2.bytes, _both_ways(run, "l2", "sectors"), l2.status),
        Flow("L2", "DRAM", dram.bytes, _both_ways(run, "dram", "bytes"), dram.status),
    )


def _both_ways(run: Run, memory: str, unit: str) -> str:
    """``64 bytes read, 32 written``; empty where either is unmodelled."""
    counters = [run.counters.get(f"{memory}_{way}_{unit}") for way in ("read", "write")]
    values = [c.value for c in counters if c is not None and c.status is not Status.UNMODELLED]
    return f"{values[0]:,.0f} {unit} read, {values[1]:,.0f} written" if len(values) == 2 else ""


def hit_rate(run: Run, cache: str) -> str:
    """``87.5 %`` from the counter ``l1_hit_rate`` or ``l2_hit_rate``; else ``unmodelled``."""
    counter = run.counters.get(f"{cache.lower()}_hit_rate")
    if counter is None or counter.status is Status.UNMODELLED or counter.value != counter.value:
        return UNMODELLED
    share = counter.value if counter.unit == "%" else 100 * counter.value
    return f"{share:.1f} %"
