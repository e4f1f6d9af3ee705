"""Which counters are read, as data.

``SOURCE_COLUMNS``: per-instruction values of ncu's source page and the field of
``InstructionRecord`` that predicts each. ``LAUNCH_METRICS``: hardware counters of a whole launch;
a GPU lacks some of them, and those are left out of the request (ncu refuses a list that holds an
unknown name).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """One column of ncu's source page: its metric, our field, its heading there."""

    metric: str
    field: str
    heading: str


SOURCE_COLUMNS = (
    SourceColumn("inst_executed", "executed", "Instructions Executed"),
    SourceColumn("thread_inst_executed", "thread_executed", "Thread Instructions Executed"),
    SourceColumn(
        "thread_inst_executed_true",
        "thread_executed_predicated_on",
        "Predicated-On Thread Instructions Executed",
    ),
    SourceColumn("memory_l1_wavefronts_shared", "shared_wavefronts", "L1 Wavefronts Shared"),
    SourceColumn(
        "memory_l1_wavefronts_shared_ideal", "shared_wavefronts_ideal", "L1 Wavefronts Shared Ideal"
    ),
    SourceColumn(
        "memory_l2_theoretical_sectors_global",
        "global_sectors",
        "L2 Theoretical Sectors Global",
    ),
    SourceColumn(
        "memory_l2_theoretical_sectors_global_ideal",
        "global_sectors_ideal",
        "L2 Theoretical Sectors Global Ideal",
    ),
    SourceColumn("memory_l1_tag_requests_global", "global_tags", "L1 Tag Requests Global"),
    SourceColumn(
        "memory_l2_theoretical_sectors_local", "local_sectors", "L2 Theoretical Sectors Local"
    ),
)

_OPERATIONS = ("ld", "st", "atom", "red")
_SHARED = (
    "l1tex__data_pipe_lsu_wavefronts_mem_shared",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared",
)
_TAG_STAGE = (
    "l1tex__t_requests_pipe_lsu_mem",
    "l1tex__t_sectors_pipe_lsu_mem",
    "l1tex__t_output_wavefronts_pipe_lsu_mem",
    "l1tex__t_set_accesses_pipe_lsu_mem",
)


def _launch_metrics() -> Iterable[str]:
    for stem in _SHARED:
        yield stem
        yield from (f"{stem}_op_{operation}" for operation in _OPERATIONS)
    for stem in _TAG_STAGE:
        for space in ("global", "local"):
            yield from (f"{stem}_{space}_op_{operation}" for operation in _OPERATIONS)
    for operation in ("ld", "st"):
        for space in ("global", "local"):
            for outcome in ("hit", "miss"):
                yield f"l1tex__t_sectors_pipe_lsu_mem_{space}_op_{operation}_lookup_{outcome}"
    yield from _PLAIN


_PLAIN = (
    "l1tex__data_pipe_lsu_wavefronts",
    "l1tex__data_bank_reads",
    "l1tex__data_bank_writes",
    "l1tex__data_bank_conflicts_pipe_lsu",
    "l1tex__data_pipe_lsu_wavefronts_mem_lg",
    "l1tex__lsuin_requests",
    "l1tex__f_wavefronts",
    "l1tex__m_xbar2l1tex_read_sectors",
    "l1tex__m_l1tex2xbar_write_sectors",
    "lts__t_requests_srcunit_tex",
    "lts__t_sectors",
    "lts__t_sectors_op_read",
    "lts__t_sectors_op_write",
    "lts__t_sectors_op_atom",
    "lts__t_sectors_op_red",
    "lts__t_sectors_srcunit_tex",
    "lts__t_sectors_srcunit_tex_op_read",
    "lts__t_sectors_srcunit_tex_op_write",
    "lts__t_sectors_srcunit_tex_lookup_hit",
    "lts__t_sectors_srcunit_tex_lookup_miss",
    "dram__bytes_read",
    "dram__bytes_write",
    "dram__sectors_read",
    "dram__sectors_write",
    "smsp__inst_executed",
    "smsp__inst_issued",
    "smsp__thread_inst_executed",
    "smsp__thread_inst_executed_pred_on",
    "smsp__inst_executed_op_shared_ld",
    "smsp__inst_executed_op_shared_st",
    "smsp__inst_executed_op_global_ld",
    "smsp__inst_executed_op_global_st",
    "smsp__inst_executed_op_local_ld",
    "smsp__inst_executed_op_local_st",
    "smsp__warps_launched",
    "smsp__warps_active",
    "sm__ctas_launched",
    "smsp__cycles_active",
    "sm__cycles_active",
    "sm__cycles_elapsed",
    "gpu__time_duration",
)

LAUNCH_METRICS = (
    *(f"{name}.sum" for name in _launch_metrics()),
    "sm__cycles_active.max",
    "sm__cycles_active.avg",
    "sm__cycles_elapsed.max",
    "gpc__cycles_elapsed.max",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
)
SECTIONS = ("LaunchStats", "Occupancy")


def known_metrics(available: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split ``LAUNCH_METRICS`` into those whose base name a GPU has and those it lacks."""
    names = set(available)
    present = tuple(name for name in LAUNCH_METRICS if name.split(".")[0] in names)
    return present, tuple(name for name in LAUNCH_METRICS if name not in present)
