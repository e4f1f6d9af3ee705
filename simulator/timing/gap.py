"""Where the time goes: the same launch again and again, each time with one cost less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from simulator.emulator.launch import Launch
from simulator.results import LaunchTime
from simulator.timing.predict import predict_variants

_CONFLICTS = {"bank_conflicts": 0.0}
_OVERLAP = {"waits": 0.0}
_ISSUE = {"stall_counts": 0.0, "register_banks": 0.0, "taken_branches": 0.0}

# What is taken away, and what that means.
STEPS: Mapping[str, tuple[Mapping[str, float], str]] = {
    "as it is": ({}, ""),
    "no bank conflicts": (_CONFLICTS, "shared requests take the wavefronts of their bytes"),
    "perfect overlap": (_OVERLAP, "no warp waits for a result or at a barrier; units keep rates"),
    "perfect issue": (_ISSUE, "no stall counts, register banks or branches hold a warp"),
    "all three": ({**_CONFLICTS, **_OVERLAP, **_ISSUE}, "what the units alone take"),
}


@dataclass(frozen=True, slots=True)
class Step:
    """The launch without some cost: ``name`` and ``meaning`` say which."""

    name: str
    meaning: str
    time: LaunchTime


def find_gap(
    launch: Launch, device: str, changes: Mapping[str, float] | None = None
) -> tuple[Step, ...]:
    """The steps of ``STEPS`` for a launch that has not run yet, on top of other what-ifs.

    Raises:
        ArgumentError: a change that cannot be made.
        ReplayError: warps that wait for each other for ever.
    """
    variants = [{**(changes or {}), **less} for less, _ in STEPS.values()]
    times = predict_variants(launch, device, variants)
    return tuple(
        Step(name, meaning, time)
        for (name, (_, meaning)), time in zip(STEPS.items(), times, strict=True)
    )
