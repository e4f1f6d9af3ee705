"""Stall reasons, in ncu's names."""

from __future__ import annotations

STALL_NAMES = (
    "selected",
    "wait",
    "long_scoreboard",
    "short_scoreboard",
    "barrier",
    "math_pipe_throttle",
    "mio_throttle",
    "lg_throttle",
    "branch_resolving",
    "dispatch_stall",
    "not_selected",
    "drain",
    "no_instruction",
    "imc_miss",
    "membar",
)
(
    SELECTED, WAIT, LONG_SCOREBOARD, SHORT_SCOREBOARD, BARRIER, MATH_PIPE, MIO, LG, BRANCH,
    DISPATCH, NOT_SELECTED, DRAIN, NO_INSTRUCTION,
    CONSTANT_MISS, MEMBAR,
) = range(len(STALL_NAMES))  # fmt: skip
REASONS = len(STALL_NAMES)
