"""Our counters under Nsight Compute's names: the table, as data."""

from simulator.metrics.table import (
    ALL,
    PIPE,
    Metric,
    Opcodes,
    SourceColumn,
    Tolerance,
    is_listed,
    load_metrics,
    load_pipes,
    load_source_page,
    matches,
    ncu_counters,
    weaker,
)

__all__ = [
    "ALL",
    "PIPE",
    "Metric",
    "Opcodes",
    "SourceColumn",
    "Tolerance",
    "is_listed",
    "load_metrics",
    "load_pipes",
    "load_source_page",
    "matches",
    "ncu_counters",
    "weaker",
]
