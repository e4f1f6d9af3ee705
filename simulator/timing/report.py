"""From the state of a simulated SM to the numbers a user reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simulator.results import Timing
from simulator.timing.lower import KIND
from simulator.timing.opcodes import FMA, FMA_HEAVY, FMA_LITE, MEMORY_BARRIER, PIPE_NAMES
from simulator.timing.parameters import Parameters
from simulator.timing.stalls import DRAIN, MEMBAR, STALL_NAMES, WAIT
from simulator.timing.state import (
    DRAM_ASKED,
    DRAM_BUSY,
    ISSUED,
    L2_ASKED,
    L2_BUSY,
    LAST_END,
    PORT_BUSY,
    READS_ASKED,
    SENDS_ASKED,
    STORE_BUSY,
    SUBCORES,
    TAG_BUSY,
    WARP_CYCLES,
    Sm,
)

if TYPE_CHECKING:
    from simulator.timing.workload import Workload

# Half the width of the interval: of the times that were predicted before they were measured four of
# five fell within it (validation.blind, README). On GPUs that borrow numbers it is an assumption.
SPREAD_MEASURED, SPREAD_ELSEWHERE = 0.13, 0.25
_SERVERS = {
    "lsu_data_stage": PORT_BUSY,
    "l1_tag_stage": TAG_BUSY,
    "l2_read": L2_BUSY,
    "dram_read": DRAM_BUSY,
    "l2_write": STORE_BUSY,
}


def describe(parameters: Parameters, work: Workload, sm: Sm, state: str) -> Timing:
    """The timing of a launch whose busiest SM ended as ``sm``."""
    active = max(1, int(sm.clock[LAST_END]))
    alone = parameters.launch_us(work.placement.sms)
    beyond = alone if state == "cold" else parameters["timing_back_to_back_us"]
    us = active / parameters.clock_hz * 1e6 + beyond
    spread = SPREAD_ELSEWHERE if parameters.borrowed else SPREAD_MEASURED
    issued = max(1, int(sm.clock[ISSUED]))
    _name_barriers(sm, work.streams.code[:, KIND])
    sums = sm.stalls.sum(axis=0)
    issue, busy = issued / active / SUBCORES, _busy(sm, active, 2 if parameters.has_lite else 1)
    return Timing(
        microseconds=us,
        low_us=us * (1 - spread),
        high_us=us * (1 + spread),
        cycles_active=active,
        cycles_elapsed=active + round(alone * 1e-6 * parameters.clock_hz),
        issue_utilisation=issue,
        achieved_occupancy=float(sm.clock[WARP_CYCLES])
        / active
        / parameters.device.max_warps_per_sm,
        stalls={n: float(sums[i]) / issued for i, n in enumerate(STALL_NAMES) if sums[i]},
        busy=busy,
        instruction_stalls=_by_instruction(sm),
        speed_of_light=_speed_of_light(sm, active, issue, busy),
    )


def _name_barriers(sm: Sm, kind: NDArray[np.int32]) -> None:
    """What warps wait for before a memory barrier (their stores) and behind it is its."""
    at = np.flatnonzero(kind[:-1] == MEMORY_BARRIER)
    for row, reason in ((at, DRAIN), (at + 1, WAIT)):
        sm.stalls[row, MEMBAR] += sm.stalls[row, reason]
        sm.stalls[row, reason] = 0


def _busy(sm: Sm, active: int, halves: int) -> dict[str, float]:
    """``halves`` of the FMA pipe; what only the heavy one can do counts as use of both names."""
    found = {n: min(1.0, float(sm.flows[place]) / active) for n, place in _SERVERS.items()}
    cycles = sm.pipe_cycles.astype(np.float64)
    cycles[FMA] = cycles[[FMA, FMA_HEAVY, FMA_LITE]].sum() / halves
    cycles[FMA_LITE] = 0
    for pipe, name in enumerate(PIPE_NAMES[1:], start=1):
        if cycles[pipe]:
            found[f"pipe_{name}"] = float(cycles[pipe]) / active / SUBCORES
    return found


def _speed_of_light(sm: Sm, active: int, issue: float, busy: dict[str, float]) -> dict[str, float]:
    found = {
        "sm": max(issue, *(share for name, share in busy.items() if name.startswith("pipe_")), 0.0),
        "l1": max(busy["lsu_data_stage"], busy["l1_tag_stage"]),
        "l2": min(1.0, float(sm.flows[[L2_ASKED, READS_ASKED, SENDS_ASKED]].max()) / active),
        "dram": min(1.0, float(sm.flows[DRAM_ASKED]) / active),
    }
    return {**found, "memory": max(found["l1"], found["l2"], found["dram"])}


def _by_instruction(sm: Sm) -> dict[int, dict[str, int]]:
    found = {}
    for index in np.flatnonzero(sm.stalls.sum(axis=1)).tolist():
        row = sm.stalls[index]
        found[index] = {n: int(row[i]) for i, n in enumerate(STALL_NAMES) if row[i]}
    return found
