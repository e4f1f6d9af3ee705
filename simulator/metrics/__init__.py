"""Our counters under Nsight Compute's names: the table, as data, and what is derived from it."""

from simulator.metrics.derive import LaunchShape, derive_counters
from simulator.metrics.table import (
    Metric,
    SourceColumn,
    Tolerance,
    load_metrics,
    load_source_page,
    ncu_counters,
)

__all__ = [
    "LaunchShape",
    "Metric",
    "SourceColumn",
    "Tolerance",
    "derive_counters",
    "load_metrics",
    "load_source_page",
    "ncu_counters",
]
