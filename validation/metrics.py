"""Which counters are read, as data.

``SOURCE_COLUMNS``: per-instruction values of ncu's source page; the counter of each is the field
of ``InstructionRecord`` that predicts it. ``LAUNCH_METRICS``: hardware counters of a whole launch;
a GPU lacks some of them, and those are left out of the request (ncu refuses a list that holds an
unknown name).
"""

from __future__ import annotations

from collections.abc import Iterable

from simulator.metrics import load_source_page

SOURCE_COLUMNS = load_source_page()

_DATA_STAGE = (
    "l1tex__data_pipe_lsu_wavefronts_mem_shared",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared",
)
_TAG_STAGE = (
    "l1tex__t_requests_pipe_lsu_mem",
    "l1tex__t_sectors_pipe_lsu_mem",
    "l1tex__t_output_wavefronts_pipe_lsu_mem",
    "l1tex__t_set_accesses_pipe_lsu_mem",
)
_GLOBAL = ("ld", "st", "atom", "red", "ldgsts_cache_access")
# fmt: off
_STALLS = (
    "barrier", "branch_resolving", "dispatch_stall", "drain", "imc_miss", "lg_throttle",
    "long_scoreboard", "math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instruction",
    "not_selected", "selected", "short_scoreboard", "sleeping", "tex_throttle", "wait",
)
_PIPES = (
    "adu", "alu", "cbu", "fma", "fmaheavy", "fmalite", "fp64", "lsu", "tensor", "uniform", "xu",
)
_MEMORY_INSTRUCTIONS = (
    "shared_ld", "shared_st", "shared_atom", "global_ld", "global_st", "global_red",
    "generic_atom", "local_ld", "local_st", "ldsm", "ldgsts", "ldc", "branch",
)
# fmt: on
_PLAIN = (
    "l1tex__data_pipe_lsu_wavefronts",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_cmd_read",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_cmd_write",
    "l1tex__data_pipe_lsu_wavefronts_mem_lgds",
    "l1tex__data_pipe_lsu_wavefronts_mem_lgds_cmd_read",
    "l1tex__data_pipe_lsu_wavefronts_mem_lgds_cmd_write",
    "l1tex__data_bank_conflicts_pipe_lsu",
    "l1tex__data_bank_conflicts_type_arbitration",
    "l1tex__data_bank_reads",
    "l1tex__data_bank_writes",
    "l1tex__lsuin_requests",
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
    "smsp__inst_executed",
    "smsp__inst_issued",
    "smsp__thread_inst_executed",
    "smsp__thread_inst_executed_pred_on",
    "smsp__sass_thread_inst_executed_op_ffma_pred_on",
    "smsp__sass_thread_inst_executed_op_fadd_pred_on",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on",
    "smsp__warps_launched",
    "smsp__warps_active",
    "smsp__cycles_active",
    "sm__ctas_launched",
    "sm__cycles_active",
    "gpu__time_duration",
)


def _names() -> Iterable[str]:
    for stem in _DATA_STAGE:
        yield stem
        yield from (f"{stem}_op_{op}" for op in ("ld", "st", "atom", "ldgsts", "misc"))
    for stem in _TAG_STAGE:
        yield from (f"{stem}_global_op_{op}" for op in _GLOBAL)
        yield from (f"{stem}_local_op_{op}" for op in ("ld", "st"))
    for access in ("global_op_ld", "global_op_st", "local_op_ld", "local_op_st"):
        yield from (
            f"l1tex__t_sectors_pipe_lsu_mem_{access}_lookup_{found}" for found in ("hit", "miss")
        )
    yield from (f"smsp__inst_executed_op_{kind}" for kind in _MEMORY_INSTRUCTIONS)
    yield from (f"sm__inst_executed_pipe_{pipe}" for pipe in _PIPES)
    yield from (f"smsp__warps_issue_stalled_{reason}" for reason in _STALLS)
    yield from _PLAIN


LAUNCH_METRICS = (
    *(f"{name}.sum" for name in _names()),
    "sm__cycles_active.max",
    "sm__cycles_active.avg",
    "sm__cycles_elapsed.max",
    "gpc__cycles_elapsed.max",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
)
SECTIONS = ("LaunchStats", "Occupancy")
# What the two sections add and a record keeps; the rest are tables over other launch shapes.
SECTION_METRICS = (
    "launch__registers_per_thread",
    "launch__registers_per_thread_allocated",
    "launch__shared_mem_per_block_static",
    "launch__shared_mem_per_block_dynamic",
    "launch__shared_mem_per_block_driver",
    "launch__shared_mem_per_block_allocated",
    "launch__shared_mem_config_size",
    "launch__barrier_count",
    "launch__waves_per_multiprocessor",
    "launch__occupancy_limit_barriers",
    "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_registers",
    "launch__occupancy_limit_shared_mem",
    "launch__occupancy_limit_warps",
    "sm__maximum_warps_per_active_cycle_pct",
)


def known_metrics(available: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split ``LAUNCH_METRICS`` into those whose base name a GPU has and those it lacks."""
    names = set(available)
    present = tuple(name for name in LAUNCH_METRICS if name.split(".")[0] in names)
    return present, tuple(name for name in LAUNCH_METRICS if name not in present)
